"""What we change in litellm and openai, and what we read of them: with one version of each."""

import importlib
import re
import tomllib
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from model_caller.providers import patches
from model_caller.providers.loading import litellm_module

MEMBER = Path(__file__).parents[1]
LOCK = MEMBER.parents[1] / "requirements.lock"


def test_the_pins_the_lock_the_installed_versions_and_the_module_agree() -> None:
    project = tomllib.loads((MEMBER / "pyproject.toml").read_text())["project"]
    pinned = project["optional-dependencies"]["litellm"]
    locked = set(re.findall(r"^(\S+==\S+)", LOCK.read_text(), re.MULTILINE))
    for package, known in patches.VERSIONS.items():
        assert metadata.version(package) == known
        assert f"{package}=={known}" in pinned
        assert f"{package}=={known}" in locked


@pytest.mark.parametrize("package", list(patches.VERSIONS))
def test_with_another_version_nothing_starts(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = {**patches.VERSIONS, package: "9.9.9"}
    monkeypatch.setattr(patches, "version", installed.__getitem__)
    with pytest.raises(patches.NotAsExpected, match=rf"^{package} 9\.9\.9 is installed.*requirements\.lock"):
        patches.check_versions()


def test_another_signature_is_not_patched(monkeypatch: pytest.MonkeyPatch) -> None:
    litellm_module()
    completions = importlib.import_module("openai.resources.chat.completions.completions")

    async def renamed(body: Any, expected: object) -> Any: ...

    for other in (renamed, None):
        monkeypatch.setattr(completions, "async_maybe_transform", other)
        with pytest.raises(patches.NotAsExpected, match="async_maybe_transform"):
            patches.send_as_given()
        assert vars(completions)["async_maybe_transform"] is other


def test_another_reader_is_not_patched(monkeypatch: pytest.MonkeyPatch) -> None:
    litellm_module()
    stream = importlib.import_module("openai._streaming").AsyncStream

    async def renamed(self: Any, more: object) -> Any: ...

    for other in (renamed, None):
        monkeypatch.setattr(stream, "_iter_events", other)
        with pytest.raises(patches.NotAsExpected, match="_iter_events"):
            patches.read_any_shape()
        assert stream._iter_events is other


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("close_litellm_async_clients", None),
        ("in_memory_llm_clients_cache", object()),
        ("acompletion", lambda **arguments: None),
    ],
)
def test_a_litellm_that_lacks_what_is_used_is_refused(
    name: str, other: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    litellm = litellm_module()
    patches.check_litellm(litellm)
    monkeypatch.setattr(litellm, name, other)
    if name == "acompletion":
        monkeypatch.setattr(litellm, "completion", other)
    with pytest.raises(patches.NotAsExpected, match=name.removeprefix("a")):
        patches.check_litellm(litellm)


def test_an_answer_of_another_shape_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    litellm = litellm_module()
    real = litellm.completion

    class Answer(SimpleNamespace):
        def __iter__(self) -> Any:
            return iter(())

    def completion(**_: object) -> Answer:
        return Answer(received_finish_reason=None, chunks=[])

    completion.__wrapped__ = real  # type: ignore[attr-defined]
    monkeypatch.setattr(litellm, "completion", completion)
    with pytest.raises(patches.NotAsExpected, match="_response_headers"):
        patches.check_litellm(litellm)
