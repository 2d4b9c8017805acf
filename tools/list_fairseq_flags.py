"""Write config/schemas/fairseq_flags.json: every training flag that fairseq's text translation takes, with its type.

Recipes are checked against this list while the graph is built, in milliseconds and without fairseq; a test compares it
with the installed fairseq. Flags that belong to one component (an architecture, an optimizer, …) name it, so that a
recipe cannot set `nhead` of a model that it does not use.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from experiment.programs import command_line, program
from subwords.files import write_whole

TARGET = Path(__file__).resolve().parent.parent / "config" / "schemas" / "fairseq_flags.json"
TASK = "translation_text_bleu"


def describe(parser: argparse.ArgumentParser) -> dict[str, dict[str, Any]]:
    """Return flag -> {"kind", "choices"?} of a parser's long options."""
    flags: dict[str, dict[str, Any]] = {}
    for action in parser._actions:
        name = next((option[2:] for option in action.option_strings if option.startswith("--")), None)
        if name is None or name in ("help", "no-progress-bar"):
            continue
        kind = getattr(action.type, "__name__", "")
        flags[name] = {"kind": "bool" if action.nargs == 0 else kind if kind in ("int", "float") else "str"}
        if action.choices:
            flags[name]["choices"] = sorted(map(str, action.choices))
    return flags


def component_flags() -> dict[str, dict[str, dict[str, Any]]]:
    """Return, for each "registry:name", the flags that only it brings."""
    from fairseq import models, tasks
    from fairseq.dataclass.utils import gen_parser_from_dataclass
    from fairseq.registry import REGISTRIES

    found: dict[str, dict[str, dict[str, Any]]] = {}

    def add(owner: str, cls: Any) -> None:
        parser = argparse.ArgumentParser(add_help=False, conflict_handler="resolve")
        if hasattr(cls, "add_args"):
            cls.add_args(parser)
        elif getattr(cls, "__dataclass", None) is not None:
            gen_parser_from_dataclass(parser, cls.__dataclass())
        found[owner] = describe(parser)

    for arch, model in models.ARCH_MODEL_REGISTRY.items():
        if arch.startswith(("transformer", "fconv", "lstm")) and "lm" not in arch.split("_"):
            add(f"arch:{arch}", model)
    for registry in ("criterion", "optimizer", "lr_scheduler"):
        for name, cls in REGISTRIES[registry]["registry"].items():
            add(f"{registry.replace('_', '-')}:{name}", cls)
    add(f"task:{TASK}", tasks.TASK_REGISTRY[TASK])
    return found


def all_flags() -> dict[str, Any]:
    """Return {"core": {flag: …}, "components": {owner: {flag: …}}}, sorted."""
    import fairseq_plugins  # noqa: F401  (mends fairseq's imports and registers the task)
    from fairseq import options

    core = describe(options.get_training_parser())
    components = {
        owner: {flag: entry for flag, entry in sorted(flags.items()) if flag not in core}
        for owner, flags in sorted(component_flags().items())
    }
    return {"core": dict(sorted(core.items())), "components": components}


def one_flag_a_line(found: dict[str, Any]) -> str:
    """Return the flags as JSON that can be read, and compared, by lines."""

    def lines(flags: dict[str, Any], margin: str) -> str:
        return ",\n".join(f"{margin}{json.dumps(flag)}: {json.dumps(entry)}" for flag, entry in flags.items())

    owners = ",\n".join(
        f"  {json.dumps(owner)}: {{\n{lines(flags, '   ')}\n  }}" if flags else f"  {json.dumps(owner)}: {{}}"
        for owner, flags in found["components"].items()
    )
    return f'{{\n "core": {{\n{lines(found["core"], "  ")}\n }},\n "components": {{\n{owners}\n }}\n}}\n'


@program
def main(argv: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    parser.add_argument("--output", type=Path, default=TARGET, help="where to write (default: %(default)s)")
    arguments = parser.parse_args(argv)
    write_whole(arguments.output, one_flag_a_line(all_flags()))


if __name__ == "__main__":
    raise SystemExit(main())
