#!/usr/bin/env bash
# fairseq's metadata asks for versions of hydra-core and omegaconf that it does not need (requirements/fairseq.txt), so
# it is installed without its dependencies, which training.yaml lists.
set -euo pipefail
pip install --no-deps fairseq==0.12.2
