"""The steps that need fairseq: binarized data, averaged models, translations."""
