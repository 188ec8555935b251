"""A chat with a real server of models, and what its log says of it."""

from typing import Any

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn


class RealChat:
    """One session with the model, one message after the other."""

    def __init__(self, door: Gateway) -> None:
        self.turn = ChatTurn(door, None)
        self.passing: list[str] = []
        """The status lines that the newest answer came with, such as *Reading the prompt, 40 %*."""
        self._door = door

    def say(self, text: str) -> list[str]:
        """Say it and wait until the session settles: the pieces of the answer as they came."""
        self.turn.say(text)
        pieces = [*self.turn.pieces()]
        self.passing = [piece.text for piece in pieces if piece.passing and piece.text]
        return [piece.text for piece in pieces if piece.answer]

    def events(self, kind: str) -> list[dict[str, Any]]:
        """The bodies of this chat's events of one kind, oldest first."""
        named = f"foldline.session.{kind}.v1"
        path = f"/sessions/{self.turn.session_id}/events"
        return [one["body"] for one in self._door.get(path, limit=500)["items"] if one["type"] == named]

    def replays(self) -> None:
        """The log says what happened, down to each request."""
        report = self._door.post(f"/sessions/{self.turn.session_id}:replay", {"mode": "strict"})
        assert report["difference"] is None
