"""The stages of a three-tool turn at which a process can be killed."""

from pathlib import Path

from foldline_testing.product.chaos.faults import OnEvent, StopPoint

STOP_POINTS = {
    "engine.received": 7,
    "engine.deciding": 7,
    "engine.decided": 7,
    "engine.offered": 5,
    "model.received": 2,
    "model.streaming": 8,
    "model.answered": 2,
    "model.offering": 2,
    "model.recorded": 2,
    "runner.received": 3,
    "runner.claimed": 1,
    "runner.ran": 3,
    "runner.offering": 3,
    "runner.recorded": 3,
    "projector.read": 1,
    "projector.written": 1,
    "projector.committed": 1,
    "gateway.appended": 2,
}
"""Every stop point, and how often a session's first turn comes by at least."""

SERVERS = ("nats", "postgres")

EVENTS = (
    "created",
    "user_message",
    "turn_started",
    "model_call_requested",
    "model_call_completed",
    "tool_call_requested",
    "call_claimed",
    "tool_call_completed",
)
"""What a server can be killed at: as the event of this kind is published, before or while it is stored."""


def stop(folder: Path, point: str, repetition: int = 0) -> StopPoint:
    """A stop point; each repetition strikes the next time that a turn comes by, as far as it does."""
    return StopPoint(folder, point, 1 + repetition % STOP_POINTS[point])


def kill(server: str, kind: str, repetition: int = 0) -> OnEvent:
    """A server's kill; where a turn has several events of a kind, each repetition takes the next."""
    several = {"model_call_requested": 2, "model_call_completed": 2, "tool_call_requested": 3}
    return OnEvent(server, kind, 1 + repetition % several.get(kind, 1))
