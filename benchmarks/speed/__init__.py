"""What the segmentation algorithms and their peers cost, whole processes, side by side on the same text."""
