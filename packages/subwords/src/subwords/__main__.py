"""`python -m subwords`: the command line."""

import sys

from subwords.cli import main

if __name__ == "__main__":
    sys.exit(main())
