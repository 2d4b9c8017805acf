"""Numbers of a GPU are read an update later, and an update that is not finite changes nothing."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

CARD = pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no GPU"))


@pytest.mark.parametrize("device", ["cpu", CARD])
def test_each_number_comes_when_the_next_one_does(device: str) -> None:
    from fairseq_plugins.ahead import Earlier

    earlier, numbers = Earlier(), torch.tensor([5.0, 6.0, 7.0], device=device)
    found = [earlier.exchange(number * 2) for number in numbers]
    assert [(number.item(), number.device.type) for number in found] == [(10, "cpu"), (10, "cpu"), (12, "cpu")]


@pytest.mark.parametrize("device", ["cpu", CARD])
@pytest.mark.parametrize("wrong", [float("inf"), float("nan")])
@pytest.mark.parametrize("largest", [0.0, 100.0])
@pytest.mark.parametrize("at_a_checkpoint", [False, True])
def test_an_update_that_is_not_finite_changes_no_weight_and_stops_the_training(
    device: str, wrong: float, largest: float, at_a_checkpoint: bool
) -> None:
    from fairseq_plugins.adamw import FusedAdamW, FusedAdamWConfig

    weight = torch.nn.Parameter(torch.ones(3, device=device))
    optimizer = FusedAdamW(FusedAdamWConfig(lr=[0.1]), [weight])
    optimizer.flat_gradients = weight.grad = torch.zeros(3, device=device)

    def update(gradient: float) -> tuple[float, float]:
        optimizer.flat_gradients.fill_(gradient)  # type: ignore[union-attr]
        norm = optimizer.clip_grad_norm(largest)
        optimizer.step()
        return norm.item(), weight[0].item()

    root = 3**0.5
    assert update(1.0) == (pytest.approx(root), pytest.approx(0.9))
    assert update(2.0)[0] == pytest.approx(root)
    before = weight[0].item()
    state = {name: value.clone() for name, value in optimizer.state_dict()["state"][0].items()}
    assert update(wrong) == (pytest.approx(2 * root), before)
    with pytest.raises(FloatingPointError, match=rf"is {wrong} in this update or the one before"):
        optimizer.state_dict() if at_a_checkpoint else update(1.0)
    kept = optimizer.state_dict()["state"][0]  # of the checkpoint that fairseq saves of a crash
    assert all(torch.equal(value, kept[name]) for name, value in state.items())
    assert weight[0].item() == before


@pytest.mark.parametrize("function", ["by_fairseq", "log_without_reading"])
def test_what_is_logged_stays_and_nothing_is_read(function: str) -> None:
    import fairseq_plugins  # noqa: F401
    from fairseq import metrics
    from fairseq.logging.meters import MetersDict
    from fairseq.trainer import Trainer
    from fairseq_plugins import ahead

    assert Trainer._reduce_and_log_stats is ahead.log_without_reading
    read = MetersDict.get_smoothed_values

    def reduce_metrics(logs: list[dict[str, float]], _: object) -> None:
        metrics.log_scalar("loss", logs[0]["loss"] / 2, 2, round=3)

    trainer = SimpleNamespace(
        cfg=SimpleNamespace(optimization=SimpleNamespace(clip_norm=1.0)),
        task=SimpleNamespace(reduce_metrics=reduce_metrics),
        get_criterion=lambda: None,
        tpu=False,
    )
    metrics.reset()
    with metrics.aggregate("of this test") as meters:
        found = getattr(ahead, function)(trainer, [{"loss": 6.0}], 2, torch.tensor(4.0))
    values = meters.get_smoothed_values()
    assert (values["loss"], values["gnorm"], values["clip"]) == (3.0, 4.0, 100.0)
    assert bool(found.get("loss")) == (function == "by_fairseq")
    assert MetersDict.get_smoothed_values is read


def test_after_an_error_meters_can_be_read() -> None:
    from fairseq.logging.meters import MetersDict
    from fairseq_plugins import ahead

    read = MetersDict.get_smoothed_values
    with pytest.raises(AttributeError):
        ahead.log_without_reading(None, [], 1, None)
    assert MetersDict.get_smoothed_values is read
