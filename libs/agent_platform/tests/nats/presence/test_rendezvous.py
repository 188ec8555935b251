"""Who owns which share."""

from collections import Counter

import pytest

from agent_platform.nats.rendezvous import owners

MEMBERS = [f"engine-{number}" for number in range(8)]
SHARES = 64


@pytest.mark.parametrize("number", range(1, 9))
def test_every_member_gets_something_and_none_far_more_than_its_part(number: int) -> None:
    owned = Counter(owners(MEMBERS[:number], SHARES))
    assert len(owned) == number
    assert max(owned.values()) <= 2.5 * SHARES / number


def test_the_answer_does_not_depend_on_the_order_of_the_members() -> None:
    assert owners(MEMBERS, SHARES) == owners(MEMBERS[::-1], SHARES)


def test_who_leaves_gives_its_shares_to_the_others_and_nothing_else_moves() -> None:
    before, after = owners(MEMBERS, SHARES), owners(MEMBERS[1:], SHARES)
    moved = [old for old, new in zip(before, after, strict=True) if old != new]
    assert set(moved) == {MEMBERS[0]}
    assert len(moved) == before.count(MEMBERS[0])


def test_who_joins_takes_from_the_others_and_nothing_else_moves() -> None:
    before, after = owners(MEMBERS[:3], SHARES), owners(MEMBERS[:4], SHARES)
    assert {new for old, new in zip(before, after, strict=True) if old != new} == {MEMBERS[3]}
