"""How `foldline doctor` ends: a script goes by its exit code."""

import json

import pytest
from typer.testing import CliRunner

from foldline.cli.main import app
from foldline.cli.operating import doctor
from foldline.doctor.finding import Finding, ok, problem, warning

OK, WARNING, PROBLEM = ok("log", "whole"), warning("disk", "small", "make room"), problem("NATS", "no", "up")


@pytest.mark.parametrize(
    ("findings", "code"),
    [([OK], 0), ([OK, WARNING], 0), ([OK, PROBLEM, WARNING], 1), ([PROBLEM], 1), ([], 0)],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_it_is_1_where_anything_is_broken_and_0_where_somebody_should_only_know(
    findings: list[Finding], code: int, as_json: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def examine(_: object) -> list[Finding]:
        return findings

    monkeypatch.setattr(doctor, "examine", examine)
    done = CliRunner().invoke(app, ["doctor", *(["--json"] if as_json else [])])
    assert done.exit_code == code
    if as_json:
        assert [one["verdict"] for one in json.loads(done.output)] == [one.verdict for one in findings]
    else:
        assert all(one.text in done.output and one.to_do in done.output for one in findings)
