"""`/metrics` has the numbers of all services; a real Prometheus reads it, and checks the rules."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from agent_platform.services.discovery import discover
from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.product.chaos.stage import Stage
from foldline_testing.product.debian_programs import program
from foldline_testing.product.prometheus import DEPLOY, Prometheus, needs_prometheus
from foldline_testing.product.stack import Stack

RUNBOOK = Path(__file__).parents[2] / "docs/operate/runbook.md"
SCRIPT = {
    "rules": [
        {
            "when": {"user_contains": "keep it"},
            "turns": [
                {"tool_calls": [{"name": "set_state", "arguments": {"key": "a", "value": 1}}]},
                {"text": "Kept."},
            ],
        },
        {"reply": {"text": "You said: {{ last_user }}"}},
    ]
}
_NAMES = re.compile(r"\b(?:foldline|process)_[a-z_]+\b")
_NUMBER = re.compile(r"(?P<name>\w+)(?:\{(?P<labels>.*)\})? (?P<value>\S+)")
_PATIENCE_S = 60.0


def page(stack: Stack) -> str:
    answer = httpx.get(
        f"{stack.url}/metrics", headers={"Authorization": f"Bearer {stack.token}"}, timeout=20, verify=NO_TLS
    )
    assert answer.status_code == 200
    return answer.text


def values(text: str, name: str) -> dict[str, float]:
    """By the text of the labels."""
    lines = [line for line in map(_NUMBER.fullmatch, text.splitlines()) if line and line["name"] == name]
    return {line["labels"] or "": float(line["value"]) for line in lines}


def one(text: str, name: str, **labels: str) -> float:
    """The only number of that name with these labels."""
    wanted = [f'{label}="{value}"' for label, value in labels.items()]
    (found,) = [value for said, value in values(text, name).items() if all(word in said for word in wanted)]
    return found


def eventually(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


def say(door: Gateway, text: str) -> None:
    turn = ChatTurn(door, str(door.post("/sessions", {})["id"]))
    turn.say(text)
    for _ in turn.pieces():
        pass
    assert turn.status == "idle"


def test_one_page_has_the_numbers_of_all_services(stack: Stack, door: Gateway) -> None:
    page(stack)  # from now on the tools of packs are known
    say(door, "keep it")
    text = page(stack)
    for service in discover():
        assert one(text, "foldline_service_up", service=service.name) == 1, service.name
    assert one(text, "process_resident_memory_bytes") > 50_000_000
    assert one(text, "foldline_handling_seconds_count", service="engine", consumer="engine") > 0
    assert one(text, "foldline_log_append_seconds_count", service="engine") > 0
    assert one(text, "foldline_sandbox_memory_limit_bytes", service="runner") > 100_000_000
    assert one(text, "foldline_source_up", source="postgres") == 1


def test_model_calls_and_tool_calls_are_counted_with_how_they_ended(stack: Stack, door: Gateway) -> None:
    before = page(stack)
    say(door, "keep it")
    text = page(stack)

    def more(name: str, **labels: str) -> float:
        try:
            return one(text, name, **labels) - one(before, name, **labels)
        except ValueError:  # the first of its kind
            return one(text, name, **labels)

    assert more("foldline_model_calls_total", outcome="completed") == 2
    assert more("foldline_model_call_seconds_count") == 2
    assert more("foldline_model_first_token_seconds_count") == 2
    assert more("foldline_model_tokens_total", direction="output") > 0
    assert more("foldline_tool_calls_total", tool="set_state", ending="completed") == 1
    assert more("foldline_tool_call_seconds_count", tool="set_state") == 1


@pytest.mark.faults
def test_a_service_that_is_dead_is_missing_and_said_to_be_down(processes: Stage) -> None:
    stack = processes.stack
    (projector,) = stack.pids("projector")
    eventually(lambda: "foldline_projection_lag_seconds{" in page(stack), "the projector tells nothing")
    os.kill(projector, signal.SIGSTOP)  # one that dies is started again within the second
    try:
        text = page(stack)
        assert one(text, "foldline_service_up", service="projector") == 0
        assert values(text, "foldline_projection_lag_seconds") == {}
        assert one(text, "foldline_service_up", service="engine") >= 1
    finally:
        os.kill(projector, signal.SIGCONT)
    killed = stack.kill("projector")
    eventually(
        lambda: (
            values(page(stack), "foldline_projection_lag_seconds") != {}
            and not any(f":{pid}" in page(stack) for pid in killed)
        ),
        "the new one is not in the page, or the old one is",
    )
    assert one(page(stack), "foldline_service_up", service="projector") == 1


def named_in_rules_and_dashboard() -> set[str]:
    dashboard = json.loads((DEPLOY / "grafana/foldline.json").read_text())
    shown = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    rules = (DEPLOY / "prometheus/foldline-rules.yml").read_text().splitlines()
    judged = [line for line in rules if "summary" not in line]
    return set(_NAMES.findall("\n".join([*shown, *judged])))


@pytest.fixture(scope="module")
def prometheus(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    with Prometheus(stack, tmp_path_factory.mktemp("prometheus")) as started:
        yield started


@needs_prometheus
def test_a_real_prometheus_has_all_that_rules_and_dashboard_name(
    prometheus: Prometheus, door: Gateway
) -> None:
    say(door, "keep it")
    names = named_in_rules_and_dashboard()
    assert len(names) > 25
    priced = "foldline_model_cost_dollars_total"  # a scripted model has no price

    def missing() -> set[str]:
        return names - {priced} - set(prometheus.asked("/label/__name__/values"))

    eventually(lambda: not missing(), "Prometheus never saw some of them")
    assert priced in prometheus.asked("/metadata")
    groups = prometheus.asked("/rules")["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    eventually(
        lambda: all(
            rule["health"] == "ok"
            for group in prometheus.asked("/rules")["groups"]
            for rule in group["rules"]
        ),
        "a rule can't be evaluated",
    )
    anchors = {
        re.sub(r"[^a-z0-9 -]", "", line.removeprefix("## ").lower()).replace(" ", "-")
        for line in RUNBOOK.read_text().splitlines()
        if line.startswith("## ")
    }
    linked = {rule["annotations"]["runbook_url"].partition("#")[2] for rule in rules}
    assert linked <= anchors
    assert len(linked) > 8


@needs_prometheus
def test_the_rules_and_the_names_are_as_promtool_wants_them(stack: Stack, door: Gateway) -> None:
    say(door, "keep it")
    for words, told in (
        (("check", "rules", "foldline-rules.yml"), None),
        (("test", "rules", "foldline-rules-test.yml"), None),
        (("check", "metrics"), page(stack)),
    ):
        ran = subprocess.run(
            [str(program("promtool")), *words],
            input=told,
            cwd=DEPLOY / "prometheus",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (ran.returncode, ran.stderr) == (0, ""), f"{words}\n{ran.stdout}{ran.stderr}"
