"""How a person is reached away from the page."""

from typing import Annotated

from fastapi import Path

from agent_contracts.api.notifications import (
    ChangePreferences,
    ForgottenChannel,
    LookReceipt,
    LookReport,
    Notifications,
    PushKey,
    ShownChannel,
    ShownPreferences,
    TestResult,
    WriteChannel,
    WrittenChannel,
)
from agent_contracts.channels.web_push import WebPush
from agent_contracts.entities.notifications import CHANNEL_NAME
from gateway.http.wire.parameters import SessionPath, Using
from gateway.http.wire.resource import resource
from gateway.operations.notifications.notifications import NewChannel

router = resource("notifications")

NamePath = Annotated[
    str, Path(pattern=CHANNEL_NAME, description="Name of the channel: at most 40 of a-z, 0-9 and `-`.")
]


@router.get("/notifications", operation_id="getNotifications")
async def get_notifications(operations: Using) -> Notifications:
    """The channels, how the last attempts went, and the preferences. No credentials."""
    return await operations.notifications.overview()


@router.get("/notifications/preferences", operation_id="getNotificationPreferences")
async def get_preferences(operations: Using) -> ShownPreferences:
    """What holds for all channels."""
    return await operations.notifications.preferences()


@router.patch("/notifications/preferences", operation_id="changeNotificationPreferences")
async def change_preferences(operations: Using, body: ChangePreferences) -> ShownPreferences:
    """Change what holds for all channels: quiet hours, whether messages quote, where links lead."""
    return await operations.notifications.change_preferences(body)


@router.get("/notifications/channels/{name}", operation_id="getNotificationChannel")
async def get_channel(operations: Using, name: NamePath) -> ShownChannel:
    """One channel, and how the last attempt went. No credentials."""
    return await operations.notifications.channel(name)


@router.put("/notifications/channels/{name}", operation_id="putNotificationChannel")
async def put_channel(operations: Using, name: NamePath, body: WriteChannel) -> WrittenChannel:
    """Make a channel, or change it. Its credentials can't be read again."""
    return await operations.notifications.put(NewChannel(name, body.target, body.kinds, body.enabled))


@router.delete("/notifications/channels/{name}", operation_id="deleteNotificationChannel")
async def delete_channel(operations: Using, name: NamePath) -> ForgottenChannel:
    """Forget a channel, and what waits to be sent by it."""
    return await operations.notifications.delete(name)


@router.post("/notifications/channels/{name}:test", operation_id="testNotificationChannel")
async def test_channel(operations: Using, name: NamePath) -> TestResult:
    """Send a test message now, once, whatever the quiet hours; whether it was taken."""
    return await operations.notifications.test(name)


@router.get("/notifications/push-key", operation_id="getPushKey")
async def get_push_key(operations: Using) -> PushKey:
    """The VAPID public key with which a browser subscribes."""
    return await operations.notifications.push_key()


@router.post("/notifications/channels", operation_id="subscribePush")
async def subscribe(operations: Using, body: WebPush) -> WrittenChannel:
    """Send messages to this browser from now on. To end that, delete its channel."""
    return await operations.notifications.subscribe(body)


@router.post("/sessions/{session_id}:look", operation_id="lookAtSession")
async def looking(operations: Using, session_id: SessionPath, body: LookReport) -> LookReceipt:
    """Say that a person has this session before their eyes: for 45 s no notification is sent about it."""
    return await operations.notifications.looking(session_id, body.visible)
