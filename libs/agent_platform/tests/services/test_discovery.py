"""Somebody else's service that can't be used is left out; one of Foldline's own is refused."""

from collections.abc import Iterator
from importlib.metadata import Distribution, EntryPoint
from pathlib import Path

import pytest

from agent_contracts.errors import Rejected
from agent_contracts.extensions import BROKEN
from agent_contracts.service_names import OURS
from agent_platform.services import discovery
from agent_platform.services.discovery import GROUP, discover
from agent_platform.services.reaction import reacting_service
from agent_platform.settings.shared import ServiceSettings

ENGINE = reacting_service("engine", "a.b:serve")
FALSE_ENGINE = reacting_service("engine", "c.d:serve")
OTHER = reacting_service("other", "a.b:serve")
ADMIN = reacting_service("admin", "a.b:serve")
TEXT = "no service"


class OwnSettings(ServiceSettings):
    """One that is Foldline's, too, but another."""

    host: str = "0.0.0.0"


HOST = reacting_service("host", "a.b:serve", settings=OwnSettings)


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    yield
    BROKEN.clear()


def _module(name: str, value: str) -> str:
    return OURS[name] if name in OURS and value != "FALSE_ENGINE" else __name__


def installed(monkeypatch: pytest.MonkeyPatch, **points: str) -> None:
    found = [EntryPoint(name, f"{_module(name, value)}:{value}", GROUP) for name, value in points.items()]
    monkeypatch.setattr(discovery, "entry_points", lambda group: found)
    monkeypatch.setattr(EntryPoint, "load", lambda point: globals()[point.value.partition(":")[2]])


def test_those_of_others_that_are_none_or_take_a_name_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(
        monkeypatch,
        engine="ENGINE",
        other="OTHER",
        text="TEXT",
        admin="ADMIN",
        gone="GONE",
        another="OTHER",
        host="HOST",
    )
    assert [one.name for one in discover()] == ["engine", "other"]
    assert {name for _, name in BROKEN} == {"text", "admin", "gone", "another", "host"}
    assert "declares the setting host in another way than engine" in BROKEN["service", "host"].why
    assert "does not declare a service" in BROKEN["service", "text"].why
    assert "NATS user" in BROKEN["service", "admin"].why or "nats user" in BROKEN["service", "admin"].why


def test_one_that_takes_the_name_of_foldlines_is_left_out_and_foldlines_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    info = tmp_path / "foldline_pigeon-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.4\nName: foldline-pigeon\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\nengine = {__name__}:FALSE_ENGINE\n")
    (theirs,) = Distribution.at(info).entry_points
    ours = EntryPoint("engine", "session_engine.service:ENGINE", GROUP)
    monkeypatch.setattr(discovery, "entry_points", lambda group: [theirs, ours])
    monkeypatch.setattr(EntryPoint, "load", lambda point: globals()[point.value.partition(":")[2]])
    assert discover() == [ENGINE]
    assert discovery.installed("engine") == ENGINE
    assert str(BROKEN["service", "engine"]) == (
        "service engine (foldline-pigeon 1.0): Foldline has a service engine itself: rename it"
    )


def test_without_one_of_its_own_nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, engine="TEXT", other="OTHER")
    with pytest.raises(Rejected, match="does not declare a service"):
        discover()
