#!/usr/bin/env bash
# Written by tools/make_environments.py from requirements/fairseq.txt and build.txt.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/fairseq.txt" <<'END'
fairseq==0.12.2 \
    --hash=sha256:34f1b18426bf3844714534162f065ab733e049597476daa35fffb4d06a92b524
END
cat >"$folder/build.txt" <<'END'
cython==3.3.1
numpy==2.3.5
setuptools==80.10.2
wheel==0.48.0
END
export PIP_CONSTRAINT="$folder/build.txt" PIP_BUILD_CONSTRAINT="$folder/build.txt"
python -m pip install --no-deps --require-hashes -r "$folder/fairseq.txt"
python -m pip install --no-deps --no-build-isolation --editable "$SUBWORDS_SOURCE" # the Snakefile says where
