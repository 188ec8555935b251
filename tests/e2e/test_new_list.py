"""A list route with its command costs two files and a line: shown by one that nothing else knows.

Its page in the Studio is a third file (`newList.test.tsx`).
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import agent_contracts
import foldline
import gateway
from foldline.cli.client import Gateway
from foldline_testing.product.stack import Stack

DECLARATION = '''"""The chats that began."""

from typing import Annotated

from agent_contracts.api.wire import ResponseBody
from agent_contracts.form_inputs import declared
from agent_contracts.lists.kind import TEXT, ListFilter, ListKind


class BegunChat(ResponseBody, frozen=True, kw_only=True):
    """A chat."""

    recorded_at: str
    session_id: str
    title: str | None


class BegunFilter(ListFilter, frozen=True, kw_only=True):
    """Which chats."""

    title: Annotated[str, TEXT, declared("Title", "Only chats of this title.", letters="small")] | None = None


BEGUN = ListKind(
    name="begun",
    row=BegunChat,
    filter=BegunFilter,
    operation="listBegunChats",
    about="A page of the chats that began.",
    help="List the chats that began.",
    none="No chat began.",
    columns={"title": lambda one: one.title or "", "session": lambda one: one.session_id},
)
'''
QUERY = '''"""The chats that began."""

from agent_contracts.lists.begun import BegunChat
from agent_platform.process.clock import rfc3339
from gateway.queries.cursors import ListQuery

_SQL = """
    SELECT created_at AS at, session_id AS key, session_id, title FROM sessions
    WHERE (%(agent_id)s::text IS NULL OR agent_id = %(agent_id)s)
      AND (%(session_id)s::text IS NULL OR session_id = %(session_id)s)
      AND (%(title)s::text IS NULL OR lower(title) = %(title)s)
      AND (%(before)s::timestamptz IS NULL
           OR (created_at, session_id) < (%(before)s::timestamptz, %(before_key)s::text))
    ORDER BY created_at DESC, session_id DESC LIMIT %(limit)s
"""


def _begun(row):
    return BegunChat(recorded_at=rfc3339(row["at"]), session_id=row["session_id"], title=row["title"])


QUERY = ListQuery(_SQL, _begun)
'''
LINE = '        "begun": "lists:begun",\n'


def with_a_list(folder: Path) -> None:
    """Copies of the packages, with the two files and the line of the command."""
    for package in (agent_contracts, gateway, foldline):
        assert package.__file__ is not None
        shutil.copytree(Path(package.__file__).parent, folder / package.__name__)
    (folder / "agent_contracts/lists/begun.py").write_text(DECLARATION)
    (folder / "gateway/queries/begun.py").write_text(QUERY)
    commands = folder / "foldline/cli/lazy_commands.py"
    text, beside = commands.read_text(), '        "egress": "lists:egress",\n'
    assert text.count(beside) == 1
    commands.write_text(text.replace(beside, beside + LINE))


def test_a_new_list_has_a_route_a_command_and_pages(tmp_path: Path) -> None:
    with_a_list(tmp_path / "more")
    env = {"PYTHONPATH": str(tmp_path / "more")}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "foldline", "begun", *words],
            env={**os.environ, **env, "FOLDLINE_DATA_DIR": str(tmp_path / "data")},
            capture_output=True,
            text=True,
            check=False,
        )

    with Stack(tmp_path / "data", env=env) as stack, Gateway(stack.url, stack.token) as door:
        sessions = [door.post("/sessions", {"title": title})["id"] for title in ("Oak", "Elm", "Oak")]
        described = door.get("/../openapi.json")["paths"]["/api/v1/begun"]["get"]
        assert described["operationId"] == "listBegunChats"
        asked = {one["name"]: one.get("description") for one in described["parameters"]}
        assert {*asked} == {"agent_id", "session_id", "title", "cursor", "limit", "min_sequence"}
        assert asked["title"] == "Only chats of this title."

        first = door.get("/begun", limit=2)
        assert [one["session_id"] for one in first["items"]] == sessions[:0:-1]
        rest = door.get("/begun", limit=2, cursor=first["next_cursor"])
        assert ([one["title"] for one in rest["items"]], rest["next_cursor"]) == (["Oak"], None)
        assert len(door.get("/begun", title="OAK")["items"]) == 2
        assert door.get("/begun", agent_id="nobody")["items"] == []

        listed = run("--title", "elm", "--agent", "default")
        assert listed.stdout.split() == ["Elm", sessions[1]], listed.stderr
        assert [one["title"] for one in json.loads(run("--json", "--limit", "1").stdout)] == ["Oak"]
        assert "No chat began." in run("--title", "ash").stdout
        assert "Only chats of this title." in run("--help").stdout
