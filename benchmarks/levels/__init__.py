"""How often the significance tests reject true null hypotheses, simulated."""
