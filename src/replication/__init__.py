"""A paper's published results beside ours: what all papers in papers/ share.

published.py     the numbers that a paper printed (papers/NAME/published/*.csv)
measurements.py  ours, in a tidy frame with the same columns; derived.py adds what follows from them
claims.py        a claim is a function: it takes runs, the paper's or ours, and returns a finding
tables.py        printed, ours and the difference, cell by cell; writing.py: the same as CSV, Markdown, LaTeX
figures.py       curves and bars, ours beside the paper's; report.py: everything on one page
paper.py         a paper's folder at a scale; scales.py: what a scale changes
sources.py       where measures find texts, segmentations, runs and scores: the only module that knows the pipeline
measures/        what several papers measure beyond scores
"""
