"""`foldline support` writes what helps to find a fault, and no secret and no text of people and agents."""

import json
import stat
import tarfile
import time
from pathlib import Path
from typing import Any

import pytest

from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack
from foldline_testing.product.stored_texts import around, spelled

MODEL_KEY = "canary-model-key-2c5d9f7a4e"
TOKEN = "canary-gateway-token-b81e44"
SECRET = "canary-secret/+é~7d0c1e5fb2"
TEXT = "witness-text-5f2e88d3a16"
"""What people and agents say, store and name things."""
CODE = f"const a = '{TEXT}'; throw new Error(a + args.x)"


def _call(tool: str, /, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": tool, "arguments": arguments}]}


SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "do it"},
            "turns": [
                _call("set_state", key=f"{TEXT}-key", value=TEXT),
                _call("create_tool", name="witness_text", description=TEXT, code=CODE,
                      parameter_schema={"type": "object", "properties": {"x": {"type": "string"}}}),
                _call("witness_text", x=TEXT),
                _call("fetch_url", url=f"https://127.0.0.1:1/{TEXT}"),
                {"text": TEXT},
            ],
        },
        {
            "when": {"user_contains": "fail"},
            "reply": {"fault": {"kind": "bad_request", "status": 401, "message": f"{TEXT} {MODEL_KEY}"}},
        },
    ]
}  # fmt: skip


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a bundle, by name."""
    folder = tmp_path_factory.mktemp("support")
    data_dir = folder / "data"
    with ModelServer(SCRIPT) as model:
        env = model.environment() | {
            "FOLDLINE_MODEL_API_KEY": MODEL_KEY,
            "FOLDLINE_TOKEN": TOKEN,
            "FOLDLINE_MODEL_RETRIES": "1",
            "FOLDLINE_LOG_LEVEL": "debug",
        }
        foldline = Command(data_dir, folder, {"FOLDLINE_MODEL_API_KEY": MODEL_KEY, "FOLDLINE_TOKEN": TOKEN})
        with Stack(data_dir, env=env) as stack, stack.gateway() as door:
            assert foldline("secrets", "set", "KEY", "--host", "example.org", stdin=SECRET).code == 0
            begun = [door.post("/sessions", {"message": f"{TEXT} {say}"})["id"] for say in ("do it", "fail")]
            deadline = time.monotonic() + 60
            while any(door.get(f"/sessions/{one}")["status"] != "idle" for one in begun):
                assert time.monotonic() < deadline
                time.sleep(0.1)
            door.get(f"/agents/default/state/{TEXT}-key")
            while TEXT not in (data_dir / "logs" / "foldline.log").read_text():
                assert time.monotonic() < deadline, "the log has no text that the bundle could leave out"
                time.sleep(0.1)
            made = foldline("support", str(folder / "bundle.tar.gz"), "--json")
            assert made.code == 0, made.err
            assert stat.S_IMODE((folder / "bundle.tar.gz").stat().st_mode) == 0o600
            again = foldline("support", str(folder / "bundle.tar.gz"))
            assert again.code == 1
    with tarfile.open(folder / "bundle.tar.gz") as found:
        return {
            one.name.removeprefix("foldline-support/"): file.read()
            for one in found.getmembers()
            if (file := found.extractfile(one)) is not None
        }


def test_no_secret_and_no_text_is_in_it(bundle: dict[str, bytes]) -> None:
    everything = b"\n".join(bundle.values())
    for word in (MODEL_KEY, TOKEN, SECRET, TEXT):
        leaks = {
            how: around(everything, coded) for how, coded in spelled(word).items() if coded in everything
        }
        assert leaks == {}, word


def test_what_helps_is_in_it(bundle: dict[str, bytes]) -> None:
    checks = {one["check"]: one["verdict"] for one in json.loads(bundle["doctor.json"])}
    assert checks["gateway"] == "ok"
    settings = {row["name"]: row["value"] for row in json.loads(bundle["config.json"])}
    assert settings["FOLDLINE_MODEL_API_KEY"] not in ("", MODEL_KEY)
    assert json.loads(bundle["about.json"])["packages"]["gateway"]
    assert b"foldline_model_calls_total" in bundle["metrics.txt"]
    assert json.loads(bundle["top.json"])["services"]["engine"] == 1
    lines = [json.loads(line) for line in bundle["logs/foldline.log"].splitlines()]
    (failed,) = [line for line in lines if line["event"] == "model.failed"]
    assert (failed["kind"], failed["level"]) == ("authentication", "warning")
    assert failed["session_id"].startswith("s_")
    paths = {line["path"] for line in lines if line["event"] == "request.answered"}
    assert "/api/v1/agents/…/state/…" in paths
    assert bundle["logs/nats.log"]


def test_it_is_written_too_where_nothing_runs(tmp_path: Path) -> None:
    foldline = Command(tmp_path / "data", tmp_path)
    made = foldline("support", "--json")
    assert made.code == 0, made.err
    assert "not-running.txt" in made.json["parts"]
    assert (tmp_path / made.json["file"]).exists()
