"""The steps that need fairseq: trainings, averaged models, translations."""
