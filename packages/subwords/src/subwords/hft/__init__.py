"""HFT, the High Frequency Tokenizer (Signoroni & Rychlý 2022). `subwords.hft.model` says what it computes."""
