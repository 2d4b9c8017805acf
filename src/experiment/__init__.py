"""The experiment pipeline's own code: configuration, text, training, translation, scores, tables, report."""
