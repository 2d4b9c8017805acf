"""What the papers measure beyond scores, as plain functions of plain data."""
