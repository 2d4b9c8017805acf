"""Corpora: what the catalogue says, what is fetched or generated, cleaned, held out and put together."""
