"""Trainings: recipes, cards, model sizes, learning curves, dev scores."""
