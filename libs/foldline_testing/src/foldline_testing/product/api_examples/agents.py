"""The story's part of agents: all that one has, with its versions, and rewinding it."""

import asyncio
from typing import Any

import httpx

from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.mcp_host.authority import logged_in
from foldline_testing.product.api_examples.caller import ApiCaller
from foldline_testing.product.api_examples.sessions import AGENT, ended, said
from foldline_testing.product.api_examples.surroundings import Surroundings

OF: dict[str, Any] = {"agent_id": AGENT}
_CELSIUS = {"type": "object", "properties": {"c": {"type": "number"}}, "required": ["c"]}
_TOOL = {
    "description": "Celsius to Fahrenheit.",
    "parameter_schema": _CELSIUS,
    "code": "return args.c * 1.8 + 32",
}
_STEP = {
    "step_id": "look",
    "description": "See what is left",
    "tool_name": "db_sql",
    "purpose": "Count the teas",
}
_DEFINITIONS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "Tool": ("Tools", "to_fahrenheit", _TOOL),
    "Function": ("Functions", "to_fahrenheit", _TOOL),
    "Library": ("Libraries", "leaves", {"description": "Counts.", "code": "exports.count = (x) => x.length"}),
    "Component": ("Components", "Tea", {"description": "A tea.", "code": "export default () => <b>Tea</b>"}),
    "Skill": (
        "Skills",
        "brew-tea",
        {"description": "How to brew", "content": "3 minutes", "tags": ["tea"]},
    ),
    "Playbook": ("Playbooks", "restock", {"description": "Restock the shelf", "workflow": [_STEP]}),
}


def begin(api: ApiCaller, world: Surroundings) -> None:
    """Make the agent, which asks before it writes a file."""
    api("createAgent", {"id": AGENT, "name": "Tea shop", "prompt": "You sell tea.", "starters": False})
    api("listAgents")
    api("getAgent", **OF)
    api("renameAgent", {"name": "Ada's tea shop"}, **OF)
    asks = {"match": {"tool": "file_write_text"}, "verdict": "ask", "note": "I want to see it first"}
    policy = {"preset": "free", "rules": [asks]}
    api("tryPolicy", policy, **OF)
    api("putPolicy", policy, **OF)
    api("getPolicy", **OF)
    api("putPolicy", {"preset": "free", "rules": [{**asks, "note": "I look at it"}]}, **OF)
    api("listPolicyVersions", **OF)
    api("revertPolicy", {"version": 1}, **OF)


def definitions(api: ApiCaller, world: Surroundings) -> None:
    """Tools, functions, libraries, components, skills and playbooks: all have the same operations."""
    for one, (many, name, body) in _DEFINITIONS.items():
        of = {**OF, "name": name}
        api(f"put{one}", body, **of)
        api(f"list{many}", **OF)
        api(f"get{one}", **of)
        if f"switch{one}" in api.description.operations:
            api(f"switch{one}", {"enabled": False}, **of)
        api(f"put{one}", {**body, "description": "Changed."}, **of)
        api(f"list{one}Versions", **of, limit=2)
        api(f"get{one}Version", **of, version=1)
        api(f"revert{one}", {"version": 1}, **of)
        if f"test{one}" in api.description.operations:
            api(f"test{one}", {"arguments": {"c": 100}}, **of)
        if one == "Function":
            api("callFunction", {"arguments": {"c": 100}}, **of)
        api(f"delete{one}", **of)


def texts_and_state(api: ApiCaller, world: Surroundings) -> None:
    """Prompt, notes, state, and what the agent is like at a moment."""
    for one in ("Prompt", "Notes"):
        api(f"get{one}", **OF)
        first = api(f"put{one}", {"text": "You sell tea. You are brief."}, **OF)
        edit = {"operation": "find_replace", "find": "brief", "replace": "friendly"}
        api(f"edit{one}", {**edit, "version": first["version"]}, **OF)
        api(f"list{one}Versions", **OF, limit=2)
        api(f"get{one}Version", **OF, version=first["version"])
        api(f"revert{one}", {"version": first["version"]}, **OF)
    of = {**OF, "key": "prices"}
    api("putStateValue", {"value": {"Assam": 7}}, **of)
    api("getStateValue", **of)
    api("listState", **OF, prefix="p")
    changed = api("putStateValue", {"value": {"Assam": 8}}, **of)
    api("listStateVersions", **of)
    api("getStateVersion", **of, version=1)
    api("revertState", {"version": 1}, **of)
    api("getAgentMoment", **OF, at=str(changed["sequence"]))
    api("getAgentMoment", **OF, session_id=api("listSessions", agent_id=AGENT)["items"][0]["id"])
    api("getThingInTime", **OF, kind="state", name="prices", at=str(changed["sequence"]))
    api("deleteStateValue", **of)


