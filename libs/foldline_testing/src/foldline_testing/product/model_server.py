"""A scripted model over real HTTP, in a thread of its own, for tests that are not asynchronous."""

from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from anyio.from_thread import BlockingPortal, start_blocking_portal

from demo_model.recording import RequestRecording
from demo_model.server import DemoModel

MODEL = "openai/scripted"


class ModelServer:
    """Plays a script (plain data, see `demo_model.script`) from `with` to its end, always on one port."""

    def __init__(self, script: dict[str, Any], port: int = 0) -> None:
        self._script = script
        self._port = port
        self._running = ExitStack()
        self._served: tuple[BlockingPortal, DemoModel] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Be reachable. What it was asked before it was stopped is forgotten."""
        portal = self._running.enter_context(start_blocking_portal())
        playing = DemoModel(self._script, port=self._port)
        model = self._running.enter_context(portal.wrap_async_context_manager(playing))
        self._served, self._port = (portal, model), model.port

    def stop(self) -> None:
        """Be unreachable until it is started again."""
        self._served = None
        self._running.close()

    def play(self, script: dict[str, Any]) -> None:
        """Another script from now on."""
        self._script = script
        portal, model = self._serving()
        portal.call(model.play, script)

    @property
    def base_url(self) -> str:
        """What FOLDLINE_MODEL_BASE_URL is to be."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def recording(self) -> RequestRecording:
        """What it was asked."""
        return self._serving()[1].recording

    def environment(self) -> dict[str, str]:
        """The settings by which Foldline uses this model."""
        return {
            "FOLDLINE_MODEL": MODEL,
            "FOLDLINE_MODEL_BASE_URL": self.base_url,
            "FOLDLINE_MODEL_API_KEY": "sk-scripted",
        }

    def release(self) -> None:
        """Let answers that a `hold` fault stopped go on; later ones are stopped again."""
        portal, model = self._serving()
        portal.call(model.release)

    def _serving(self) -> tuple[BlockingPortal, DemoModel]:
        assert self._served is not None, "the scripted model is not running"
        return self._served
