"""The story's part of sessions: what is said in them, how they are steered, read, rewound and deleted."""

from typing import Any

from foldline_testing.product.api_examples.caller import ApiCaller
from foldline_testing.product.api_examples.surroundings import Surroundings

AGENT = "tea-shop"
_OVER = ("completed", "stopped", "failed", "refused", "rewound", "token_limit_reached")


def said(api: ApiCaller, text: str, **more: Any) -> tuple[str, dict[str, Any]]:
    """A new session of the agent, and the turn of a message once it has ended, or waits for a person."""
    session = api("createSession", {"agent_id": AGENT, "title": "Tea", **more})["id"]
    return session, say(api, session, text)


def say(api: ApiCaller, session: str, text: str) -> dict[str, Any]:
    """The turn of a message, once it has ended or waits for a person."""
    turn: dict[str, Any] = api("postMessage", {"text": text}, session_id=session, wait=60)
    while turn["status"] in ("queued", "running"):
        turn = api("getTurn", session_id=session, turn_id=turn["id"], wait=60)
    return turn


def ended(api: ApiCaller, session: str, turn: dict[str, Any]) -> dict[str, Any]:
    """The turn, once it is over."""
    found: dict[str, Any] = api.until(
        lambda one: one["status"] in _OVER, "getTurn", session_id=session, turn_id=turn["id"], wait=60
    )
    return found


def conversation(api: ApiCaller, world: Surroundings) -> None:
    """Say something and read it in every way."""
    session, turn = said(api, "Think of a tea")
    of = {"session_id": session}
    ended(api, session, turn)
    read = api("listMessages", **of, limit=2)
    answer = read["items"][-1]["address"]
    api("getThinking", **of, answer=answer)
    api("getThinking", **of, answer=answer, download=True)
    api("getSession", **of)
    api("listSessions", agent_id=AGENT, limit=2)
    api("listEvents", **of, limit=2)
    api("listEvents", **of, type="user_message")
    api("getModelCall", **of, call="1")
    api("getState", **of, messages=2)
    api("getTimeline", **of, limit=3)
    api("getTimeline", **of, group="messages", q="tea")
    api("getOutline", **of)
    api("getOutline", **of, after=turn["id"])
    api("rateAnswer", {"answer": answer, "rating": "up", "text": "Just what I like"}, **of)
    api("changeSession", {"title": "A tea for the morning", "pinned": True}, **of)
    api("lookAtSession", {"visible": True}, **of)
    api("replaySession", {"mode": "strict"}, **of)
    api("continueSession", {"token_limit": 500_000}, **of)
    api("unstickSession", {"older_than_s": 60}, **of)
    fork = api("forkSession", {"at": turn["id"], "title": "Another way"}, **of)
    later = say(api, session, "And a tea for the evening?")
    api("findMessages", **of, q="tea")
    api("listSessions", status="idle", q="tea", rating="up", id_prefix=session[:8])
    api("listSessions", parent_id=session)
    api("previewSessionRewind", **of, to=answer)
    api("rewindSession", {"to": answer, "parts": ["conversation"]}, **of)
    ended(api, session, later)
    api("archiveSession", session_id=fork["id"])
    api("reopenSession", session_id=fork["id"])
    file = api("exportSession", session_id=fork["id"])
    api("importSession", file, ids="new", agent_id=AGENT)
    api("deleteSession", session_id=fork["id"])


def live(api: ApiCaller, world: Surroundings) -> None:
    """Follow a session while it answers; stop one that takes too long, and ask again where one failed."""
    session = api("createSession", {"agent_id": AGENT})
    of = {"session_id": session["id"]}
    api.stream(
        lambda: api("postMessage", {"text": "Good morning"}, **of),
        lambda event: event.event == "event" and event.json()["type"].endswith("became_idle.v1"),
        **of,
        watch=[session["id"]],
        after=str(session["last_sequence"]),
        rows=True,
    )
    api("postMessage", {"text": "Take your time"}, **of)
    api.until(lambda one: one["status"] == "running", "getSession", **of)
    last = {"Last-Event-ID": str(session["last_sequence"])}
    api.stream(lambda: None, lambda event: event.event == "answer", **of, agent_id=AGENT, **last)
    api("listStuck", older_than_s=60, **of)
    api("getActivity", window_s=300)
    api("interruptSession", **of)
    world.model.release()
    failed, turn = said(api, "wrong key once")
    ended(api, failed, turn)
    api("retrySession", session_id=failed)
    said(api, "without tools")
    adapted = api("listModelAdaptations")["items"][0]
    api("getModelAdaptations", name=adapted["name"])
    api("resetModelAdaptations", name=adapted["name"], label="no_tools")
    api("resetAllModelAdaptations")


