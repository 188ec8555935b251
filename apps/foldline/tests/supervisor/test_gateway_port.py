"""Only a port that nobody named may give way to another."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_contracts.errors import Rejected
from agent_platform.services.embedded.ports import free_port
from agent_platform.settings.loading import AllSettings, load_all
from foldline.settings import UpSettings
from foldline.supervisor.gateway_port import gateway_port


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def settings(tmp_path: Path, environ: dict[str, str], **given: int) -> AllSettings:
    return load_all([UpSettings], environ, folder=tmp_path, **given)


def test_a_port_that_somebody_named_is_used_or_refused(tmp_path: Path, taken: int) -> None:
    free = free_port()
    said: list[tuple[str, str]] = []

    def report(step: str, line: str) -> None:
        said.append((step, line))

    assert gateway_port(settings(tmp_path, {"FOLDLINE_PORT": str(free)}), report) == free
    with pytest.raises(Rejected, match=f"127.0.0.1:{taken} .from env FOLDLINE_PORT"):
        gateway_port(settings(tmp_path, {"FOLDLINE_PORT": str(taken)}), report)
    with pytest.raises(Rejected, match=f"127.0.0.1:{taken} .from --port"):
        gateway_port(settings(tmp_path, {}, port=taken), report)
    (tmp_path / "foldline.toml").write_text(f"port = {taken}")
    with pytest.raises(Rejected, match=r"foldline\.toml"):
        gateway_port(settings(tmp_path, {}), report)
    assert said == []


def test_the_default_port_gives_way_to_the_next_free_one_and_that_is_said(tmp_path: Path, taken: int) -> None:
    everything = settings(tmp_path, {}).but(port=taken)  # as if that were the default
    said: list[tuple[str, str]] = []
    port = gateway_port(everything, lambda step, line: said.append((step, line)))
    assert taken < port < taken + 50
    assert said == [("port", f"{port}, since {taken} is taken; choose another by --port or FOLDLINE_PORT")]
