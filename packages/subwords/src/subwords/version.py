"""The version, where every module can read it."""

__version__ = "2.0.0"
