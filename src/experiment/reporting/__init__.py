"""What a person reads: tables, figures, samples, the report."""
