"""COMET on a tiny local checkpoint, against COMET's own command line; and every way in which a model can be missing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from small_experiment import write_lines

import score_comet
from experiment.manifest import Manifest
from experiment.runs import Run, TestSet
from experiment.scoring.comet_model import check_comet_model, comet_key
from experiment.store.checksums import Checksums
from subwords.errors import InputError

SOURCES = ["das alte Haus", "ein Kind liest", "der Vogel singt", "heute"]
HYPOTHESES = ["the old house", "child reads a", "", "today quickly near the river tree"]
REFERENCES = ["the old house", "a child reads", "the bird sings", "today"]


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random COMET model."""
    from tiny_comet import make_tiny_comet

    return make_tiny_comet(tmp_path_factory.mktemp("comet"))


@pytest.fixture(scope="session")
def texts(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The options that name sources, hypotheses and references."""
    folder = tmp_path_factory.mktemp("texts")
    for name, lines in (("source", SOURCES), ("hypothesis", HYPOTHESES), ("reference", REFERENCES)):
        write_lines(folder / name, lines)
    return [word for name in ("source", "hypothesis", "reference") for word in (f"--{name}", f"{folder / name}")]


@pytest.fixture(scope="session")
def expected(checkpoint: Path, texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> list[float]:
    """The segment scores that COMET's command line gives."""
    _, source, _, hypothesis, _, reference = texts
    return comet_score(checkpoint, tmp_path_factory.mktemp("own"), "-s", source, "-t", hypothesis, "-r", reference)


def comet_score(checkpoint: Path, folder: Path, *files: str) -> list[float]:
    """Return what COMET's command line gives for each segment. It computes in half precision."""
    from comet.cli.score import score_command

    output = folder / "scores-of-comet.json"
    command = ["comet-score", *files]
    command += ["--gpus", "0", "--model", str(checkpoint), "--to_json", str(output), "--quiet"]
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr("sys.argv", command)
        changed.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        score_command()
    (segments,) = json.loads(output.read_text()).values()
    return [segment["COMET"] for segment in segments]


@pytest.mark.slow
def test_scores_are_those_of_comets_command_line(root, checkpoint, texts, expected, tmp_path):
    words = [*texts, "--model", str(checkpoint), "--precision", "fp16", "--output", "scores.json"]
    # A cold cache and a hub that does not answer: a local model needs neither.
    elsewhere = {"HF_HOME": str(tmp_path / "cache"), "HF_ENDPOINT": "http://127.0.0.1:9"}
    assert "1 are empty" in run(root, words, tmp_path, **elsewhere)
    found = json.loads((tmp_path / "scores.json").read_text())
    assert found["segments"] == expected
    assert len(set(expected)) == 4
    assert found["score"] == pytest.approx(sum(expected) / 4)
    assert found["empty_hypotheses"] == 1
    python, comet, precision, model = found["signature"].split("|")
    assert python == f"Python{sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro}"
    assert comet.startswith("Comet2.")
    assert precision == "fp16"
    digest = subprocess.run(["sha256sum", str(checkpoint)], check=True, capture_output=True, text=True).stdout
    assert model == f"model:sha256={digest[:12]}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "options"),
    [("referenceless_regression_metric", {}), ("unified_metric", {"input_segments": ["mt", "src"]})],
)
def test_models_that_need_no_reference_read_none(checkpoint, texts, tmp_path, monkeypatch, kind, options):
    """The classes of wmt20-comet-qe-da and of CometKiwi: COMET's command line is given no references here."""
    from tiny_comet import make_tiny_comet

    checkpoint = make_tiny_comet(tmp_path / "model", kind, checkpoint.parent.parent / "encoder", **options)
    _, source, _, hypothesis, _, _ = texts
    expected = comet_score(checkpoint, tmp_path, "-s", source, "-t", hypothesis)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)  # loading sets it
    words = [*texts, "--model", str(checkpoint), "--precision", "fp16", "--output", str(tmp_path / "scores.json")]
    assert score_comet.main(words) == 0
    assert json.loads((tmp_path / "scores.json").read_text())["segments"] == expected
    assert len(set(expected)) > 1


