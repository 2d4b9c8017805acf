"""What an experiment needs and where it lies: one module for each kind of result, each with its definition and key.

`plan.Plan` gives the texts, segmentations and runs of an experiment; the rules ask it for inputs and jobs.
"""