def choices(api: ApiCaller, world: Surroundings) -> None:
    """Which tools are pinned and exposed, packs, delegates, secrets, settings."""
    api("putTool", _TOOL, **OF, name="to_fahrenheit")
    for one, names in (("PinnedTools", "to_fahrenheit"), ("ExposedTools", "to_fahrenheit")):
        api(f"put{one}", {"names": [names]}, **OF)
        api(f"get{one}", **OF)
        api(f"put{one}", {"names": []}, **OF)
        api(f"list{one}Versions", **OF)
        api(f"revert{one}", {"version": 1}, **OF)
    api("putPacks", {"packs": ["protoagent"]}, **OF)
    api("getPacks", **OF)
    api("putPacks", {"packs": ["protoagent", "wintermute"]}, **OF)
    api("listPacksVersions", **OF)
    api("revertPacks", {"version": 1}, **OF)
    api("putSecret", {"value": "sk-tea-77-assam", "hosts": ["127.0.0.1"]}, **OF, name="SUPPLIER")
    api("listSecrets", **OF)
    api("getSecret", **OF, name="SUPPLIER")
    supplier = {
        "name": "supplier",
        "type": "openai",
        "url": world.model.base_url,
        "secret": "SUPPLIER",
        "model": "demo",
    }
    api("putDelegates", {"delegates": [supplier]}, **OF)
    api("getDelegates", **OF)
    api("testDelegate", **OF, name="supplier")
    api("putDelegates", {"delegates": []}, **OF)
    api("listDelegatesVersions", **OF)
    api("revertDelegates", {"version": 1}, **OF)
    api("putDelegates", {"delegates": []}, **OF)
    api("deleteSecret", **OF, name="SUPPLIER")
    api("putPacks", {"packs": []}, **OF)
    for prefix, of in (("Agent", OF), ("", {})):
        named = {**of, "name": "timezone"}
        api(f"change{prefix}Settings", {"values": {"timezone": "Europe/Oslo"}}, **of)
        api(f"list{prefix}Settings", **of)
        api(f"change{prefix}Settings", {"values": {"timezone": "Europe/Vienna"}}, **of)
        api(f"list{prefix}SettingVersions", **named)
        api(f"get{prefix}SettingVersion", **named, version=1)
        api(f"revert{prefix}Setting", {"version": 1}, **named)
        api(f"test{prefix}Model", {"wants": "answer"}, **of)


def timed(api: ApiCaller, world: Surroundings) -> None:
    """Scheduled tasks and reminders."""
    task = {
        "name": "restock",
        "task": "See which tea is low",
        "cron": "0 9 * * 1",
        "timezone": "Asia/Kolkata",
    }
    api("previewSchedule", {"cron": "0 9 * * 1", "timezone": "Asia/Kolkata"}, **OF)
    of = {**OF, "name": api("createSchedule", task, **OF)["id"]}
    api("listSchedules", **OF)
    api("getSchedule", **of)
    api("putSchedule", {**task, "task": "Order what is low"}, **of)
    api("listScheduleVersions", **of)
    api("revertSchedule", {"version": 1}, **of)
    api("pauseSchedule", **of)
    api("resumeSchedule", **of)
    for _ in range(2):
        api("runSchedule", **of)
    api.until(lambda page: len(page["items"]) > 1, "listScheduleRuns", **of)
    api("deleteSchedule", **of)
    session, _ = said(api, "Remind me")
    found = api.until(lambda page: page["items"], "listReminders", **OF)["items"][0]
    api("listReminders", **OF, session_id=session, over=True)
    reminder = {**OF, "name": found["id"]}
    api("getReminder", **reminder)
    api("deleteReminder", **reminder)
    api("listReminderVersions", **reminder)