def test_two_at_once_score_each_translation_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scored: list[str] = []

    class Slow:
        def __init__(self, model: str) -> None:
            started.wait(10)

        def score(self, sources: list[str], hypotheses: list[str], references: list[str]) -> dict[str, float]:
            scored.append(hypotheses[0])
            time.sleep(0.1)
            return {"score": 0.5}

    started = threading.Barrier(2)  # both have seen that scores are missing
    monkeypatch.setattr(score_comet, "CometScorer", Slow)
    sets = {}
    for name in ("one", "two"):
        files = {text: str(tmp_path / f"{name}.{text}") for text in ("source", "hypothesis", "reference")}
        for path in files.values():
            write_lines(Path(path), [name])
        sets[name] = TestSet("", comet=str(tmp_path / f"{name}.json"), **files)
    every = list(sets.values())
    with ThreadPoolExecutor() as pool:
        found = [pool.submit(score_comet.score_all, every, "none", "cpu", 1) for _ in range(2)]
    assert sorted(scored) == ["one", "two"]
    assert sum(each.result() for each in found) == 2
    assert score_comet.score_all(every, "none", "cpu", 1) == 0


def test_what_was_chosen_on_test_is_scored_beside_what_was_chosen_on_dev(tmp_path: Path) -> None:
    """Scores of two models never have one name, and a translation that nobody asked for is not waited for."""
    sets = {
        name: TestSet("", hypothesis=str(tmp_path / f"{name}.hyp"), comet=str(tmp_path / f"{name}.comet.abc.json"))
        for name in ("one", "two")
    }
    manifest = Manifest("x", "bpe", ["comet"], [Run("c", "a-b", "bpe", "bpe", "m", 1, "", sets)])
    assert score_comet.translations(manifest, on_test=False) == list(sets.values())
    (tmp_path / "two.chosen-on-test.json").touch()
    (chosen,) = score_comet.translations(manifest, on_test=True)
    assert chosen.hypothesis == str(tmp_path / "two.chosen-on-test.hyp")
    assert chosen.comet == str(tmp_path / "two.chosen-on-test.comet.abc.json")


