"""Answers that repeat themselves are ended; texts that are as they should be never are."""

import base64
import itertools
import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_contracts.session_events.results import ModelCallCompleted
from agent_contracts.tool_spec import Effect, RunsOn, ToolSpec
from foldline_testing.model_caller.servers import HEAD, Asked, events
from foldline_testing.model_caller.ways import WAYS, Way
from model_caller.answers.answer import AnswerPiece, ToolPiece
from model_caller.calls import repetition
from model_caller.calls.repetition import Repetition
from session_domain.domain.state import Status

REPO = Path(__file__).parents[3]
SET = ToolSpec("set_state", "Write.", {"type": "object"}, "state", Effect.RECORDED, RunsOn.TOOLS)
WORDS = ("sea", "sky", "land", "wood", "road", "town", "house", "door", "room", "lamp", "book")
PARAGRAPH = " ".join(f"The {word} is what it is, and nothing changes that." for word in WORDS)
SONG = """Row, row, row your boat,
Gently down the stream,
Merrily, merrily, merrily, merrily,
Life is but a dream.

"""


def heard(text: str, size: int = 7) -> int | None:
    """After how many characters a text is ended, that comes in pieces; None: it isn't."""
    listening = Repetition()
    for at in range(0, len(text), size):
        if listening.hears(AnswerPiece(text[at : at + size])):
            return at + size
    return None


