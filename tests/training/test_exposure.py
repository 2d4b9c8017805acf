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