def test_no_score_of_another_model_than_was_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The names of scores have a digest of the model; a local one may have changed since."""
    model = tmp_path / "checkpoints" / "model.ckpt"
    model.parent.mkdir()
    (tmp_path / "hparams.yaml").write_text("class_identifier: regression_metric\n")
    monkeypatch.setattr(score_comet, "score_all", lambda *_: 0)

    def status() -> int:
        return score_comet.main(["--manifest", "manifest.json"])

    model.write_text("one")
    planned = comet_key(str(model), Checksums(tmp_path / "results"))
    files = TestSet("", hypothesis="test.hyp", comet=f"test.comet.{planned}.json")
    run = Run("c", "a-b", "bpe", "bpe", "m", 1, "", {"test": files})
    manifest = Manifest("x", "bpe", ["comet"], [run], parameters={"comet_model": str(model)})
    monkeypatch.setattr(score_comet, "read_manifest", lambda *_: manifest)
    monkeypatch.chdir(tmp_path)
    assert status() == 0
    model.write_text("another")
    assert status() == 2
    assert f"{model} is not the COMET model that was planned" in capsys.readouterr().err
    manifest.parameters.clear()  # as one that was written by hand
    assert status() == 2
    assert "is not the COMET model that was planned" in capsys.readouterr().err


@pytest.mark.slow
def test_a_checkpoint_is_found_by_its_file_and_by_its_folder(checkpoint):
    assert check_comet_model(str(checkpoint)) == "local"
    assert check_comet_model(str(checkpoint.parent.parent)) == "local"


@pytest.mark.slow
def test_a_broken_checkpoint_says_so(checkpoint, texts, tmp_path, capsys, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)  # loading sets it
    broken = tmp_path / "checkpoints" / "model.ckpt"
    broken.parent.mkdir()
    broken.write_bytes(checkpoint.read_bytes()[:5000])
    (tmp_path / "hparams.yaml").write_bytes((checkpoint.parent.parent / "hparams.yaml").read_bytes())
    assert score_comet.main([*texts, "--model", str(broken), "--output", str(tmp_path / "out")]) == 2
    assert "cannot be loaded" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_cached_model_is_loaded_without_a_network(root, checkpoint, texts, expected, tmp_path):
    """A model whose encoder is named as on the hub: both are in the cache, and the hub does not answer."""
    import yaml

    cache = tmp_path / "cache" / "hub"
    source = checkpoint.parent.parent
    parameters = yaml.safe_load((source / "hparams.yaml").read_text()) | {"pretrained_model": "org/encoder"}
    model, encoder = cached(cache, "org/name"), cached(cache, "org/encoder")
    shutil.copytree(checkpoint.parent, model / "checkpoints")
    (model / "hparams.yaml").write_text(yaml.safe_dump(parameters))
    shutil.copytree(source / "encoder", encoder, dirs_exist_ok=True)
    _set_encoder(model / "checkpoints" / "model.ckpt", "org/encoder")
    words = [*texts, "--model", "org/name", "--output", "out"]
    run(root, words, tmp_path, HF_HOME=str(tmp_path / "cache"), HF_ENDPOINT="http://127.0.0.1:9")
    found = json.loads((tmp_path / "out").read_text())
    assert found["segments"] == pytest.approx(expected, abs=1e-3)
    assert found["signature"].endswith("|fp32|name")


def _set_encoder(checkpoint: Path, name: str) -> None:
    import torch

    content = torch.load(checkpoint, weights_only=False)
    content["hyper_parameters"]["pretrained_model"] = name
    torch.save(content, checkpoint)


def cached(cache: Path, model: str) -> Path:
    """Make the folder of a model in the hub's cache, and return where its files go."""
    folder = cache / f"models--{model.replace('/', '--')}"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text("abc")
    (folder / "snapshots" / "abc").mkdir(parents=True)
    return folder / "snapshots" / "abc"


def place(folder: Path, parameters: str | None) -> str:
    """Make a checkpoint that is only looked at, and return its path."""
    (folder / "checkpoints").mkdir()
    (folder / "checkpoints" / "model.ckpt").write_bytes(b"")
    if parameters is not None:
        (folder / "hparams.yaml").write_text(parameters)
    return str(folder / "checkpoints" / "model.ckpt")


def test_a_local_model_is_checked_without_reading_it(tmp_path):
    assert check_comet_model(place(tmp_path, "class_identifier: regression_metric")) == "local"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (None, "hparams.yaml"),
        ("class_identifier: regresion_metric", "did you mean 'regression_metric'"),
        ("- no mapping", "unknown class_identifier"),
        ("a: [", "cannot read"),
    ],
)
def test_a_local_model_with_bad_parameters(tmp_path, parameters, message):
    with pytest.raises(InputError, match=message):
        check_comet_model(place(tmp_path, parameters))


@pytest.mark.parametrize("model", ["nowhere.ckpt", "./nowhere", "/nowhere/model.ckpt"])
def test_a_path_that_is_not_there(model):
    with pytest.raises(InputError, match="there is no COMET checkpoint"):
        check_comet_model(model)


@pytest.mark.parametrize("model", ["wmt22-comet-da", "a/b/c", "Unbabel/", ""])
def test_a_name_that_cannot_be_on_the_hub(model):
    with pytest.raises(InputError, match="Unbabel/wmt22-comet-da"):
        check_comet_model(model)


