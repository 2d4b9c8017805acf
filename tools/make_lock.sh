#!/bin/sh
# requirements.in -> requirements.lock, for Python 3.11 and 3.12, with hashes. torch and fairseq stay out of it.
# Versions already locked are kept; delete the lock first to move them all.
set -eu
cd "$(dirname "$0")/../requirements"
command -v uv >/dev/null 2>&1 || { echo "missing: uv (next: pip install uv)" >&2; exit 2; }
uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --override overrides.txt \
    --no-emit-index-url --no-header --no-annotate requirements.in --output-file requirements.lock
# Every line carries the marker that pyproject.toml states already, and torch's own needs come with torch: tidy both away.
awk '/^[a-z]/ { keep = !/never/ } keep { gsub(/ ; python_full_version < .3.13. and sys_platform != .win32./, ""); print }' \
    requirements.lock >requirements.lock.tidy
mv requirements.lock.tidy requirements.lock
