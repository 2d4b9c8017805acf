"""Subword segmentation: twelve algorithms, one interface (`learn`, `encode`, `decode`, `save`, `load`, `signature`).

>>> from subwords import registry
>>> "bpe" in registry.names()
True
"""

__version__ = "1.0.0"
