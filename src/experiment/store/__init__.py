"""Results that are never lost or mixed up: what identifies a result, its folder, and how it is made exactly once."""
