"""The public names of Stemma. Nothing is decided or done here."""

__version__ = "0.1.0"
