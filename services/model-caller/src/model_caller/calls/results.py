"""How a call's outcome is recorded: the answer with all that is known of it, or why there is none."""

import msgspec
import structlog

from agent_contracts.errors import ErrorKind
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.outside import joined
from agent_contracts.session_events.decisions import ModelCallRequested
from agent_contracts.session_events.results import ModelCallCompleted, ModelCallFailed, ModelFailure
from agent_platform.log.storable_text import storable_text
from agent_platform.observing.slowness import tell_if_slow
from model_caller.answers.answer import ENDED_BY_CALLS, ProviderAnswer
from model_caller.answers.failures import ModelFault, explain, explain_chain
from model_caller.answers.thinking_kept import returnable
from model_caller.calls.cool_downs import place_of
from model_caller.calls.fallback import ChainOutcome
from model_caller.calls.outcome import ModelOutcome
from model_caller.calls.preparation import PreparedCall
from model_caller.calls.reading_text import calls_of
from model_caller.offering.find_tools import told_by
from session_domain.domain.rules.endings import broken_off

log = structlog.get_logger()


def ended_as(
    asked: RecordedEvent[ModelCallRequested],
    answered: ChainOutcome[PreparedCall],
    outcome: ModelOutcome,
    deliveries_before: int,
) -> ModelCallCompleted | ModelCallFailed:
    """The event that records that the call `answered` ended with this outcome, after `deliveries_before`
    earlier tries to answer it."""
    prepared, tried = answered.prepared, answered.tried
    attempts = deliveries_before + outcome.attempts
    if outcome.answer is not None:
        completed = _completed(asked.event, prepared, outcome.answer, attempts)
        return msgspec.structs.replace(
            completed, max_tokens=outcome.max_tokens, adapted=outcome.adapted.labels, tried=tried
        )
    fault = outcome.fault or ModelFault(ModelFailure.INTERNAL, "")
    target = prepared.target
    is_chain = len(tried) > 1 and place_of(target, fault) is not None
    said = explain_chain(tried, fault, target) if is_chain else explain(fault, target, outcome.attempts)
    return ModelCallFailed(
        call_id=asked.event.call_id,
        kind=fault.failure,
        message=storable_text(said),
        model=prepared.target.model,
        attempts=attempts,
        latency_ms=outcome.took_ms,
        context=prepared.context,
        shown=prepared.shown,
        retryable=fault.transient,
        retry_after_s=fault.retry_after,
        server=prepared.target.server if fault.may_answer_again else None,
        setting=fault.setting,
        tried=tried,
    )


def _completed(
    asked: ModelCallRequested, prepared: PreparedCall, answer: ProviderAnswer, attempts: int
) -> ModelCallCompleted:
    reason = answer.ending.finish_reason
    calls, text, read_from = calls_of(asked, prepared, answer)
    completed = ModelCallCompleted(
        call_id=asked.call_id,
        text=storable_text(text),
        read_from=storable_text(read_from) or None,
        usage=answer.ending.usage,
        model=prepared.target.model,
        context=None if prepared.as_before else prepared.context,
        shown=prepared.shown,
        latency_ms=answer.latency_ms,
        tool_calls=calls,
        finish_reason="stop" if reason in ENDED_BY_CALLS else reason,
        cut=answer.ending.cut,
        purpose=asked.purpose,
        first_token_ms=answer.first_token_ms,
        provider_request_id=answer.ending.provider_request_id,
        attempts=attempts,
        context_window=answer.ending.context_window,
        refused_tools=prepared.left_out if answer.ending.cut in (None, "token_limit", "failed") else (),
        thoughts=returnable(answer),
        thinking=answer.thinking,
        outside=joined(prepared.outside, told_by(calls, prepared.own)),
        summarised=prepared.summarised,
        counted=prepared.request.tokens if prepared.count_is_off else None,
        cut_words=storable_text(answer.ending.cut_words) or None,
        small_since=prepared.small_since,
    )
    return completed if completed.cut is None else broken_off(_without_half(completed))


def _without_half(answer: ModelCallCompleted) -> ModelCallCompleted:
    """The arguments of the last call were cut with the answer: that they can't be read is no mistake of the
    model's."""
    if not answer.tool_calls:
        return answer
    *whole, last = answer.tool_calls
    if last.error is None or last.error.kind != ErrorKind.MALFORMED_ARGUMENTS:
        return answer
    half = msgspec.structs.replace(last, error=None)
    return msgspec.structs.replace(answer, tool_calls=(*whole, half))


def tell(result: ModelCallCompleted | ModelCallFailed) -> None:
    """Say it in the service's own log, without any text of the chat."""
    match result:
        case ModelCallCompleted(usage=usage):
            log.info(
                "model.answered",
                model=result.model,
                ms=result.latency_ms,
                first_token_ms=result.first_token_ms,
                input=usage.input,
                output=usage.output,
                cached=usage.cached_input,
                tool_calls=len(result.tool_calls),
                attempts=result.attempts,
                incomplete=result.incomplete,
            )
            waited = result.latency_ms if result.first_token_ms is None else result.first_token_ms
            tell_if_slow("model", waited / 1000, model=result.model, ms=result.latency_ms)
        case ModelCallFailed():
            log.warning(
                "model.failed",
                model=result.model,
                kind=result.kind.value,
                ms=result.latency_ms,
                attempts=result.attempts,
            )
