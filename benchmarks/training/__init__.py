"""How fast trainings are, and whether they learn the same: `python -m benchmarks.training --help`."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# A server that has torch but not this project installed runs it from the checkout.
sys.path[:0] = [str(folder) for folder in (ROOT / "src", ROOT / "scripts", ROOT) if str(folder) not in sys.path]
