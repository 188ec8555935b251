"""How the system prompt names tools that are not sent: short, and each still to be told."""

import pytest

from session_domain.domain.shown.on_demand import grouped


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["file_copy", "file_info", "file_view", "promote_file"], ["file_{copy,info,view}", "promote_file"]),
        (["make_x", "list_xs", "drop_x", "set_x"], ["{make,drop,set}_x", "list_xs"]),
        (["delete_state", "list_state_keys"], ["delete_state", "list_state_keys"]),
        (["make_a_x", "set_a_x", "drop_a_x", "list_a_xs"], ["{make,set,drop}_a_x", "list_a_xs"]),
        (["make_a_x", "set_a_x", "a_x"], ["{make_a,set_a,a}_x"]),
        (["ask", "fetch_url"], ["ask", "fetch_url"]),
        ([*(f"pdf_{n}" for n in range(10)), "merge"], ["pdf_* (10)", "merge"]),
        ([f"a_{n}" for n in range(41)], [f"a_{n}" for n in range(41)]),
    ],
)  # fmt: skip
def test_three_names_with_a_word_in_common_are_said_as_one(names: list[str], said: list[str]) -> None:
    assert grouped(names) == said
