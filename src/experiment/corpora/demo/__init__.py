"""The demo corpus: an English-like source and a constructed, morphologically rich target (docs/demo-language.md)."""
