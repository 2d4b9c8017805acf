"""What a paper claims, as rules, and what became of it on its own numbers and on ours."""
