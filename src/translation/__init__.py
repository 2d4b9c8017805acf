"""The steps that need fairseq: averaged models, translations."""