def mcp_servers(api: ApiCaller, world: Surroundings) -> None:
    """Servers of tools: added, logged in at, accepted, used; prompts and apps that they bring."""
    of, private = {**OF, "name": "apps"}, {**OF, "name": "private"}
    api("putMcpServer", {"transport": {"kind": "http", "url": world.apps.url}}, **of)
    api("allowMcpServer", {"private": True}, **of)
    api("testMcpServer", **of)
    tools = api("listMcpTools", **of)
    api("acceptMcpTools", {"version": tools["version"]}, **of)
    api("listMcpServers", **OF)
    api("getMcpServer", **of)
    books = {"books": {"url": world.library.url}, "private": {"url": world.private.url}}
    api("importMcpServers", {"mcpServers": books}, **OF)
    for name in books:
        api("allowMcpServer", {"private": True}, **OF, name=name)
        api("testMcpServer", **OF, name=name)
    api("acceptMcpTools", {"version": api("listMcpTools", **OF, name="books")["version"]}, **OF, name="books")
    begun = api("beginMcpLogin", **private)
    back = asyncio.run(logged_in(begun["url"]))
    httpx.get(f"{api.url}/mcp-login/callback", params=back, verify=NO_TLS).raise_for_status()
    api("endMcpLogin", **private)
    api("listMcpPrompts", **OF)
    session, turn = said(api, "What is the weather?")
    ended(api, session, turn)
    [call] = [
        one for message in api("listMessages", session_id=session)["items"] for one in message["tool_calls"]
    ]
    app = {"session_id": session, "call_id": call["call_id"]}
    api("getApp", file_id=call["result"]["app"]["file_id"])
    api("callForApp", {"tool": "refresh", "arguments": {}, "approved": True}, **app)
    api("readForApp", {"uri": "ui://apps/talks", "approved": True}, **app)
    api("listAppCalls", **app)
    api("stopAppCalls", **app)
    world.apps.answers["tools/call"] = 503
    for _ in range(2):
        session, turn = said(api, "Keep a note")
        ended(api, session, turn)
    lost = api.until(lambda page: len(page["items"]) > 1, "listOutcomes", agent_id=AGENT)["items"][0]
    found = {"happened": True, "note": "It is in the book."}
    api("settleOutcome", found, session_id=lost["session_id"], call_id=lost["call_id"])
    api("listOutcomes", agent_id=AGENT, settled=True)
    api("putMcpServer", {"transport": {"kind": "http", "url": world.apps.url}, "timeout_s": 60}, **of)
    api("listMcpServerVersions", **of)
    api("revertMcpServer", {"version": 1}, **of)
    api("deleteMcpServer", **of)


def own_work(api: ApiCaller, world: Surroundings) -> None:
    """What the agent changed and did itself: its database, its changes, commands and requests."""
    said(api, "Make a table of the teas")
    api.until(lambda found: found["items"], "getDatabase", **OF)
    api("queryDatabase", {"sql": "SELECT name, grams FROM teas WHERE grams > ?", "params": [150]}, **OF)
    for tea in ("Assam", "Sencha"):
        said(api, f"Remember {tea}")
    changes = api.until(lambda page: len(page["items"]) > 1, "listOwnChanges", **OF, kind="state")
    change = changes["items"][0]["address"]
    api("getEvent", **OF, address=change)
    api("undoOwnChange", **OF, address=change)
    for _ in range(2):
        session, _ = said(api, "Run a command")
    api.until(lambda page: len(page["items"]) > 1, "listCommands", agent_id=AGENT)
    api("listCommands", session_id=session, command="echo", file="order.txt", ending="exited")
    api.until(lambda page: page["items"], "listEgress", agent_id=AGENT, limit=2)
    api("listEgress", session_id=session, host="127.0.0.1", verdict="sent")


def back(api: ApiCaller, world: Surroundings) -> None:
    """Find the event that spoilt a tool, and rewind the agent to before it."""
    good = api("putTool", _TOOL, **OF, name="to_fahrenheit")
    api("putTool", {**_TOOL, "code": "return args.c * 1.9 + 32"}, **OF, name="to_fahrenheit")
    check = {"ask": "convert 100", "expect": "212", "good": good["sequence"]}
    api("previewBisect", check, **OF)
    api("bisectAgent", check, **OF)
    api.until(lambda found: found["bisection"]["status"] == "found", "getBisection", **OF)
    api("bisectAgent", {"ask": "Take your time", "expect": "leaf"}, **OF)
    api("stopBisection", **OF)
    world.model.release()
    api("previewAgentRewind", {"to": good["sequence"]}, **OF)
    api("rewindAgent", {"to": good["sequence"]}, **OF)
    api("listAgentRewinds", **OF)
    api("getAgentUsage", **OF)
    api("listAgentSpace", **OF)


def end(api: ApiCaller, world: Surroundings) -> None:
    """Delete the agent."""
    api("deleteAgent", **OF)
