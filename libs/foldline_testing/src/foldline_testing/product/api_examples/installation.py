"""The story's part of the installation: wakes, the inbox, notifications, tokens, operating."""

import asyncio
import base64
import json
from typing import Any

import httpx

from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.product.api_examples.caller import ApiCaller
from foldline_testing.product.api_examples.sessions import AGENT
from foldline_testing.product.api_examples.surroundings import Surroundings
from foldline_testing.product.waking_service import waking_service


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def wakes(api: ApiCaller, world: Surroundings) -> None:
    """Services wake the agent, or leave something in its inbox."""
    api("createWakeCredentials", {"name": "orders", "agents": [AGENT], "rate": 60})
    api("listWakeCredentials")
    api("getWakeCredentials", name="orders")
    api("getWakeUsers")
    event = {
        "specversion": "1.0",
        "id": "order-7",
        "source": "/orders",
        "type": "order",
        "subject": f"agent/{AGENT}",
        "priority": "now",
        "data": {"message": "An order came in: 7 teapots"},
    }
    api("wake", event)
    for number in (1, 2):
        later = {"agent_id": AGENT, "text": f"Delivery {number} came", "priority": "later", "source": "door"}
        api("leaveInInbox", later)
    left = api.until(lambda page: len(page["items"]) > 1, "listInbox", agent_id=AGENT)["items"]
    first, second = ({"agent_id": AGENT, "inbox_id": one["id"]} for one in left[:2])
    api("getInboxWake", **first)
    session = api("createSession", {"agent_id": AGENT})["id"]
    api("handInboxWake", {"session_id": session}, **first)
    api("dismissInboxWake", **second)
    dead_letters(api, world)
    api("revokeWakeCredentials", name="orders")


def dead_letters(api: ApiCaller, world: Surroundings) -> None:
    """Wakes that came by NATS to archived sessions: one is retried after its session was opened again."""
    credentials = api("createWakeCredentials", {"name": "by-nats"})
    sessions = [api("createSession", {"agent_id": AGENT})["id"] for _ in range(2)]
    for session in sessions:
        api("archiveSession", session_id=session)
    asyncio.run(_wake_by_nats(world, credentials, sessions))
    letters = api.until(lambda page: len(page["items"]) == len(sessions), "listDeadLetters")["items"]
    api("getDeadLetter", number=letters[0]["number"])
    api("discardDeadLetter", number=letters[0]["number"])
    [reopened] = [one for one in sessions if one in letters[1]["reason"]]
    api("reopenSession", session_id=reopened)
    api("retryDeadLetter", number=letters[1]["number"])


async def _wake_by_nats(world: Surroundings, credentials: dict[str, Any], sessions: list[str]) -> None:
    async with waking_service(world.stack, credentials) as client:
        for session in sessions:
            to = {"subject": f"session/{session}", "data": {"message": "An order came in"}}
            wake = {"specversion": "1.0", "id": session, "source": "/orders", "type": "order", **to}
            await client.request("wake.by-nats.order", json.dumps(wake).encode())


def notifications(api: ApiCaller, world: Surroundings) -> None:
    """Channels, and what holds for all of them."""
    api("putNotificationChannel", {"target": {"kind": "webhook", "url": f"{world.web}/hook"}}, name="my-hook")
    api("getNotificationChannel", name="my-hook")
    api("testNotificationChannel", name="my-hook")
    api("getPushKey")
    push = {
        "kind": "web_push",
        "endpoint": "https://push.example/abc",
        "p256dh": _text(b"\4" + b"\1" * 64),
        "auth": _text(b"\1" * 16),
        "browser": "Firefox on Linux",
    }
    api("subscribePush", push)
    quiet = {"begins": "22:00", "ends": "07:00", "timezone": "Europe/Oslo"}
    api("changeNotificationPreferences", {"quiet": quiet, "show_text": True})
    api("getNotificationPreferences")
    api("getNotifications")
    api("deleteNotificationChannel", name="my-hook")


def chats(api: ApiCaller, world: Surroundings) -> None:
    """Somebody writes from another program: they are told a code, and a person allows them by it."""
    world.people.write(7, "Is there tea?")
    api.until(lambda page: page["items"], "listChatChannels")
    partner = api.until(lambda page: page["items"], "listChatPartners")["items"][0]
    of = {"partner_id": partner["id"]}
    api("getChatPartner", **of)
    api("allowChatPartner", {"code": partner["code"], "agent_id": AGENT}, **of)
    api("removeChatPartner", **of)


def operating(api: ApiCaller, world: Surroundings) -> None:
    """Who works and what it costs; logins and tokens; what could not be handled."""
    for operation in ("healthz", "readyz", "metrics", "getRunners"):
        api(operation)
    api("listCosts", days=7, timezone="Europe/Oslo")
    api("listCosts", agent_id=AGENT)
    api("getSpending", agent_id=AGENT)
    api("createProgramToken", {"name": "editor", "agent_id": AGENT, "rights": ["read", "say"]})
    api("listProgramTokens", agent_id=AGENT)
    api("getProgramToken", name="editor")
    api("revokeProgramToken", name="editor")
    with httpx.Client(base_url=world.stack.url, verify=NO_TLS) as page:
        page.get(world.stack.link, follow_redirects=True)
    logins = api("listLogins")["items"]
    api("getLogin", login_id=logins[0]["id"])
    api("revokeLogin", login_id=logins[0]["id"])
    api("revokeLogins")
