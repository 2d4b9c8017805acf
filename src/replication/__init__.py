"""A paper's published results beside ours: what all papers in papers/ share.

measurements.py   numbers in one tidy frame: ours, and what a paper printed (papers/NAME/published/*.csv)
derived.py        what follows from scores: differences from BPE, shares of its score
claims/           a claim is a function: it takes runs, the paper's or ours, and returns a finding
tables.py         printed, ours and the difference, cell by cell; figures.py: curves and bars of the same
report.py         all tables, figures and verdicts as files, and on one page
paper.py          a paper's folder at a scale
measure_code.py   the code that is part of a measurement's key
sources.py        where measures find texts, segmentations, runs and scores: the only module that knows the pipeline
corpus_counts.py  a measure of several papers
"""
