"""What lessons draw as SVG, in the page's colours, from the models' own state: shown by a notebook, and by the book."""
