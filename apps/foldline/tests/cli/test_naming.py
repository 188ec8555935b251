"""How commands name things: by an id, or by how one begins."""

import pytest

from agent_contracts.errors import Rejected
from foldline.cli.naming import whole


def test_a_beginning_that_one_id_has_names_it() -> None:
    assert whole(["w_ab", "w_bc"], "w_b", "wake") == "w_bc"


def test_a_whole_id_is_meant_where_another_begins_with_it() -> None:
    assert whole(["w_a", "w_ab"], "w_a", "wake") == "w_a"


def test_a_beginning_of_several_says_which() -> None:
    with pytest.raises(Rejected, match=r"Several wakes .* w_ab, w_ac\. Nothing was done"):
        whole(["w_ab", "w_ac", "x"], "w_", "wake")


def test_a_beginning_of_none_says_so() -> None:
    with pytest.raises(Rejected, match="No wake has an id that begins with y"):
        whole(["w_ab"], "y", "wake")
