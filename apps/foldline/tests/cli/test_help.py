"""The help of the command line: what a person reads first."""

from typer.testing import CliRunner

from foldline.cli.lazy_commands import PANELS
from foldline.cli.main import app


def test_the_help_lists_each_command_once_under_the_heading_of_what_it_is_for() -> None:
    said = CliRunner().invoke(app, ["--help"], terminal_width=100, color=False).output
    lines = [line.strip("│ ").split("  ")[0] for line in said.splitlines()]
    headings = [line.strip("╭─╮ ") for line in said.splitlines() if line.startswith("╭")]
    assert headings == ["Options", *PANELS]
    for name in (name for panel in PANELS.values() for name in panel):
        assert lines.count(name) == 1
    by_name = {name: heading for heading, panel in PANELS.items() for name in panel}
    assert (by_name["up"], by_name["rewind"], by_name["approvals"]) == ("Start", "Go back", "Trust")
