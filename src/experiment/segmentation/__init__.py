"""Segmentations of a corpus: entries of an experiment file, learning, applying, and fairseq's binarized files."""
