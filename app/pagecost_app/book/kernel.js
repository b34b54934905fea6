const bytes_of = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))

// A kernel of the engine in a page. What it takes is described by `webassembly.described`: arrays with their
// contents, numbers, and parts of these. Arrays live in the module's memory, so that `arrays` shows what a call did.
const KINDS = {
  int8: Int8Array, uint8: Uint8Array, bool: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array,
  uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array, float32: Float32Array, float64: Float64Array,
}
const PAGE_BYTES = 65536, STACK_BYTES = 65536, ALIGNED = 16
const is_long = (kind) => kind === "int64" || kind === "uint64"

class Kernel {
  // code: Uint8Array of the module, or a WebAssembly.Module. given: descriptions of the arguments
  constructor(code, given) {
    this.given = given
    this.top = STACK_BYTES + 2 * ALIGNED  // the stack grows down to 0; above it what the kernel returns, then arrays
    const needed = this.top + size_of(given)
    this.memory = new WebAssembly.Memory({initial: Math.ceil(needed / PAGE_BYTES) + 1})
    this.placed = {}
    this.arrays = given.map((each) => this.place(each))
    const module = code instanceof WebAssembly.Module ? code : new WebAssembly.Module(code)
    const env = {
      __linear_memory: this.memory,
      __stack_pointer: new WebAssembly.Global({value: "i32", mutable: true}, STACK_BYTES),
      __indirect_function_table: new WebAssembly.Table({initial: 1, element: "anyfunc"}),
    }
    this.run = new WebAssembly.Instance(module, {env}).exports.run
  }
  place(given) {
    if (given.kind === "parts") {
      const parts = given.parts.map((each) => this.place(each))
      given.names.forEach((name, i) => { parts[name] = parts[i] })
      return parts
    }
    if (!given.shape) return given.value
    if (given.array in this.placed) return this.placed[given.array]
    const Kind = KINDS[given.kind]
    const length = given.shape.reduce((product, n) => product * n, 1)
    const array = new Kind(this.memory.buffer, this.top, length)
    this.top += Math.ceil(array.byteLength / ALIGNED) * ALIGNED
    if (given.each) array.fill(new Kind(bytes_of(given.each).buffer)[0])
    else new Uint8Array(array.buffer, array.byteOffset).set(bytes_of(given.bytes))
    array.shape = given.shape
    return this.placed[given.array] = array
  }
  // Call the kernel with its arrays; `others`: by the number of an argument, what is given instead: a part of the
  // array (its subarray), or a number.
  call(others = {}) {
    const flat = []
    this.given.forEach((given, i) => flatten(given, i in others ? others[i] : this.arrays[i], flat))
    const failed = this.run(STACK_BYTES, STACK_BYTES + ALIGNED, ...flat)
    if (failed !== 0) throw new Error(`the kernel failed with ${failed}`)
    return this.arrays
  }
}

const size_of = (given) => given.reduce((sum, each) => sum + (each.kind === "parts" ? size_of(each.parts) : !each.shape
  ? 0 : KINDS[each.kind].BYTES_PER_ELEMENT * each.shape.reduce((product, n) => product * n, 1) + ALIGNED), 0)

// As Numba hands an array over: its object and its owner, which a page has none of, items, bytes of an item, the
// address, then lengths and strides of its dimensions
function flatten(given, value, flat) {
  if (given.kind === "parts") {
    given.parts.forEach((each, i) => flatten(each, value[i], flat))
  } else if (!given.shape) {
    flat.push(is_long(given.kind) ? BigInt(value) : value)
  } else {
    const shape = value.shape ?? [value.length]
    const strides = shape.map((_, i) => shape.slice(i + 1).reduce((product, n) => product * n, value.BYTES_PER_ELEMENT))
    flat.push(0, 0, BigInt(value.length), BigInt(value.BYTES_PER_ELEMENT), value.byteOffset, ...shape.map(BigInt),
      ...strides.map(BigInt))
  }
}
