"""Picky BPE (Chizhov et al. 2024): BPE that takes pieces out of the vocabulary again."""
