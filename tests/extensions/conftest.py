"""Extensions as other people have them: made by `foldline new`, installed from wheels, beside the product."""

import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import pytest

from foldline.kit.making import EXAMPLES, make

NAMES: Mapping[str, str] = {kind: f"our{kind}" for kind in EXAMPLES} | {
    "condition": "name",
    "chat-channel": "ourchat",
}
"""What they are called; the condition is about the argument `name` of the pack's tool."""
BROKEN = "foldline_broken"
_BROKEN_PROJECT = """
[project]
name = "foldline-broken"
version = "2.0"

[project.entry-points."foldline.tools"]
brokenpack = "foldline_broken.missing"

[project.entry-points."foldline.services"]
brokenservice = "foldline_broken:SERVICE"
missingservice = "foldline_broken.missing:SERVICE"
brokenchat = "foldline_broken:CHAT"

[project.entry-points."foldline.channels"]
brokenchannel = "foldline_broken:CHANNEL"

[project.entry-points."foldline.providers"]
brokenprovider = "foldline_broken:PROVIDER"

[project.entry-points."foldline.conditions"]
brokencondition = "foldline_broken.missing:CONDITION"

[project.entry-points."foldline.blocks"]
brokenblock = "foldline_broken:TEXT"

[project.entry-points."foldline.doors"]
brokendoor = "foldline_broken.missing:DOOR"

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
"""
_BROKEN_CODE = """
from typing import Annotated

from agent_contracts.channels.kind import ChannelKind, ChannelTarget
from agent_contracts.form_inputs import declared
from agent_domain.model_providers import ModelProvider
from agent_platform.services.reaction import reacting_service
from agent_tools.chats.channel import chat_channel


class Target(ChannelTarget, frozen=True, kw_only=True, tag="brokenchannel"):
    number: Annotated[str, declared("Number")]


SERVICE = reacting_service("brokenservice", "foldline_broken.missing:serve")
CHAT = chat_channel("brokenchat", "foldline_broken.missing:serve")
CHANNEL = ChannelKind(
    shape=Target, title="B", noun="b", leads_to=("number",), sender="foldline_broken.missing:Sender"
)
PROVIDER = ModelProvider("Broken", interface="foldline_broken.missing:INTERFACE")
TEXT = "no block"
"""


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """One of each kind, by kind."""
    folder = tmp_path_factory.mktemp("made")
    for kind, name in NAMES.items():
        make(kind, name, folder / kind)
    return {kind: folder / kind for kind in NAMES}


@pytest.fixture(scope="session")
def wheels(made: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """Their wheels, by kind; `broken` is one of which nothing can be used."""
    folder = tmp_path_factory.mktemp("wheels")
    broken = folder / "broken"
    (broken / BROKEN).mkdir(parents=True)
    (broken / "pyproject.toml").write_text(_BROKEN_PROJECT)
    (broken / BROKEN / "__init__.py").write_text(_BROKEN_CODE)
    built = {}
    for kind, source in {**made, "broken": broken}.items():
        target = folder / f"{kind}-wheel"
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
        subprocess.run(command, cwd=source, check=True, capture_output=True, timeout=120)
        [built[kind]] = target.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def python(wheels: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The Python of another environment, that has all wheels, and the product beside them."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=120)
    found = str(folder / "bin" / "python")
    [site] = (folder / "lib").glob("python*/site-packages")
    (folder / "bin" / "nats-server").symlink_to(Path(sys.executable).with_name("nats-server"))
    product = sysconfig.get_path("purelib")
    (site / "product.pth").write_text(f"import site; site.addsitedir({product!r})\n")
    install = ["install", "--no-deps", "--no-index", "--no-compile", "--target", str(site)]
    subprocess.run(
        [sys.executable, "-m", "pip", *install, *map(str, wheels.values())],
        check=True,
        capture_output=True,
        timeout=300,
    )
    return found