class Hub(BaseHTTPRequestHandler):
    """Answers as the hub does for a model that does not exist, has a licence, or is down."""

    def do_GET(self) -> None:
        code = {"missing": "RepoNotFound", "gated": "GatedRepo"}.get(self.path.split("/")[4])
        self.send_response({"RepoNotFound": 404, "GatedRepo": 403}.get(code or "", 503))
        if code:
            self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def hub() -> Iterator[str]:
    """The address of a hub of our own."""
    server = HTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("org/missing", "hub has no model"),
        ("org/gated@abc", "accept it at https://huggingface.co/org/gated, then: hf auth login"),
        ("org/down", "the hub answered"),
    ],
)
def test_what_the_hub_says_is_passed_on(root, hub, tmp_path, model, message):
    assert message in check(root, model, tmp_path, HF_ENDPOINT=hub)


def test_no_network_and_no_copy(root, tmp_path):
    said = check(root, "Unbabel/wmt22-comet-da", tmp_path, HF_ENDPOINT="http://127.0.0.1:9")
    assert "there is no network" in said
    assert str(tmp_path) in said  # where a copy would be


def test_offline_by_wish_and_no_copy(root, tmp_path):
    assert "HF_HUB_OFFLINE" in check(root, "Unbabel/wmt22-comet-da", tmp_path, HF_HUB_OFFLINE="1")


def test_a_model_in_the_cache_needs_no_network(root, tmp_path):
    snapshot = cached(tmp_path / "hub", "org/name")
    (snapshot / "checkpoints").mkdir()
    (snapshot / "checkpoints" / "model.ckpt").write_bytes(b"")
    (snapshot / "hparams.yaml").write_text("class_identifier: regression_metric")
    assert check(root, "org/name", tmp_path, status=0, HF_ENDPOINT="http://127.0.0.1:9") == "org/name: cached\n"


def check(root: Path, model: str, cache: Path, status: int = 2, **environment: str) -> str:
    return run(root, ["--check", "--model", model], cache, status, HF_HOME=str(cache), **environment)


def run(root: Path, words: list[str], folder: Path, status: int = 0, **environment: str) -> str:
    """Run the program in a process of its own, since the hub's library reads its settings when it is imported."""
    command = [sys.executable, str(root / "scripts" / "score_comet.py"), *words]
    settings = {**os.environ, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1", **environment}
    done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def test_a_pinned_model_is_the_one_that_is_meant(tmp_path, monkeypatch):
    """Another file under the name is an error; another revision has scores of its own."""
    import hashlib

    from huggingface_hub import constants

    from experiment.scoring import comet_model
    from experiment.store.checksums import Checksums

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    snapshot = cached(tmp_path, "org/name")
    (snapshot / "checkpoints").mkdir()
    (snapshot / "checkpoints" / "model.ckpt").write_bytes(b"weights")
    (snapshot / "hparams.yaml").write_text("class_identifier: regression_metric")
    keys = {comet_model.comet_key(model, Checksums(tmp_path)) for model in ("org/name@abc", "org/name@def")}
    assert len(keys) == 2
    with pytest.raises(InputError, match="next: comet_model: org/name@abc"):
        comet_model.comet_key("org/name", Checksums(tmp_path))
    with pytest.raises(InputError, match="org/other/commits/main"):
        comet_model.comet_key("org/other", Checksums(tmp_path))
    monkeypatch.setitem(comet_model.PINNED, "org/name", ("abc", hashlib.sha256(b"weights").hexdigest()))
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda name, **_: str(snapshot))
    monkeypatch.setattr(comet_model, "check_comet_model", lambda model: "cached")
    assert comet_model.fetch_comet_model("org/name@abc") == snapshot / "checkpoints" / "model.ckpt"
    monkeypatch.setitem(comet_model.PINNED, "org/name", ("abc", "0" * 64))
    for name in ("org/name", "org/name@abc"):
        with pytest.raises(InputError, match="has the SHA-256"):
            comet_model.fetch_comet_model(name)
    assert comet_model.fetch_comet_model("org/name@def")  # not the pinned revision
    assert comet_model.revision_of("Unbabel/wmt22-comet-da") == comet_model.PINNED["Unbabel/wmt22-comet-da"][0]
