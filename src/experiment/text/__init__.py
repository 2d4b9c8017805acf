"""Forms of text: Unicode, Moses tokenization and truecasing, and from pieces back to text."""
