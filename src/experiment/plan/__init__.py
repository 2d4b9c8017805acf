"""What an experiment needs and where it is: a module for each kind of result, with its definition and key.

`plan.Plan` gives the texts, segmentations and runs of an experiment; the rules ask it for inputs and jobs.
"""
