"""In how many looks the browser tests check a view."""

from itertools import product

import pytest

from foldline_testing.product.browser import ColourScheme
from foldline_testing.product.looks import Look, covering

SCHEMES: tuple[ColourScheme, ...] = ("light", "dark")


@pytest.mark.parametrize("widths", [(380,), (380, 1200), (380, 1024, 1440)])
def test_each_width_and_each_scheme_is_checked_and_nothing_twice(widths: tuple[int, ...]) -> None:
    looks: list[Look] = list(product(widths, SCHEMES))
    chosen = covering(looks)
    assert {width for width, _ in chosen} == set(widths)
    assert {scheme for _, scheme in chosen} == set(SCHEMES)
    assert len(chosen) == max(len(widths), len(SCHEMES))


def test_looks_that_each_have_a_width_of_their_own_are_all_checked() -> None:
    looks: list[Look] = [(390, "light"), (1024, "dark"), (1440, "light")]
    assert covering(looks) == looks


def test_one_look_that_has_both_is_taken_before_two_that_have_one_each() -> None:
    assert covering([(390, "light"), (1200, "light"), (1200, "dark")]) == [(390, "light"), (1200, "dark")]
