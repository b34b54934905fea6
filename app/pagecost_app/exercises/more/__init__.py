"""Exercises of the newer kinds, by lesson: a file here belongs to the lesson whose name it has."""
