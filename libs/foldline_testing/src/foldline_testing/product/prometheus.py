"""A real Prometheus that scrapes a running Foldline by the configuration that is shipped, only more often."""

import re
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import pytest

from agent_platform.services.embedded.ports import free_port
from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.product.debian_programs import ROOT, program
from foldline_testing.product.stack import Stack

DEPLOY = ROOT / "deploy"
_EACH = "5s"
"""Longer than the gateway waits for a store that hangs."""
_PATIENCE_S = 60.0

needs_prometheus = pytest.mark.skipif(
    program("prometheus") is None, reason="no Prometheus: make .make/prometheus"
)


class Prometheus:
    """One that keeps its data in `folder`, from `with` to its end."""

    def __init__(self, stack: Stack, folder: Path) -> None:
        self._stack = stack
        self._folder = folder
        self._port = free_port()
        self._client = httpx.Client(base_url=f"http://127.0.0.1:{self._port}/api/v1", verify=NO_TLS)

    def __enter__(self) -> Self:
        folder, stack = self._folder, self._stack
        for file in ("prometheus.yml", "foldline-rules.yml"):
            shutil.copy(DEPLOY / "prometheus" / file, folder)
        config = (folder / "prometheus.yml").read_text()
        config = re.sub(r"(scrape_interval|scrape_timeout|evaluation_interval): \w+", rf"\1: {_EACH}", config)
        (folder / "prometheus.yml").write_text(config.replace("127.0.0.1:8420", stack.url.partition("//")[2]))
        (folder / "token").write_text(stack.token)
        with (folder / "said").open("wb") as said:
            self._running = subprocess.Popen(
                [
                    str(program("prometheus")),
                    f"--config.file={folder}/prometheus.yml",
                    f"--storage.tsdb.path={folder}/data",
                    f"--web.listen-address=127.0.0.1:{self._port}",
                ],
                stdout=said,
                stderr=said,
            )
        try:
            deadline = time.monotonic() + _PATIENCE_S
            while not self._has_scraped():
                assert time.monotonic() < deadline, (folder / "said").read_text()
                time.sleep(0.2)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        self._client.close()
        self._running.terminate()
        self._running.wait(20)

    def asked(self, path: str, **params: str) -> Any:
        """What its API answers; nothing while it reads its own data in."""
        answer = self._client.get(path, params=params)
        nothing: dict[str, list[Any]] = {"result": [], "alerts": []}
        return nothing if answer.status_code == 503 else answer.json().get("data", nothing)

    def alerts(self) -> set[str]:
        """The alerts whose condition holds: those that fire, and those whose time of waiting goes on."""
        return {one["labels"]["alertname"] for one in self.asked("/alerts")["alerts"]}

    def _has_scraped(self) -> bool:
        try:
            return bool(self.asked("/query", query='up{job="foldline"} == 1')["result"])
        except httpx.TransportError:
            return False