def a_person_decides(api: ApiCaller, world: Surroundings) -> None:
    """Approve calls, answer questions, and see what waits."""
    writing = [said(api, "Write the order") for _ in range(2)]
    session, turn = writing[0]
    api.until(lambda page: len(page["items"]) > 1, "listApprovals", agent_id=AGENT)
    api("listApprovals", session_id=session)
    api.until(lambda page: len(page["items"]) > 1, "listWaiting", agent_id=AGENT)
    api("getApproval", waiting_id=turn["approvals"][0]["id"])
    for one, waits in writing:
        api("answerApproval", {"decision": "once"}, waiting_id=waits["approvals"][0]["id"])
        ended(api, one, waits)
    api("getCall", session_id=session, call_id=turn["approvals"][0]["call_id"])
    api("getTrace", session_id=session, limit=3)
    asking = [said(api, "Which tea do I want?") for _ in range(2)]
    (first, turn), (second, other) = asking
    api.until(lambda page: len(page["items"]) > 1, "listQuestions", agent_id=AGENT)
    api("listQuestions", session_id=first)
    api("getQuestion", waiting_id=turn["questions"][0]["id"])
    api("answerQuestion", {"answer": "Green"}, waiting_id=turn["questions"][0]["id"])
    ended(api, first, turn)
    answer = {"call_id": other["questions"][0]["call_id"], "response": {"answer": "Black"}}
    api("postToolResponse", answer, session_id=second)


def files(api: ApiCaller, world: Surroundings) -> None:
    """Send a file, change it, and fetch a picture."""
    session = api("createSession", {"agent_id": AGENT})["id"]
    sent = api("uploadFiles", {"file": ["milk\neggs\n", "tea\n"], "scope": "session", "session_id": session})
    file = sent["items"][0]["file_id"]
    of = {"agent_id": AGENT, "file_id": file}
    api("listFiles", agent_id=AGENT, session_id=session)
    api("listFiles", agent_id=AGENT, scope="session", prefix="file-")
    api("listFileVersions", **of)
    api("getFile", **of)
    api("getFileContent", file_id=file)
    tag = f'"{sent["items"][0]["sha256"]}"'
    api("putFileContent", "milk\neggs\ntea\n", file_id=file, **{"if-match": tag})
    api("renameFile", {"path": "shopping.txt"}, **of)
    api("listFileVersions", **of, limit=2)
    api("getFileVersion", **of, version=1)
    api("getFileContent", file_id=file, version=1)
    api("promoteFile", **of)
    api("revertFile", {"version": 1}, **of)
    api("deleteFile", **of, version=api("getFile", **of)["version"])
    picture = f"{world.pictures}/teapot.png"
    api("loadPicture", {"url": picture}, session_id=session)
    api("findPicture", session_id=session, url=picture)


def browser(api: ApiCaller, world: Surroundings) -> None:
    """Take over the browser of an agent, and keep the login."""
    session, turn = said(api, "Order at the shop")
    call = turn["questions"][0]["call_id"]
    of = {"session_id": session, "call_id": call}
    view = api.until(lambda one: one["image"], "lookAtBrowser", **of, viewer="page-1")
    api("lookAtBrowser", **of, viewer="page-1", after=view["version"] - 1)
    click = {"type": "mouse", "action": "down", "x": 100, "y": 20}
    api(
        "postBrowserInputs",
        {"inputs": [click, {**click, "action": "up"}, {"type": "text", "text": "secret"}]},
        **of,
    )
    api("endHandOver", {"done": True, "keep_login": True}, **of)
    ended(api, session, turn)
    site = api.until(lambda page: page["items"], "listSiteLogins", agent_id=AGENT)["items"][0]["site"]
    api("getSiteLogin", agent_id=AGENT, site=site)
    api("forgetSiteLogin", agent_id=AGENT, site=site)
