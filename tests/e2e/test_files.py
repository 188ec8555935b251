"""Files from the command line to the model and back."""

from pathlib import Path

import pytest

from foldline.cli.client import Gateway
from foldline_testing.product.command import Command
from foldline_testing.product.stack import Stack

SCRIPT = {"rules": [{"reply": {"text": "You said: {{ last_user }}"}}]}


@pytest.fixture
def foldline(stack: Stack, tmp_path: Path) -> Command:
    """The command, in an empty folder."""
    return Command(stack.data_dir, tmp_path)


def test_a_file_is_sent_with_a_message_and_fetched_again(
    foldline: Command, door: Gateway, tmp_path: Path
) -> None:
    (tmp_path / "report.csv").write_text("a,b\n1,2\n")
    (tmp_path / "site/css").mkdir(parents=True)
    (tmp_path / "site/css/x.css").write_text("p {}")
    sent = foldline("send", "Look at this", "--file", "report.csv", "--file", "site", "--json")
    assert sent.code == 0, sent.err
    session = sent.json["session_id"]
    files = foldline("files", "ls", "--session", session, "--json").json
    assert [(one["path"], one["scope"]) for one in files] == [
        ("report.csv", "session"),
        ("site/css/x.css", "session"),
    ]
    report = files[0]["file_id"]
    assert sent.json["answer"] == (
        f"You said: Look at this\n\n[Foldline] The user sent file {report}: report.csv (text/csv, 8 bytes)\n"
        f"[Foldline] The user sent file {files[1]['file_id']}: site/css/x.css (text/css, 4 bytes)"
    )
    state = door.get(f"/sessions/{session}/state")
    told = door.get(f"/sessions/{session}/messages", min_sequence=state["last_sequence"])["items"]
    assert [one["path"] for one in told[0]["files"]] == ["report.csv", "site/css/x.css"]

    (tmp_path / "report.csv").write_text("a,b\n3,4\n")
    assert foldline("files", "put", "report.csv", "--session", session).code == 0
    shown = foldline("files", "versions", "report.csv", "--session", session)
    assert [line.split("  ")[0] for line in shown.out.splitlines()] == ["version 2", "version 1"]
    refused = foldline("files", "get", "report.csv", "--session", session)
    assert (refused.code, "--force" in refused.err) == (1, True)
    got = foldline("files", "get", "report.csv", "--session", session, "--version", "1", "--force")
    assert (got.code, (tmp_path / "report.csv").read_text()) == (0, "a,b\n1,2\n")
    assert foldline("files", "get", report, "--to", "-").out == "a,b\n3,4\n"

    promoted = foldline("files", "promote", report, "--json").json
    assert promoted[0]["scope"] == "agent"
    assert foldline("files", "rm", report).code == 0
    gone = foldline("files", "get", "report.csv")
    assert (gone.code, "foldline files ls" in gone.err) == (1, True)
    assert foldline("files", "get", report, "--version", "1", "--to", "-").out == "a,b\n1,2\n"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["report.csv", "site"]


def test_what_cant_be_sent_is_said_before_anything_is(foldline: Command, tmp_path: Path) -> None:
    with (tmp_path / "large.bin").open("wb") as large:
        large.truncate(50_000_001)
    for words, says in (
        (("put", "missing.txt"), "missing.txt can't be read"),
        (("put", "large.bin"), "at most 50 MB"),
        (("put",), "foldline files put FILE"),
        (("get",), "foldline files get PATH"),
        (("get", "f_unknown"), "no file f_unknown"),
    ):
        done = foldline("files", *words)
        assert (done.code, says in done.err) == (1, True), done.err
    assert "--file" in foldline("send", "").err
