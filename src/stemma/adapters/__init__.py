"""Faces that other libraries expect, over `Stemma` and `StemmaClient`. What they cannot say truly they refuse."""
