"""How this Python was built is told as it is."""

import sysconfig
from collections.abc import Mapping

import pytest

from agent_platform.process.interpreter import has_pgo, interpreter

USUAL = {"PGO_PROF_USE_FLAG": "-fprofile-use"}


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        ({**USUAL, "CONFIG_ARGS": "'--enable-optimizations' '--with-lto'"}, True),
        ({**USUAL, "CONFIG_ARGS": "'--enable-shared'"}, False),
        ({"CONFIG_ARGS": "'--enable-shared'", "PGO_PROF_USE_FLAG": ""}, True),
        ({}, True),
    ],
)
def test_a_build_is_told_by_its_flags(
    monkeypatch: pytest.MonkeyPatch, build: Mapping[str, str], expected: bool
) -> None:
    monkeypatch.setattr(sysconfig, "get_config_var", build.get)
    assert has_pgo() is expected
    assert interpreter().endswith("with PGO" if expected else "without PGO")
