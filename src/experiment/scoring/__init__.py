"""Scores: metrics, significance, and scores.csv."""
