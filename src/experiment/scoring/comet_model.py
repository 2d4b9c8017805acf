"""COMET: check whether the model is available, load it, score with it.

Rei et al. 2022, "COMET-22"; Zouhar et al. 2024, "Pitfalls and Outlooks in Using COMET" (arXiv 2408.15366) for why the
signature names versions and precision, and why empty hypotheses are counted: COMET does not score them 0.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiment.store.checksums import Checksums, file_sha256
from experiment.store.keys import key
from subwords.errors import InputError, check_known

DEFAULT_MODEL = "Unbabel/wmt22-comet-da"
NETWORK_SECONDS = 10
PRECISIONS = ("fp32", "fp16")
BATCH = 16

#: What hparams.yaml may name as class_identifier (unbabel-comet 2.2, comet/models/__init__.py), known here so that a
#: check does not have to import torch.
_CLASSES = ("regression_metric", "referenceless_regression_metric", "ranking_metric", "unified_metric", "xcomet_metric")
_ALLOWED = (
    "a model on the Hugging Face hub (ORGANIZATION/NAME, or ORGANIZATION/NAME@REVISION), or the path of a .ckpt with"
    " hparams.yaml two levels up"
)
#: Models that papers call by name alone: the revision that is meant here, and the SHA-256 of its checkpoint.
PINNED = {
    "Unbabel/wmt22-comet-da": (
        "2760a223ac957f30acfb18c8aa649b01cf1d75f2",
        "e213091cde220f97b89f8bdfa750c458cfea741ad62affb455b59900210ff2af",
    )
}


def check_comet_model(model: str = DEFAULT_MODEL) -> str:
    """Return where the model is: "local", "cached" or "hub" (it will be downloaded). Nothing large is read or fetched.

    Raises InputError that says what is wrong: no such file, no hparams.yaml, no such model, a licence that has to be
    accepted first, or no network and no copy in the cache.
    """
    if _local_checkpoint(model):
        return "local"
    if name_of(model).count("/") != 1 or not all(name_of(model).split("/")):
        raise InputError(f"{model!r} is not a COMET model", allowed=_ALLOWED, next_step=f"comet_model: {DEFAULT_MODEL}")
    return "cached" if _cached_checkpoint(model) else _check_hub(model)


def name_of(model: str) -> str:
    """Return the name of a model on the hub without its revision."""
    return model.partition("@")[0]


def revision_of(model: str) -> str | None:
    """Return the revision that is meant: the one that is named, or the pinned one; None for the newest."""
    return model.partition("@")[2] or PINNED.get(model, (None, None))[0]


def _local_checkpoint(model: str) -> Path | None:
    """Return the checkpoint of a model that is a path: itself, or its place in a model's folder; None for a name.

    Raises InputError for one that is not there, or without its parameters.
    """
    path = Path(model).expanduser()
    if not (model.endswith(".ckpt") or model.startswith(("/", ".", "~")) or (model and path.exists())):
        return None
    checkpoint = path / "checkpoints" / "model.ckpt" if path.is_dir() else path
    if not checkpoint.is_file():
        raise InputError(
            f"there is no COMET checkpoint {checkpoint}", allowed=_ALLOWED, next_step="correct the path in comet_model"
        )
    parameters = checkpoint.resolve().parents[1] / "hparams.yaml"
    if not parameters.is_file():
        raise InputError(
            f"the COMET checkpoint {checkpoint} has no {parameters}",
            allowed="MODEL/hparams.yaml and MODEL/checkpoints/NAME.ckpt, as COMET saves them",
            next_step="copy hparams.yaml from where the checkpoint comes from",
        )
    kind = read_hyperparameters(checkpoint).get("class_identifier")
    check_known(f"class_identifier in {parameters}", [kind], _CLASSES)
    return checkpoint


def read_hyperparameters(checkpoint: Path) -> dict[str, Any]:
    """Return the content of the hparams.yaml that belongs to a checkpoint."""
    import yaml

    path = checkpoint.resolve().parents[1] / "hparams.yaml"
    try:
        content = yaml.safe_load(path.read_bytes())
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}", next_step="copy it again from its source") from error
    return content if isinstance(content, dict) else {}


def _cached_checkpoint(model: str) -> Path | None:
    """Return the checkpoint in the Hugging Face cache, or None when the model is missing or not complete."""
    from huggingface_hub import try_to_load_from_cache

    name, revision = name_of(model), revision_of(model)
    checkpoint = try_to_load_from_cache(name, "checkpoints/model.ckpt", revision=revision)
    parameters = try_to_load_from_cache(name, "hparams.yaml", revision=revision)
    return Path(checkpoint) if isinstance(checkpoint, str) and isinstance(parameters, str) else None


def _check_hub(model: str) -> str:
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, HFValidationError, RepositoryNotFoundError

    missing = f"the COMET model {model} is not in the cache ({constants.HF_HUB_CACHE})"
    step = "load it once on a machine with a network and copy the cache folder (HF_HOME), or set comet_model to a .ckpt"
    if constants.HF_HUB_OFFLINE:
        raise InputError(f"{missing}, and HF_HUB_OFFLINE forbids downloading it", allowed=_ALLOWED, next_step=step)
    reason: Exception
    try:
        api = HfApi()
        api.model_info(name_of(model), revision=revision_of(model), timeout=NETWORK_SECONDS)
        api.auth_check(name_of(model))
        return "hub"
    except GatedRepoError as error:
        problem, reason = f"the COMET model {model} has a licence that must be accepted first", error
        step = f"accept it at https://huggingface.co/{name_of(model)}, then: hf auth login"
    except (RepositoryNotFoundError, HFValidationError) as error:
        problem, reason = f"the hub has no model {model!r} (or it is private)", error
        step = f"comet_model: {DEFAULT_MODEL}"
    except Exception as error:  # requests, urllib3 and the hub each have their own kinds of "no network"
        why = f"the hub answered: {error}" if isinstance(error, HfHubHTTPError) else "there is no network"
        problem, reason = f"{missing} and cannot be downloaded: {why}", error
    raise InputError(problem, allowed=_ALLOWED, next_step=step) from reason


def fetch_comet_model(model: str) -> Path:
    """Return the checkpoint of a model, after downloading it with its encoder's small files where it is not here.

    Raises InputError where the checkpoint is another one than the pinned.
    """
    if local := _local_checkpoint(model):
        return local
    where = check_comet_model(model)
    from huggingface_hub import snapshot_download

    folder = snapshot_download(name_of(model), revision=revision_of(model), local_files_only=where == "cached")
    checkpoint = Path(folder) / "checkpoints" / "model.ckpt"
    pinned, expected = PINNED.get(name_of(model), (None, ""))
    if revision_of(model) == pinned and expected and (found := file_sha256(checkpoint)) != expected:
        raise InputError(
            f"the COMET model {checkpoint} has the SHA-256 {found}",
            allowed=expected,
            next_step=f"delete {folder} and download it again; or name another model in comet_model",
        )
    encoder = read_hyperparameters(checkpoint).get("pretrained_model")
    if where == "hub" and encoder:
        snapshot_download(encoder, allow_patterns=["*.json", "*.model"])
    return checkpoint


def load_comet_model(model: str = DEFAULT_MODEL) -> tuple[Any, Path]:
    """Return the COMET model and the path of its checkpoint, downloading it where needed.

    A local or cached model is loaded without touching the network. Raises InputError as `check_comet_model`, and when
    the encoder's own files (tokenizer, configuration) are missing.
    """
    where = check_comet_model(model)
    if where != "hub":
        # Otherwise transformers asks the hub about the cached encoder, whatever `local_files_only` says. It looks at
        # this when it is imported, later than the environment can still be changed.
        from huggingface_hub import constants

        constants.HF_HUB_OFFLINE = True
    _quiet()
    from comet import load_from_checkpoint

    checkpoint = fetch_comet_model(model)
    _check_content(checkpoint)
    try:
        return load_from_checkpoint(str(checkpoint), local_files_only=where != "hub"), checkpoint
    except Exception as error:  # torch, Lightning, transformers and COMET raise many kinds for a broken model
        encoder = read_hyperparameters(checkpoint).get("pretrained_model")
        reason = " ".join(str(error).split())[:300]
        raise InputError(
            f"the COMET model {checkpoint} cannot be loaded: {type(error).__name__}: {reason}",
            allowed=f"a whole checkpoint, and its encoder {encoder!r} (tokenizer and configuration) in the cache",
            next_step=f"with a network: hf download {encoder} --include '*.json'; or correct pretrained_model",
        ) from error


def _check_content(checkpoint: Path) -> None:
    """Raise InputError where a model in the hub's cache is not what it should be: the cache names files by SHA-256."""
    file = checkpoint.resolve()
    if re.fullmatch("[0-9a-f]{64}", file.name) and (found := file_sha256(file)) != file.name:
        raise InputError(
            f"the COMET model {checkpoint} is damaged, or another one: its SHA-256 is {found}",
            allowed=file.name,
            next_step=f"delete {file} and run again: it is downloaded again",
        )


