"""A name is guessed only where it is near."""

import pytest

from agent_contracts.nearest import nearest


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("sandbox_worker", ["port", "sandbox_workers"], "sandbox_workers"),
        ("telegraf", ["openai", "telegraph"], "telegraph"),
        ("ULR", ["TOKEN", "URL"], "URL"),
        ("qs", ["cursor", "q"], "q"),
        ("pigeon_url", ["public_url"], None),
        ("PIGEON_KEY", ["TIMEZONE"], None),
        ("x" * 1_000_000, ["port"], None),
    ],
)
def test_only_what_is_spelled_almost_like_it_is_meant(name: str, known: list[str], meant: str | None) -> None:
    assert nearest(name, known) == meant
