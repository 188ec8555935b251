"""Addresses of events: read, written, and in order."""

import pytest

from agent_contracts.errors import Rejected
from agent_contracts.log.address import NOWHERE, PARTS, Address, at_place, parse_address, place_before


@pytest.mark.parametrize("text", ["1", "12", "12.0", "12.1", "12.30", "999999999999999.7"])
def test_an_address_is_written_as_it_is_read(text: str) -> None:
    assert str(parse_address(text)) == text


@pytest.mark.parametrize(
    "text", ["", "-1", "1.", ".1", "01", "1.01", "1e3", "1.2.3", "١", "1 ", f"1.{PARTS}"]
)
def test_anything_else_is_refused_in_words(text: str) -> None:
    with pytest.raises(Rejected, match="is not an event's address"):
        parse_address(text)


def test_events_stand_in_order_of_records_then_of_parts() -> None:
    texts = ["2", "9.0", "9.1", "9.2", "9.10", "10", "11.0"]
    addresses = [parse_address(text) for text in texts]
    assert sorted(reversed(addresses)) == addresses
    assert sorted(addresses, key=lambda one: one.place) == addresses
    assert [str(at_place(one.place)) for one in addresses] == texts


def test_a_record_alone_as_a_moment_includes_all_its_events() -> None:
    assert Address(12).place < Address(12, 0).place < Address(12, 30).place <= Address(12).end
    assert Address(12).end < Address(13).place
    assert Address(12, 0).end == Address(12, 0).place
    assert at_place(Address(12).end) == Address(12)
    assert NOWHERE.end < Address(1).place


@pytest.mark.parametrize(("event", "before"), [("12", "11"), ("12.0", "11"), ("12.1", "12.0")])
def test_before_a_record_s_first_event_stands_the_record_before(event: str, before: str) -> None:
    assert str(at_place(place_before(parse_address(event).place))) == before
