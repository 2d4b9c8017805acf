"""What VOLT and MUV-search choose on a text, and from what."""

from __future__ import annotations

from pathlib import Path

from experiment.programs import command_line, program
from subwords.volt import Muv, Volt, published

RUNS = {
    "volt, public code": (Volt, {"candidates": 10_000, "variant": "reference"}),
    "volt, public code, ended after 50 rounds": (Volt, {"candidates": 10_000, "variant": "reference"}),
    "volt, paper": (Volt, {"candidates": 10_000}),
    "volt, paper, 30,000 candidates": (Volt, {}),
    "muv, paper": (Muv, {}),
    "muv, public code": (Muv, {"variant": "reference"}),
}


@program
def main(argv: list[str] | None = None) -> None:
    """Print, for each variant, the choice by either sign of the utility, and the entropy of each size."""
    command = command_line(__doc__)
    command.add_argument("texts", metavar="TEXT", type=Path, nargs="+", help="several are one, as source and target")
    texts = command.parse_args(argv).texts
    sizes = range(1000, 10_001, 1000)
    print("| | largest gain (Eq. 3) | largest muv (Eq. 1) | " + " | ".join(f"{size}" for size in sizes) + " |")
    print("|" + "---|" * (len(sizes) + 3))
    for name, (algorithm, options) in RUNS.items():
        published.ROUNDS = 50 if "50 rounds" in name else 500
        steps = {step["size"]: step for step in algorithm.learn(texts, None, **options).report()["steps"]}
        gain, muv = (max(list(steps)[1:], key=lambda size: steps[size][which]) for which in ("gain", "muv"))
        values = " | ".join(f"{steps[size]['entropy']:.4g}" if size in steps else "" for size in sizes)
        print(f"| {name} | {gain} | {muv} | {values} |")


if __name__ == "__main__":
    raise SystemExit(main())
