"""Every tool of every service and pack: by what material from outside comes in, and what asks a person first.

No tool may be forgotten: one that is new declares its source, or is named here with a reason.
"""

import re
from pathlib import Path

import pytest

from agent_contracts.outside import host_of, source
from agent_contracts.policies import Verdict
from agent_contracts.tool_spec import Effect, LastingEffect
from agent_domain.policies.judgement import DEFAULT, judge
from agent_domain.policies.policy_request import Context, call_of, change_of
from agent_tools.rest import RestService
from agent_tools.tool import Tool
from browser_pool import pool_tools
from mcp_host import host_tools as mcp_tools
from tool_runner import core
from workspace_host import host_tools

TOOLS: dict[str, Tool] = {
    tool.spec.tool: tool
    for registry in (
        core.discover(selftest=False),
        host_tools.discover(),
        mcp_tools.discover(),
        pool_tools.discover(),
    )
    for tool in registry
}
EXTERNAL = {
    name: tool
    for name, tool in TOOLS.items()
    if tool.spec.effect in (Effect.EXTERNAL, Effect.EXTERNAL_IDEMPOTENT)
}
SERVICES, LIBS, PACKS = Path("services"), Path("libs"), Path("packs")
RUNNER = SERVICES / "tool-runner/src/tool_runner"

TELLING = {
    "AgentDatabase": RUNNER / "agent/database.py",
    "AgentDefinitions": RUNNER / "agent/definitions.py",
    "AgentEgress": RUNNER / "agent/egress.py",
    "AgentFiles": LIBS / "agent_tools/src/agent_tools/running/stored_files.py",
    "AgentInbox": RUNNER / "agent/inbox.py",
    "AgentNotebook": RUNNER / "agent/notebook.py",
    "AgentReminders": RUNNER / "agent/reminders.py",
    "AgentSchedules": RUNNER / "agent/schedules.py",
    "AgentServers": SERVICES / "mcp-host/src/mcp_host/calling/servers.py",
    "AgentState": RUNNER / "agent/state.py",
    "AgentTexts": RUNNER / "agent/texts.py",
    "CodeRuns": RUNNER / "code/host.py",
    "Commands": SERVICES / "workspace-host/src/workspace_host/commands/workspace_commands.py",
    "SessionBrowser": SERVICES / "browser-pool/src/browser_pool/browsing/browser.py",
    "SessionReminders": RUNNER / "agent/reminders.py",
}
"""Ports whose adapter, there, notes where that came from which a call reads by it."""
THROUGH = {
    "BrowserPages": "the browser pool tells with its answer, and the tools declare it",
    "FileDocuments": "it reads and writes by AgentFiles",
    "FileSearch": "it reads by AgentFiles",
    "FileTexts": "it reads by AgentFiles",
    "OtherTools": "the other tool's source is noted as it runs (toolbox.py)",
    "TextFiles": "it reads by AgentFiles",
    "SearchServices": "it fetches by AgentEgress",
    "HistorySearch": "its tool notes what the sessions had that it found",
}
"""Ports that stand on one of those."""
SILENT = {
    "AgentDelegates": "what people named",
    "BuiltIn": "the tools that come with Foldline",
    "CallContext": "the call itself",
    "CallPolicy": "what people allow",
    "Clock": "the time",
    "CodeCheck": "it says whether code can be read, and never runs it",
    "Compute": "it works on what the tool gives it",
    "Documents": "it works on what the tool gives it",
    "Embeddings": "figures, of what the tool gives it",
    "Examples": "they read nothing from outside, and what breaks is the agent's own code",
    "LastingChanges": "what people allow",
    "Models": "a model's words on what it was given, with the call's sources",
    "TakeoverRequests": "a person's own doing",
}
"""Ports by which nothing comes in that somebody else wrote."""
SAYING_NOTHING = {
    "browser_close": "it says that the browser is closed",
    "browser_hand_over": "it says that a person is done",
    "libragent.closeSession": "it says that the browser is closed",
    "protoagent.discord_react": "it says that it reacted",
    "protoagent.discord_send": "it says that it sent",
}
"""External tools without a source whose results are words of ours."""
BY_THEIR_PORTS = {
    "file_download",
    "libragent.execute_python",
    "libragent.execute_shell",
    "libragent.execute_typescript",
    "libragent.import_file",
    "run_command",
    "run_python",
    "run_sandbox_code",
    "wintermute.execute_shell",
}
"""External tools some of whose results hold material from outside: their ports tell."""

