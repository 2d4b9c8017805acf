"""Results that are never lost or mixed up: what identifies a result, where it lies, and how it is made exactly once."""
