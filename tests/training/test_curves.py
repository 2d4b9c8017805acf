"""Learning curves from fairseq's log."""

from __future__ import annotations

import json

from experiment.training.curves import parse_log


def line(**values: object) -> str:
    return json.dumps({key: value if key == "epoch" else str(value) for key, value in values.items()})


def test_points_are_in_order_and_the_later_of_two_passes_counts() -> None:
    log = "\n".join(
        [
            "{'_name': None, 'common': {}}",
            line(epoch=1, update=0.5, loss=8, ppl=256, wps=100, num_updates=50, lr=0.1, train_wall=1, wall=5),
            line(epoch=1, valid_loss=6, valid_ppl=64, valid_bleu=1.5, valid_num_updates=80),
            line(epoch=1, train_loss=7, train_num_updates=80, train_train_wall=2, train_wall=6),
            line(epoch=1, update=0.5, loss=7, ppl=128, wps=200, num_updates=50, lr=0.1, train_wall=1, wall=7),
            'a hypothesis that says {"epoch"',
        ]
    )
    train, dev = parse_log(log)
    assert train == {
        "split": "train",
        "epoch": 1,
        "update": 50,
        "loss": 7.0,
        "ppl": 128.0,
        "pieces_per_second": 200.0,
        "lr": 0.1,
        "seconds": 7.0,
    }
    # fairseq says no time with dev scores: that of the training loss before
    assert dev == {"split": "dev", "epoch": 1, "update": 80, "loss": 6.0, "ppl": 64.0, "bleu": 1.5, "seconds": 5.0}


def test_the_seconds_of_an_interrupted_training_go_on() -> None:
    """fairseq's wall starts again with each process. The second goes on after update 100, whose 100 seconds count.

    The third has more seconds when it first says them than the second had at its end.
    """
    processes = [[(100, 100), (200, 200)], [(200, 90), (300, 180)], [(300, 250)]]
    log = "\n".join(
        text
        for process in processes
        for text in (
            "{'_name': None, 'common': {}}",
            *(line(epoch=1, loss=8, num_updates=update, train_wall=1, wall=wall) for update, wall in process),
        )
    )
    assert [(point["update"], point["seconds"]) for point in parse_log(log)] == [(100, 100), (200, 190), (300, 440)]