UNASKED = {
    *(name for name in TOOLS if name.startswith("browser_") and name != "browser_evaluate"),
    *(f"libragent.{name}" for name in ("clickElement", "closeSession", "createSession", "inputText")),
    *(f"libragent.{name}" for name in ("navigateBack", "navigateForward", "navigateToUrl", "scrollPage")),
    *("fetch_url", "protoagent.fetch_url", "wintermute.fetch_url", "web_read"),
    *("web_search", "protoagent.web_search", "wintermute.search_web"),
    *("file_download", "libragent.import_file", "protoagent.discord_read"),
    *(f"protoagent.github_{what}" for what in ("get_commit_diff", "get_issue", "get_pr", "list_issues")),
    *("run_sandbox_code", "libragent.execute_typescript"),
}
"""External tools that *balanced* runs unasked, before and after material from outside, as long as their
arguments name no address: they read. What code sends is judged as it leaves, and so is each address."""
ASKED_AFTER_OUTSIDE = {"read_mcp_resource", "get_mcp_prompt"}
"""Those that it runs unasked until there is material from outside: they tell a server what they name."""
SENDING = {
    "protoagent.delegate_to": {"target": "helper", "query": "all that I know"},
    "protoagent.peer_consult": {"target": "helper", "query": "all that I know"},
    "protoagent.discord_send": {"channel_id": "1", "content": "hello"},
    "protoagent.discord_react": {"channel_id": "1", "message_id": "2", "emoji": "+"},
    "fetch_url": {"url": "https://a.example/", "method": "POST"},
    "browser_evaluate": {"script": "1"},
    "run_command": {"command": "true"},
    "run_python": {"code": "1"},
    "wintermute.execute_shell": {"command": "true"},
    "libragent.execute_shell": {"command": "true"},
    "libragent.execute_python": {"code": "1"},
}
LASTING = {
    *("edit_system_prompt", "create_scheduled_task", "protoagent.schedule_task", "wintermute.set_reminder"),
    *("db_sql", "file_delete", "delete_state", "libragent.deleteContent", "libragent.delete_playbook"),
    *(f"delete_{kind}" for kind in ("function", "library", "skill", "tool", "ui_component")),
    *(f"{switch}_{kind}" for switch in ("enable", "disable") for kind in ("function", "skill", "tool")),
    *("enable_scheduled_task", "disable_scheduled_task", "cancel_scheduled_task", "cancel_reminder"),
    "protoagent.cancel_schedule",
}
"""What changes what each later session is told, does or has: *balanced* asks for it after material from
outside. Of `RUN`, some calls do: the runs of them ask (`services/tool-runner/tests/test_lasting.py`)."""
NOTHING_LOST = {
    "check_inbox": "what was delivered stays in the log, and was read",
    "libragent.clear_goal": "the plan is its session's",
    "libragent.clear_memo": "the plan is its session's",
    "libragent.clear_todos": "the plan is its session's",
    "libragent.closeSession": "the page is its session's",
    "browser_close": "the browser is its session's",
    "pdf_delete_page": "the file has one version more, and keeps those before",
    "protoagent.beads_close": "it can be opened again, with all that it says",
    "protoagent.check_inbox": "what was delivered stays in the log, and was read",
    "protoagent.notes_revert": "the tab has one version more, and keeps those before",
    "spreadsheet_delete_rows": "the file has one version more, and keeps those before",
    "spreadsheet_delete_sheet": "the file has one version more, and keeps those before",
    "stop_command": "the command is its session's",
}
"""What sounds as if it took something away, and why it doesn't."""
KEEPING = {
    *("add", "append", "auto", "back", "click", "code", "composite", "convert", "copy", "create", "crop"),
    *("daily", "delegate", "download", "downloads", "evaluate", "execute", "export", "extract", "fetch"),
    *("fill", "forward", "get", "github", "hand", "image", "import", "ingest", "input", "insert", "mark"),
    *("merge", "navigate", "output", "page", "pages", "peer", "promote", "pulse", "react", "read", "rename"),
    *("replace", "resize", "run", "screenshot", "scroll", "search", "send", "semantic", "set", "split"),
    *("type", "update", "write", "edit"),
}
"""What a tool does that makes, changes or reads, and loses no version: one of these is in its name."""
TAKING = {
    *(
        "cancel",
        "clear",
        "close",
        "delete",
        "disable",
        "drop",
        "enable",
        "erase",
        "forget",
        "purge",
        "remove",
    ),
    *("reset", "revert", "stop", "truncate", "wipe"),
}
PAGE = Context(outside=(source("web", "evil.example"),))
REPOSITORY = Path(__file__).parents[4]


