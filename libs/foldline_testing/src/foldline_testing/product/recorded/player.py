"""What people do in a story, through the API, and what they see of it."""

import time
from collections.abc import Callable
from typing import Any

from foldline.cli.client import Gateway
from foldline_testing.product.model_server import ModelServer

_PATIENCE_S = 60.0
_POLL_S = 0.02
_QUIET_S = 0.4
_PAGE = 200
_TOKENS = 1_000_000
MAIN = "session"
"""The label of a story's first session."""

State = dict[str, Any]


class Player:
    """Plays one story with an agent of its own. Every request has a key, so that ids are the same each time.

    `sessions` are those to keep, by their labels; `pages` what a person saw of each as they looked.
    """

    def __init__(self, story: str, door: Gateway, model: ModelServer) -> None:
        self.story = story
        self.door = door
        self._model = model
        self._requests = 0
        self.sessions: dict[str, str] = {}
        self.pages: dict[str, list[Any]] = {}
        door.post("/agents", {"id": story, "name": "Recorded"}, self._key())

    def begin(self, text: str, label: str = MAIN, **more: Any) -> str:
        """A new session in which this is said; its id."""
        asked = {"message": text, "agent_id": self.story, "token_limit": _TOKENS, **more}
        created = self._post("/sessions", asked)
        return self.keep(created["id"], label)

    def keep(self, session: str, label: str) -> str:
        """Record this session too."""
        self.sessions[label] = session
        self.look(session)
        return session

    def say(self, session: str, text: str) -> None:
        """Say something."""
        self._post(f"/sessions/{session}/messages", {"text": text})

    def send(self, session: str, text: str, path: str) -> None:
        """Say something, and send a file that is in the session's workspace."""
        found = self.door.get(f"/agents/{self.story}/files", session_id=session)["items"]
        sent = [one["file_id"] for one in found if one["path"] == path]
        self._post(f"/sessions/{session}/messages", {"text": text, "files": sent})

    def answer(self, session: str, response: Any, which: int = 0) -> None:
        """Answer the open question, or the `which`-th of several."""
        question = self.state(session)["open_calls"][which]["call_id"]
        self._post(f"/sessions/{session}/tool-responses", {"call_id": question, "response": response})

    def settle(self, session: str, call_id: str, *, happened: bool, note: str) -> None:
        """Say what became of a call whose outcome is unknown."""
        self._post(f"/outcomes/{session}/{call_id}:settle", {"happened": happened, "note": note})

    def do(self, session: str, what: str, **body: Any) -> Any:
        """Act on a session: interrupt, continue, archive, fork, rewind, replay."""
        return self._post(f"/sessions/{session}:{what}", body or None)

    def change(self, session: str, **body: Any) -> Any:
        """Change its title, whether it is pinned, or its thinking."""
        return self.door.patch(f"/sessions/{session}", body, self._key())

    def state(self, session: str) -> State:
        """The session as the engine folds it now."""
        state: State = self.door.get(f"/sessions/{session}/state")
        return state

    def last(self, session: str) -> int:
        """The sequence of its last event."""
        return int(self.state(session)["last_sequence"])

    def last_of(self, session: str, kind: str) -> int:
        """The sequence of its last event of a kind."""
        found = self.door.get(f"/sessions/{session}/events", limit=1000, type=kind)["items"]
        return int(found[-1]["sequence"])

    def until(self, session: str, is_so: Callable[[State], bool]) -> State:
        """The session's state once this is so of it."""
        deadline = time.monotonic() + _PATIENCE_S
        while not is_so(state := self.state(session)):
            self._check(deadline, f"{session} is {state['status']}: {state['messages'][-2:]}")
        return state

    def settled(self, session: str, status: str = "idle") -> State:
        """The session once it has this status, has read everything, and nothing more comes of it."""
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            state = self.until(session, lambda now: now["status"] == status and not now["queue"])
            time.sleep(_QUIET_S)
            if self.last(session) == state["last_sequence"]:
                self.look(session)
                return state
            self._check(deadline, f"{session} does not come to rest")

    def look(self, session: str) -> None:
        """Keep what a person sees of the session now: the newest page of its messages."""
        page = self.door.get(f"/sessions/{session}/messages", limit=_PAGE, min_sequence=self.last(session))
        self.pages.setdefault(session, []).append(page)

    def held(self) -> None:
        """Return when the model holds back the rest of an answer."""
        deadline = time.monotonic() + _PATIENCE_S
        while not self._model.recording.held:
            self._check(deadline, "the model holds nothing back")

    def release(self) -> None:
        """Let the model go on."""
        self._model.release()

    def _post(self, path: str, body: Any = None) -> Any:
        return self.door.post(path, body, self._key())

    def _key(self) -> str:
        self._requests += 1
        return f"recorded-{self.story}-{self._requests}"

    def _check(self, deadline: float, problem: str) -> None:
        if time.monotonic() > deadline:
            raise TimeoutError(f"story {self.story}: {problem}")
        time.sleep(_POLL_S)  # sleeps: poll
