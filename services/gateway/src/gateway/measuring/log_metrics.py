"""What the log says of models and tools, counted as it comes, whoever ran them, and whether they died."""

from collections.abc import Collection
from typing import Any

from cachetools import LRUCache
from prometheus_client import CollectorRegistry, Counter, Histogram

from agent_contracts.event import Event
from agent_contracts.log.record.records import StoredMessage, event_of
from agent_contracts.session_events.decisions import ToolCallCancelled, ToolCallRequested
from agent_contracts.session_events.results import (
    ModelCallCompleted,
    ModelCallFailed,
    ToolCallCompleted,
    ToolCallFailed,
    ToolCallPending,
    Usage,
)

_MODEL_S = (0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0)
_TOOL_S = (0.01, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
_MICROS = 1_000_000
_MOST_MODELS = 50
_OTHERS = "(other)"
OWN = "(own)"
"""As the tool: any that an agent or a foreign server has besides those of the packs."""
_REMEMBERED = 10_000
"""Calls whose tool is known until their result comes."""
_COUNTED: tuple[type[Event], ...] = (
    ModelCallCompleted,
    ModelCallFailed,
    ToolCallRequested,
    ToolCallCompleted,
    ToolCallFailed,
    ToolCallPending,
    ToolCallCancelled,
)
_TYPES = frozenset(str(event.__struct_config__.tag) for event in _COUNTED)


class LogMetrics:
    """Counts model calls and tool calls by the events that end them."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.packs_tools: Collection[str] = ()
        """The tools that have a label of their own."""
        self._models: set[str] = set()
        self._tools: LRUCache[str, str] = LRUCache(_REMEMBERED)
        self._model_calls = Counter(
            "foldline_model_calls",
            "Model calls that ended, by outcome: completed, cut, or the kind of failure",
            ["model", "outcome"],
            registry=registry,
        )
        self._model_seconds = Histogram(
            "foldline_model_call_seconds",
            "Seconds that a model call took, with its repeats",
            ["model"],
            buckets=_MODEL_S,
            registry=registry,
        )
        self._first_token_seconds = Histogram(
            "foldline_model_first_token_seconds",
            "Seconds until the first token of an answer",
            ["model"],
            buckets=_MODEL_S,
            registry=registry,
        )
        self._tokens = Counter(
            "foldline_model_tokens",
            "Tokens of answers, by direction: input (with cached_input), cached_input, output",
            ["model", "direction"],
            registry=registry,
        )
        self._cost = Counter(
            "foldline_model_cost_dollars",
            "US dollars that answers cost, where a price is known",
            ["model"],
            registry=registry,
        )
        self._tool_calls = Counter(
            "foldline_tool_calls",
            "Tool calls by ending: completed, waiting (for a person or a time), or the kind of error",
            ["tool", "ending"],
            registry=registry,
        )
        self._tool_seconds = Histogram(
            "foldline_tool_call_seconds",
            "Seconds that a tool ran",
            ["tool"],
            buckets=_TOOL_S,
            registry=registry,
        )

    def note(self, message: StoredMessage) -> None:
        """Count an event of the log, if it is one of these. What an import brings is no work of today."""
        if message.event_type not in _TYPES:
            return
        recorded = event_of(message)
        if recorded is not None and recorded.envelope.imported is None:
            self._count(recorded.event)

    def _count(self, event: Any) -> None:
        match event:
            case ModelCallCompleted():
                outcome = "completed" if event.cut is None else f"cut_{event.cut}"
                model = self._ended(event.model, outcome, event.latency_ms)
                waited = event.latency_ms if event.first_token_ms is None else event.first_token_ms
                self._first_token_seconds.labels(model).observe(waited / 1000)
                self._used(model, event.usage)
                for call in event.tool_calls:
                    if call.error is not None:  # it never runs
                        self._tool_ended(call.tool, call.error.kind)
            case ModelCallFailed():
                self._ended(event.model, event.kind, event.latency_ms)
            case ToolCallRequested():
                self._tools[event.call_id] = event.tool
            case ToolCallCompleted():
                self._ran(event.call_id, "completed", event.duration_ms)
            case ToolCallPending():
                self._tool_ended(self._tools.get(event.call_id), "waiting")
            case ToolCallFailed():
                self._ran(event.call_id, event.error.kind, event.duration_ms)
            case ToolCallCancelled():
                self._tool_ended(self._tools.pop(event.call_id, None), event.kind)

    def _ended(self, named: str, outcome: str, milliseconds: int) -> str:
        model = self._model(named)
        self._model_calls.labels(model, outcome).inc()
        self._model_seconds.labels(model).observe(milliseconds / 1000)
        return model

    def _used(self, model: str, usage: Usage) -> None:
        for direction, tokens in (
            ("input", usage.input),
            ("cached_input", usage.cached_input),
            ("output", usage.output),
        ):
            self._tokens.labels(model, direction).inc(tokens)
        if usage.cost_micros is not None:
            self._cost.labels(model).inc(usage.cost_micros / _MICROS)

    def _ran(self, call_id: str, ending: str, milliseconds: int) -> None:
        label = self._tool_ended(self._tools.pop(call_id, None), ending)
        self._tool_seconds.labels(label).observe(milliseconds / 1000)

    def _tool_ended(self, tool: str | None, ending: str) -> str:
        label = tool if tool is not None and tool in self.packs_tools else OWN
        self._tool_calls.labels(label, ending).inc()
        return label

    def _model(self, name: str) -> str:
        """The model's own label, of the first fifty: names come from people, and stay few."""
        if name in self._models or len(self._models) < _MOST_MODELS:
            self._models.add(name)
            return name or _OTHERS
        return _OTHERS
