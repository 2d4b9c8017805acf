"""What fairseq lacks, registered through its own extension points (fairseq's --user-dir names this folder)."""

from fairseq_plugins.compatibility import prepare_imports

prepare_imports()

from fairseq_plugins import adamw, attention, text_bleu  # noqa: E402, F401  (register an optimizer, a model, the task)
