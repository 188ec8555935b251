"""The list of models that comes with Foldline, and the script that makes it."""

import importlib.util
import json
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from agent_domain.model_providers import model_providers
from model_caller.choosing.target import ModelTarget
from model_caller.pricing import listed_models
from model_caller.pricing.listed_models import LIST, ListedModel, listed_model
from model_caller.pricing.prices import Prices
from model_caller.providers.loading import is_installed
from model_caller.providers.model_limits import ModelLimits, listed_limits

SCRIPT = Path(__file__).parents[3] / "scripts" / "update-prices"
LARGEST = 400_000
ENTRY: dict[str, Any] = {
    "litellm_provider": "groq",
    "mode": "chat",
    "max_input_tokens": 1000,
    "max_output_tokens": 100,
    "input_cost_per_token": 1.5e-07,
    "output_cost_per_token": 6e-07,
    "supports_vision": True,
}


@pytest.fixture(scope="module")
def script() -> ModuleType:
    loader = SourceFileLoader("update_prices", str(SCRIPT))
    spec = importlib.util.spec_from_loader("update_prices", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_the_file_is_what_the_script_makes_of_the_locked_litellm(script: ModuleType) -> None:
    if not is_installed():
        pytest.skip("litellm isn't installed here")
    assert LIST.read_text(encoding="utf-8") == script.text_of(script.listed(script.litellms_list(None)))


def test_its_values_are_sane_and_it_is_small() -> None:
    data = LIST.read_bytes()
    models = msgspec.json.decode(data, type=dict[str, ListedModel])
    assert len(data) < LARGEST
    assert len(data.splitlines()) == len(models) + 2, "a line each"
    assert [*models] == sorted(models)
    for name, one in models.items():
        known = model_providers()[name.partition("/")[0]]
        assert known.interface != "litellm"
        assert one.window is None or 256 <= one.window <= 20_000_000, name
        assert one.input is None or 0 <= one.input < 1_000, name
        assert one.output is None or 0 <= one.output < 5_000, name


@pytest.mark.parametrize("model", [one.model for one in model_providers().values() if one.model])
def test_each_usual_model_has_a_window_and_a_price(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed_models, "_litellms", dict)
    entry = listed_model(model)
    assert entry is not None
    assert entry.window is not None
    assert Prices().of(ModelTarget(model)) is not None


def test_a_model_that_is_not_listed_is_looked_up_in_litellms_list(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {"bedrock/x": ENTRY | {"litellm_provider": "bedrock"}, "y": ENTRY | {"litellm_provider": "zz"}}
    raw = {name: msgspec.Raw(json.dumps(entry).encode()) for name, entry in entries.items()}
    monkeypatch.setattr(listed_models, "_litellms", lambda: raw)
    listed_models._by_litellm.cache_clear()
    assert listed_limits("bedrock/x") == listed_limits("zz/y") == ModelLimits(1000, 100)
    assert listed_limits("other/y") == ModelLimits()
    listed_models._by_litellm.cache_clear()


def test_the_script_says_what_came_went_and_changed_and_writes_a_list_that_can_be_read(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old, file, made = {"groq/a": ENTRY, "groq/b": ENTRY}, tmp_path / "list.json", tmp_path / "models.json"
    monkeypatch.setattr(script, "LIST", made)

    def run(entries: dict[str, Any], *options: str) -> list[str]:
        file.write_text(json.dumps(entries))
        monkeypatch.setattr(sys, "argv", ["update-prices", str(file), *options])
        script.main()
        return capsys.readouterr().out.splitlines()

    run(old)
    dearer = ENTRY | {"output_cost_per_token": 7e-07}
    new = {"c": ENTRY, "groq/b": dearer, "groq/i": ENTRY | {"mode": "image"}, "z": {"litellm_provider": "zz"}}
    with pytest.raises(SystemExit, match="True"):
        run(new, "--check")
    before = made.read_text()
    said = capsys.readouterr().out.splitlines()
    assert [one[:8] for one in said] == ["+ groq/c", "- groq/a", "~ groq/b", "2 models"]
    assert '"output":0.6' in said[2]
    assert '"output":0.7' in said[2]
    assert made.read_text() == before, "a check writes nothing"
    run(new)
    assert [line.partition(":")[0] for line in made.read_text().splitlines()] == [
        "{",
        '"groq/b"',
        '"groq/c"',
        "}",
    ]
    with pytest.raises(SystemExit, match="False"):
        run(new, "--check")
