"""The counts of a training, over attempts, and the cards' energy by a stand-in for the driver's counter."""

from __future__ import annotations

import pytest
from fairseq_plugins import exposure
from fairseq_plugins.exposure import JOULES_PER_KWH, Exposure

#: An update on two cards: sentences, and target pieces with a sign for the end of each sentence.
UPDATE = [{"nsentences": 3, "ntokens": 30}, {"nsentences": 2, "ntokens": 12}]


def test_updates_add_up_over_attempts():
    first = Exposure([])
    for _ in range(4):
        first.count(UPDATE)
    assert first.facts() == {"sentences_seen": 20, "pieces_seen": 4 * (42 - 5), "energy_kwh": None}
    second = Exposure([])
    second.take_up(first.facts())
    second.count(UPDATE)
    assert second.facts()["sentences_seen"] == 25
    assert second.facts()["pieces_seen"] == 5 * 37


@pytest.mark.parametrize("fine_tuning", [False, True])
def test_what_another_training_saw_is_not_of_this_one(fine_tuning: bool, monkeypatch: pytest.MonkeyPatch):
    """fairseq loads the checkpoint of --finetune-from-model as one to go on from, but for the optimizer."""
    from fairseq.trainer import Trainer

    def load(trainer, filename, reset_optimizer=False):
        trainer._previous_training_time = 5000
        return {"exposure": {"sentences_seen": 12, "pieces_seen": 90, "energy_kwh": None}}

    monkeypatch.setattr(Trainer, "load_checkpoint", load)
    for name in ("_reduce_and_log_stats", "state_dict"):
        monkeypatch.setattr(Trainer, name, getattr(Trainer, name))
    found, trainer = Exposure([]), Trainer.__new__(Trainer)
    found.watch()
    trainer.load_checkpoint("checkpoint.pt", reset_optimizer=fine_tuning)
    assert found.facts()["sentences_seen"] == (0 if fine_tuning else 12)
    assert trainer._previous_training_time == (0 if fine_tuning else 5000)


def test_what_a_checkpoint_does_not_say_stays_unknown():
    found = Exposure([])
    found.take_up({})  # of an earlier version
    found.count(UPDATE)
    assert found.facts() == {"sentences_seen": None, "pieces_seen": None, "energy_kwh": None}


def test_energy_is_the_cards_own_count_shared_out_and_added_up(monkeypatch: pytest.MonkeyPatch):
    counter = iter([1e6, 1e6 + 2 * JOULES_PER_KWH, 5.0, 5.0 + JOULES_PER_KWH])
    monkeypatch.setattr(exposure, "joules", lambda cards: next(counter))
    first = Exposure(["GPU-aa"], sharing=2)
    facts = first.facts()
    assert facts["energy_kwh"] == pytest.approx(1.0)
    second = Exposure(["GPU-bb"], sharing=2)  # after an interruption, on another card
    second.take_up(facts)
    assert second.facts()["energy_kwh"] == pytest.approx(1.5)


def test_without_a_card_or_a_driver_there_is_no_energy():
    assert exposure.joules([]) is None
    assert exposure.joules(["GPU-no-such-card"]) is None
