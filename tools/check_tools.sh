#!/bin/sh
# Before anything is installed: say what is missing and how to get it.   usage: check_tools.sh PYTHON
set -u
python=$1
missing=0
complain() { printf 'missing: %s\n  next: %s\n' "$1" "$2" >&2; missing=1; }

if ! command -v "$python" >/dev/null 2>&1; then
    complain "Python 3.11 or 3.12 ('$python' is not on PATH)" "install it (Debian: apt-get install python3 python3-venv python3-dev), or: make PYTHON=/path/to/python3.11"
elif ! "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))' 2>/dev/null; then
    complain "Python 3.11 or 3.12 ('$python' is $("$python" -V 2>&1))" "make PYTHON=/path/to/python3.11"
else
    "$python" -c 'import venv, ensurepip' 2>/dev/null || complain "Python's venv module" "Debian: apt-get install python3-venv"
    header=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"] + "/Python.h")')
    [ -e "$header" ] || complain "Python's headers ($header), which fairseq compiles against" "Debian: apt-get install python3-dev"
fi
command -v git >/dev/null 2>&1 || complain "git (runs record the commit they were made with)" "Debian: apt-get install git"
command -v c++ >/dev/null 2>&1 || command -v g++ >/dev/null 2>&1 || command -v clang++ >/dev/null 2>&1 ||
    complain "a C++ compiler, which fairseq is built with" "Debian: apt-get install g++; macOS: xcode-select --install"
exit $missing
