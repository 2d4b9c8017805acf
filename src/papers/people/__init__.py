"""The human evaluation of the S-BPE paper: blind sheets out, answers in."""
