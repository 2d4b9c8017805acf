#!/bin/sh
# requirements.in -> requirements.lock, tools.in -> tools.lock, for Python 3.11 and 3.12, with hashes. torch and fairseq
# are in neither. Versions already locked are kept; delete a lock first to move all of its versions.
set -eu
cd "$(dirname "$0")/../requirements"
command -v uv >/dev/null 2>&1 || { echo "missing: uv (next: pip install uv)" >&2; exit 2; }
for name in requirements tools; do
    uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --override overrides.txt \
        --no-emit-index-url --no-header --no-annotate $name.in --output-file $name.lock
    # Every line carries the marker that pyproject.toml states already, and torch's own needs come with torch: tidy both away.
    awk '/^[a-z]/ { keep = !/never/ } keep { gsub(/ ; python_full_version < .3.13. and sys_platform != .win32./, ""); gsub(/ and python_full_version < .3.13. and sys_platform != .win32./, ""); print }' \
        $name.lock >$name.lock.tidy
    mv $name.lock.tidy $name.lock
done
