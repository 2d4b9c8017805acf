"""What fairseq lacks, registered through its own extension points (fairseq's --user-dir names this folder)."""

from fairseq_plugins.compatibility import prepare_fairseq, prepare_imports

prepare_imports()

from fairseq_plugins import adamw, ahead, batches, loss, text_bleu, transformer  # noqa: E402, F401  (each registers itself)

prepare_fairseq()