@pytest.mark.parametrize(
    ("unit", "most"),
    [
        ("ha ", 5_000),
        ("I am sorry. ", 5_000),
        ("Is there anything else that I can do for you?\n", 5_000),
        ("- [ ] check it\n- [ ] check it again\n\n", 5_000),
        (f"{PARAGRAPH}\n\n", 8_000),
        ("你好。", 5_000),
        ("\n", 3_000),
        ("! ", 13_000),
        ("a", 13_000),
        ("<br>", 13_000),
    ],
)
@pytest.mark.parametrize("size", [1, 4, 1_000])
def test_what_repeats_itself_for_ever_is_ended(unit: str, most: int, size: int) -> None:
    said = "Of course! Here is what I know about Oslo. "
    text = said + unit * (20_000 // len(unit))
    ended = heard(text, size)
    assert ended is not None
    assert ended <= most + size


def test_a_loop_without_an_order_is_ended() -> None:
    chance = random.Random(5)
    lines = [
        "I will look it up now.",
        "Let me think about this.",
        "I need some more time.",
        "One more moment.",
    ]
    text = "\n".join(chance.choice(lines) for _ in range(1_000))
    assert heard(text) is not None


def test_what_is_kept_ends_where_it_begins_to_repeat_itself() -> None:
    said = "Oslo has 700,000 people. "
    listening = Repetition()
    assert any(
        listening.hears(AnswerPiece(one))
        for one in itertools.chain([said], itertools.repeat("Yes it has. ", 999))
    )
    assert listening.kept is not None
    assert (said + "Yes it has. " * 999)[: listening.kept].startswith(said)
    assert listening.kept <= len(said) + 3 * len("Yes it has. ")


def test_arguments_that_repeat_themselves_are_ended() -> None:
    listening = Repetition()
    assert any(
        listening.hears(AnswerPiece(tools=(ToolPiece(0, arguments="x = x + 1\\n"),))) for _ in range(2_000)
    )


def true_texts() -> Iterator[tuple[str, str]]:
    """Texts as models write them that repeat something."""
    rows = "".join("| Monday | open | 9 to 5 |\n" for _ in range(120))
    yield "a table of the same rows", f"| Day | State | Hours |\n| --- | --- | --- |\n{rows}"
    yield "an empty table", f"| A | B |\n|---|---|\n{'|   |   |' * 1}\n" + "|   |   |\n" * 200
    yield "code with the same lines", "```python\n" + "    result.append(0)\n" * 400 + "```\n"
    yield "zeros", "const zeros = [" + "0, " * 2_000 + "];"
    yield "base64 of zeros", base64.b64encode(bytes(8_000)).decode()
    yield "base64", base64.b64encode(random.Random(1).randbytes(60_000)).decode()
    yield "a dump", "\n".join(f"{at:08x}  {'00 ' * 16}" for at in range(0, 40_000, 16))
    yield "rules", "\n".join("\n".join(("-" * 120, f"Part {n}", "=" * 120)) for n in range(40))
    yield "lines by heart", "I must not talk in class.\n" * 100
    yield "json", json.dumps([{"id": n, "name": "x", "on": True} for n in range(2_000)])
    yield "markup", "<ul>\n" + "  <li>Item</li>\n" * 150 + "</ul>"
    yield "a song", SONG * 25
    yield "numbers", " ".join(map(str, range(20_000)))


@pytest.mark.parametrize(("text"), [pytest.param(text, id=name) for name, text in true_texts()])
def test_a_text_that_repeats_something_for_a_reason_is_left_alone(text: str) -> None:
    assert heard(text) is None


def test_no_file_of_this_project_is_taken_for_a_repetition() -> None:
    globs = ("docs/*.*", "*.md", "requirements.lock", "services/*/src/**/*.py", "services/ui/src/**/*.ts*")
    files = [path for one in globs for path in REPO.glob(one)]
    assert len(files) > 500
    assert [str(path) for path in files if heard(path.read_text()[:200_000], 600) is not None] == []


@pytest.fixture(params=["openai", "anthropic"])
def server(request: pytest.FixtureRequest) -> Way:
    """A server of each of our interfaces."""
    return Way(*WAYS[request.param])


async def test_the_answer_of_such_a_model_is_kept_marked_and_over(server: Way) -> None:
    speech, sent = server.speech, 0

    def parts(_: Asked) -> Iterator[bytes]:
        nonlocal sent
        yield HEAD + events(*speech.text("Oslo is a city. "))
        for _n in range(5_000):
            sent += 1
            yield events(*speech.text("It is a city, and it is a city, and "))

    def either(asked: Asked) -> Iterable[bytes]:
        return [server.says(speech.text("Hello."))] if "and now?" in json.dumps(asked.body) else parts(asked)

    async with server.chat(either) as (conversation, seen):
        await conversation.say("tell me of Oslo")
        [answer] = await conversation.answers()
        state = await conversation.state()
        await conversation.say("and now?")
        again = (await conversation.answers())[-1]
    assert isinstance(answer, ModelCallCompleted)
    assert (answer.cut, answer.incomplete, answer.finish_reason) == ("repetition", "repetition", None)
    assert answer.text.startswith("Oslo is a city. It is a city, and it is a city, and ")
    assert len(answer.text) < 200, "what would only be read again isn't kept"
    assert answer.usage.output > 500, "all that was said is counted"
    assert state.status is Status.IDLE
    assert sent < 5_000, "the connection is closed"
    assert isinstance(again, ModelCallCompleted)
    assert (again.text, len(seen)) == ("Hello.", 2)
    assert "repeated itself" in json.dumps(seen[1].body)


async def test_a_call_that_repeats_itself_never_runs_and_ends_the_turn(server: Way) -> None:
    speech = server.speech

    def parts(_: Asked) -> Iterator[bytes]:
        yield HEAD + events(*speech.call(0, "c1", "set_state"), *speech.arguments(0, '{"value": "'))
        while True:
            yield events(*speech.arguments(0, "and so on and so on and so on and so on "))

    async with server.chat(parts, tools=(SET,)) as (conversation, seen):
        await conversation.say("store it")
        [answer] = await conversation.answers()
        state = await conversation.state()
    assert isinstance(answer, ModelCallCompleted)
    [call] = answer.tool_calls
    assert answer.cut == "repetition"
    assert call.error is not None
    assert (state.status, len(seen)) == (Status.IDLE, 1)


def test_a_piece_costs_the_same_however_long_the_answer_is(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    repeated = repetition._TextWatch._repeated

    def counting(self: Any) -> int | None:
        looked.append(len(self._tail))
        return repeated(self)

    monkeypatch.setattr(repetition._TextWatch, "_repeated", counting)
    text = " ".join(map(str, range(100_000)))
    assert heard(text, 5) is None
    assert len(looked) <= len(text) // 512
    assert max(looked) <= 16_000
