"""Tables, figures and the report: published values and measurements side by side."""