def _quiet() -> None:
    """Keep Lightning and transformers from printing advertisements and progress between log lines."""
    import logging
    import warnings

    for name in ("pytorch_lightning", "lightning", "transformers", "comet"):
        logging.getLogger(name).setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", module=r"pytorch_lightning|lightning|torch|comet|pkg_resources")


class CometScorer:
    """A COMET model, loaded once. Runs on a GPU when there is one.

    `precision` is fp32, as in COMET's Python interface, or fp16, as in the command line of COMET 2.2.7; they differ by
    less than a segment score means. Raises InputError as `load_comet_model`.
    """

    def __init__(self, model: str, precision: str = "fp32") -> None:
        check_known("COMET precision", [precision], PRECISIONS)
        self._network, checkpoint = load_comet_model(model)
        self._signature = comet_signature(model, checkpoint, precision)
        if precision == "fp16":
            self._network.half()

    def score(self, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Any]:
        """Return what `{testset}.comet.KEY.json` holds: system score, score of every segment, signature.

        The system score is the mean of the segment scores, on the model's own scale (about 0 to 1 for wmt22-comet-da).
        """
        import torch

        texts = zip(sources, hypotheses, references, strict=True)
        samples = [dict(zip(("src", "mt", "ref"), each, strict=True)) for each in texts]
        gpus = 1 if torch.cuda.is_available() else 0
        prediction = self._network.predict(samples, batch_size=BATCH, gpus=gpus, num_workers=0, progress_bar=False)
        segments = [float(score) for score in prediction["scores"]]
        return {
            "name": "COMET",
            "score": sum(segments) / len(segments),
            "signature": self._signature,
            "device": torch.cuda.get_device_name() if gpus else "cpu",
            "sentences": len(segments),
            "segments": segments,
        }


