"""A lesson as slides for a hall: what each of them has, and the page of them all."""
