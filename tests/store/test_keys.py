"""Keys: equal for equal definitions, other for others, and the same everywhere."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiment.store.keys import KEY_LENGTH, canonical, key

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(PLAIN)
def test_a_definition_that_was_written_and_read_has_the_same_key(value: Any) -> None:
    definition = {"value": value}
    assert key(json.loads(json.dumps(definition, indent=1))) == key(definition)
    assert json.loads(canonical(definition)) == definition


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_order_is_nothing(values: dict[str, int]) -> None:
    assert key(dict(reversed(values.items()))) == key(values)


@given(PLAIN, PLAIN)
def test_other_definitions_have_other_keys(first: Any, second: Any) -> None:
    same = canonical({"value": first}) == canonical({"value": second})
    assert (key({"value": first}) == key({"value": second})) == same


def test_a_key_by_hand() -> None:
    expected = hashlib.sha256(b'{"a":[1,null,true],"b":0.5}').hexdigest()[:KEY_LENGTH]
    assert key({"b": 0.5, "a": (1.0, None, True)}) == expected


def test_truth_is_no_number() -> None:
    assert key({"joint": True}) != key({"joint": 1})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1: "a"}, object(), {"a": {2}}])
def test_what_is_no_plain_data(value: Any) -> None:
    with pytest.raises(ValueError, match=r"definition|text|finite number"):
        key({"value": value})


def test_a_key_begins_the_digest_that_sha256sum_prints() -> None:
    """printf '{"a":"ü","b":[1,0.5]}' | sha256sum | cut -c1-10"""
    assert key({"b": [1.0, 0.5], "a": "ü"}) == "4c7c3b4735"
