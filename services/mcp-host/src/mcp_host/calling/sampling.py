"""What a server has models asked in the middle of a call, by `sampling/createMessage`: where a person allowed
it, in the way of `llm_generate`, on the session's account. They see the server's words and nothing else."""

import asyncio
import time
from collections.abc import Sequence

from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    CreateMessageRequestParams,
    CreateMessageResult,
    ErrorData,
    SamplingMessage,
    TextContent,
)

from agent_contracts.errors import Failure, Rejected
from agent_contracts.questions.generation import Generate, PromptTurn
from agent_contracts.sampled_questions import LONGEST_SAID, SampledQuestion
from agent_domain.mcp.offered_tools import SAMPLING_S, escaped
from agent_tools.context import CallContext
from agent_tools.ports.models import Models
from egress.redaction import Redaction
from mcp_host import limits


class ModelSampling:
    """What one run of a call has models asked. `asked` counts it, with what runs before asked."""

    def __init__(self, models: Models, call: CallContext, redaction: Redaction, asked: int) -> None:
        self._models = models
        self._call = call
        self._redaction = redaction
        self._left_s = SAMPLING_S
        self.asked = asked

    async def sample(self, params: CreateMessageRequestParams) -> CreateMessageResult | ErrorData:
        """A `Sample`. Why a model didn't answer is told to the person, not to the server."""
        self.asked += 1
        if self.asked > limits.SAMPLES:
            message = f"One call may have a model asked {limits.SAMPLES} times"
            return ErrorData(code=INVALID_REQUEST, message=message)
        try:
            question = question_of(params, self._call)
        except Rejected as refused:
            return ErrorData(code=INVALID_PARAMS, message=refused.message)
        began = time.monotonic()
        try:
            async with asyncio.timeout(self._left_s):
                answer = await self._models.ask(question)
        except TimeoutError:
            return self._failed(question, f"no answer came in {SAMPLING_S:g} s; what was begun is paid for")
        except Failure as failure:
            return self._failed(question, failure.message)
        finally:
            self._left_s = max(0.0, self._left_s - (time.monotonic() - began))
        spent = answer.usage
        self._note(question, SampledQuestion("", answer.text, answer.model, spent.input, spent.output))
        return CreateMessageResult(
            role="assistant",
            content=TextContent(text=answer.text),
            model=answer.model,
            stop_reason="maxTokens" if answer.is_cut else "endTurn",
        )

    def _failed(self, question: Generate, why: str) -> ErrorData:
        self._note(question, SampledQuestion("", error=why))
        return ErrorData(code=INTERNAL_ERROR, message="No model answered")

    def _note(self, question: Generate, came: SampledQuestion) -> None:
        said = [question.system, *(turn.text for turn in question.before), question.prompt]
        asked = "\n\n".join(text for text in said if text)
        self._call.sampled.append(
            SampledQuestion(
                self._kept(asked),
                self._kept(came.answered),
                came.model,
                came.input,
                came.output,
                self._kept(came.error),
            )
        )

    def _kept(self, text: str) -> str:
        clean = escaped(self._redaction.text(text))
        return clean if len(clean) <= LONGEST_SAID else f"{clean[: LONGEST_SAID - 1]}…"


def question_of(params: CreateMessageRequestParams, call: CallContext) -> Generate:
    """What a model is asked. `Rejected` for what isn't offered, or can't be asked.

    The model is the agent's small one, whatever the server prefers; context of others is never included.
    """
    if params.tools or params.tool_choice is not None or params.task is not None:
        raise Rejected("Tools and tasks are not offered for sampling")
    turns = [PromptTurn(one.role, _text(one)) for one in params.messages]
    system = params.system_prompt or ""
    characters = len(system) + sum(len(turn.text) for turn in turns)
    if characters > limits.SAMPLE_CHARACTERS or len(turns) > limits.SAMPLE_MESSAGES:
        raise Rejected(
            f"At most {limits.SAMPLE_MESSAGES} messages and {limits.SAMPLE_CHARACTERS:,} characters"
        )
    if not turns or turns[-1].role != "user" or not turns[-1].text.strip():
        raise Rejected("The last message must be the user's, and say something")
    temperature = params.temperature or 0.0
    if not 0 <= temperature <= limits.HOTTEST or params.max_tokens < 1:
        raise Rejected(f"The temperature is from 0 to {limits.HOTTEST:g}, and maxTokens is 1 or more")
    return Generate(
        agent_id=call.agent_id,
        session_id=call.session_id,
        call_id=call.call_id,
        prompt=turns[-1].text,
        system=system,
        max_tokens=min(params.max_tokens, limits.SAMPLE_TOKENS),
        temperature=temperature,
        before=tuple(turns[:-1]),
        stop=_stop(params.stop_sequences or ()),
    )


def _text(message: SamplingMessage) -> str:
    texts = []
    for block in message.content_as_list:
        if not isinstance(block, TextContent):
            raise Rejected(f"Messages hold text alone, no {block.type}")
        texts.append(block.text)
    return "\n\n".join(texts)


def _stop(wanted: Sequence[str]) -> tuple[str, ...]:
    longest = max(map(len, wanted), default=1)
    if len(wanted) > limits.STOP_SEQUENCES or longest > limits.STOP_CHARACTERS or "" in wanted:
        raise Rejected(
            f"At most {limits.STOP_SEQUENCES} stopSequences of 1 to {limits.STOP_CHARACTERS} characters"
        )
    return tuple(wanted)
