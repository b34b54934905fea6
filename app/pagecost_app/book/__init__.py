"""The book: pages that are alive without a kernel. What moves in them is the engine's own code, as WebAssembly."""
