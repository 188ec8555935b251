"""The rows that a batch works on."""

import pytest

from foldline_testing.projector.counting import SEEN, TOTALS, Seen, Total
from projections.project.batch_rows import BatchRows, NotLoaded, PutRow


def test_a_row_that_nobody_looked_up_is_asked_for() -> None:
    with pytest.raises(NotLoaded) as missing:
        BatchRows().get(TOTALS, ("a",))
    assert (missing.value.table, missing.value.key) == (TOTALS, ("a",))


def test_a_row_that_is_not_there_is_known_not_to_be() -> None:
    rows = BatchRows()
    rows.loaded(TOTALS, [("a",), ("b",)], [Total("b", 1, 1)])
    assert rows.get(TOTALS, ("a",)) is None
    assert rows.get(TOTALS, ("b",)) == Total("b", 1, 1)


def test_an_event_sees_what_the_one_before_it_made() -> None:
    rows = BatchRows()
    rows.apply([PutRow(TOTALS, Total("a", 1, 1))])
    assert rows.get(TOTALS, ("a",)) == Total("a", 1, 1)


def test_each_row_is_written_once_as_it_is_at_the_end() -> None:
    rows = BatchRows()
    rows.loaded(TOTALS, [("a",), ("gone",)], [Total("a", 1, 1)])
    for sequence in (2, 3):
        rows.apply([PutRow(SEEN, Seen(sequence, 0, "")), PutRow(TOTALS, Total("a", sequence, sequence))])
    assert dict(rows.to_write()) == {SEEN: [Seen(2, 0, ""), Seen(3, 0, "")], TOTALS: [Total("a", 3, 3)]}


def test_a_row_put_blindly_is_one_that_the_database_may_hold_too() -> None:
    rows = BatchRows()
    rows.loaded(TOTALS, [("a",)], [])
    rows.apply([PutRow(TOTALS, Total(subject, 1, 1)) for subject in "ab"])
    assert dict(rows.unseen()) == {TOTALS: [("b",)]}