def test_all_packs_are_looked_at() -> None:
    packs = {tool.spec.pack for tool in TOOLS.values()}
    assert packs == {"", "libragent", "protoagent", "wintermute"}
    assert len(TOOLS) > 200


@pytest.mark.parametrize("name", sorted(EXTERNAL))
def test_an_external_tool_says_where_its_results_come_from(name: str) -> None:
    said = [
        EXTERNAL[name].spec.source is not None,
        name in SAYING_NOTHING,
        name in BY_THEIR_PORTS,
    ]
    assert said.count(True) == 1, "declare its `source`, or name it above with a reason"


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_whatever_a_tool_reads_by_is_known_to_tell_or_to_bring_nothing(name: str) -> None:
    known = {*TELLING, *THROUGH, *SILENT}
    asked = {getattr(port, "__name__", str(port)) for _, port in TOOLS[name].asks}
    assert asked - known == set(), "a port that is new: does its adapter tell where material came from?"
    if name in BY_THEIR_PORTS:
        assert asked & {*TELLING, *THROUGH}


@pytest.mark.parametrize("port", sorted(TELLING))
def test_the_adapter_of_a_port_that_tells_does(port: str) -> None:
    text = (REPOSITORY / TELLING[port]).read_text()
    assert "outside.bring(" in text or "outside.bring_some(" in text


def test_nothing_is_named_that_there_is_not() -> None:
    asked = {getattr(port, "__name__", str(port)) for tool in TOOLS.values() for _, port in tool.asks}
    assert {*TELLING, *THROUGH, *SILENT} - asked == set()
    judged = UNASKED | ASKED_AFTER_OUTSIDE | SENDING.keys()
    judged |= LASTING | NOTHING_LOST.keys()
    assert {*SAYING_NOTHING, *BY_THEIR_PORTS, *judged} - TOOLS.keys() == set()


@pytest.mark.parametrize("context", [Context(), PAGE], ids=["at first", "after a page"])
@pytest.mark.parametrize("name", sorted(EXTERNAL))
def test_balanced_asks_for_each_external_tool_but_those_that_read(name: str, context: Context) -> None:
    unasked = UNASKED if context is PAGE else UNASKED | ASKED_AFTER_OUTSIDE
    judged = judge(DEFAULT, call_of(EXTERNAL[name].spec, {}), context)
    assert judged.verdict is (Verdict.ALLOW if name in unasked else Verdict.ASK), judged.rule


def words_of(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[a-z]+|[A-Z][a-z]*", name.partition(".")[2] or name)}


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_a_tool_that_lasts_says_so(name: str) -> None:
    spec = TOOLS[name].spec
    assert (spec.lasting is not LastingEffect.NO) is (name in LASTING)
    if spec.effect is Effect.PURE or name in LASTING or name in NOTHING_LOST:
        return
    words = words_of(name)
    assert words & KEEPING, "declare it `lasting`, or name it above with a reason"
    assert not words & TAKING, "declare it `lasting`, or name it above with a reason"


def test_an_alias_lasts_where_its_core_tool_does() -> None:
    cores = {name: tool.spec.alias_of for name, tool in TOOLS.items() if tool.spec.alias_of is not None}
    assert {n for n, core in cores.items() if (core.name in LASTING) != (n in LASTING)} == set()


@pytest.mark.parametrize("name", sorted(LASTING))
def test_what_lasts_is_asked_for_after_outside(name: str) -> None:
    spec = TOOLS[name].spec
    asked = change_of(spec, lasting=True) if spec.lasting is LastingEffect.RUN else call_of(spec, {})
    assert judge(DEFAULT, asked).verdict is Verdict.ALLOW
    assert judge(DEFAULT, asked, PAGE).verdict is Verdict.ASK


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_a_tool_that_asks_one_service_says_which_host(name: str) -> None:
    known = getattr(TOOLS[name].run, "__globals__", {}).values()
    hosts = {host_of(one.url) for one in known if isinstance(one, RestService)}
    fixed = TOOLS[name].spec.fixed_host
    assert hosts == (set() if fixed is None else {fixed.host})


@pytest.mark.parametrize("name", sorted(SENDING))
def test_what_sends_is_asked_for(name: str) -> None:
    assert judge(DEFAULT, call_of(TOOLS[name].spec, SENDING[name])).verdict is Verdict.ASK