def comet_key(model: str, checksums: Checksums) -> str:
    """Return what scores of a model are called by: a digest of its content, or of its name and revision on the hub.

    Raises InputError for a name without a revision: what the hub has under it may change.
    """
    if checkpoint := _local_checkpoint(model):
        parameters = checksums.of(checkpoint.resolve().parents[1] / "hparams.yaml")
        content = {"sha256": checksums.of(checkpoint), "hparams": parameters}
        return key({"step": "comet 1", **content, "precision": "fp32"})
    revision = revision_of(model)
    if revision is None or not re.fullmatch("[0-9a-f]{3,40}", revision):
        cached = _cached_checkpoint(model)
        raise InputError(
            f"comet_model: {model} does not name a commit, and what the hub has under that name may change",
            allowed="NAME@COMMIT, or the path of a checkpoint",
            next_step=f"comet_model: {name_of(model)}@{cached.parents[1].name}, which is in the cache"
            if cached
            else f"take the newest commit from https://huggingface.co/{name_of(model)}/commits/main",
        )
    return key({"step": "comet 1", "model": name_of(model), "revision": revision, "precision": "fp32"})


def comet_signature(model: str, checkpoint: Path, precision: str) -> str:
    """Return the signature in sacreCOMET's form: Python, COMET, precision, model (Zouhar et al. 2024, Sec. 5).

    A local checkpoint is named by a digest of its content, since its path means nothing elsewhere; one of the hub by
    its name and, where it is known, the revision.
    """
    from importlib.metadata import version

    revision = revision_of(model)
    name = name_of(model).split("/")[-1] + (f"@{revision[:12]}" if revision else "")
    if _local_checkpoint(model):
        name = f"{checkpoint.stem}:sha256={file_sha256(checkpoint)[:12]}"
    return f"Python{platform.python_version()}|Comet{version('unbabel-comet')}|{precision}|{name}"
