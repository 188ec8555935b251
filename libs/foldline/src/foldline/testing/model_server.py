"""A scripted model over real HTTP, in a thread of its own, for tests that are not asynchronous."""

import asyncio
import threading
from types import TracebackType
from typing import Any, Self

from foldline.demo_model.recording import Recording
from foldline.demo_model.server import DemoModel

_START_S = 10
MODEL = "openai/scripted"


class ModelServer:
    """Plays a script (plain data, see `demo_model.script`) from `with` to its end."""

    def __init__(self, script: dict[str, Any], port: int = 0) -> None:
        self._script = script
        self._port = port
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._end = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="model-server", daemon=True)
        self._model: DemoModel | None = None
        self._base_url = ""
        self._error: BaseException | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(_START_S):
            raise RuntimeError("the scripted model did not start")
        if self._error is not None:
            raise self._error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Be unreachable from now on."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._end.set)
            self._thread.join(_START_S)

    @property
    def base_url(self) -> str:
        """What FOLDLINE_MODEL_BASE_URL is to be."""
        return self._base_url

    @property
    def recording(self) -> Recording:
        """What it was asked."""
        assert self._model is not None
        return self._model.recording

    def environment(self) -> dict[str, str]:
        """The settings by which Foldline uses this model."""
        return {
            "FOLDLINE_MODEL": MODEL,
            "FOLDLINE_MODEL_BASE_URL": self.base_url,
            "FOLDLINE_MODEL_API_KEY": "sk-scripted",
        }

    def release(self) -> None:
        """Let answers that a `hold` fault stopped go on; later ones are stopped again."""
        assert self._model is not None
        self._loop.call_soon_threadsafe(self._model.release)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        except BaseException as error:  # handed to whoever waits for the start
            self._error = error
            self._ready.set()
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        async with DemoModel(self._script, port=self._port) as model:
            self._model, self._base_url = model, model.base_url
            self._ready.set()
            await self._end.wait()
