"""`llm_generate`: one question to a model; JSON by a schema, mended once; every token counted."""

from typing import Any

import pytest

from agent_contracts.errors import ErrorKind, Transient
from agent_contracts.questions.generation import GenerationResult, Intelligence
from agent_contracts.session_events.results import Usage
from agent_domain.files.file import File, FileContent, Workspace
from agent_domain.files.files import NewFile
from agent_platform.entities.entity import EntityWriter
from foldline_testing.agent_tools.models import ScriptedModels
from foldline_testing.agent_tools.world import AGENT, SESSION, delivery
from foldline_testing.tool_runner.world import World

MINE = Workspace(AGENT, SESSION)
CITY = {
    "type": "object",
    "properties": {"city": {"type": "string", "pattern": "^[A-Z]"}},
    "required": ["city"],
}


def world_with(*answers: GenerationResult) -> World:
    return World(models=ScriptedModels(*answers))


def says(text: str, tokens: int = 10) -> GenerationResult:
    return GenerationResult(text, Usage(tokens, 2))


async def picture(world: World, path: str) -> File:
    content = FileContent(b"\x89PNG\r\n\x1a\n" + path.encode())
    return await world.files.create(MINE, NewFile(path, content), EntityWriter.user(path))


async def test_the_answer_comes_back_and_what_it_took_is_counted_with_the_call() -> None:
    world = world_with(says("Bonjour"))
    event = await world.run("llm_generate", {"prompt": "Translate: hello", "system": "Be brief."})
    assert event.result == {
        "text": "Bonjour",
        "usage": {"input_tokens": 10, "output_tokens": 2},
    }
    assert event.usage == Usage(10, 2)
    [asked] = world.models.asked
    assert (asked.prompt, asked.system, asked.intelligence) == (
        "Translate: hello",
        "Be brief.",
        Intelligence.LOW,
    )


@pytest.mark.parametrize("text", ['{"city": "Oslo"}', ' {"city":"Oslo"}\n', '```json\n{"city": "Oslo"}\n```'])
async def test_with_a_schema_the_answer_is_parsed(text: str) -> None:
    event = await world_with(says(text)).run("llm_generate", {"prompt": "Where?", "schema": CITY})
    assert event.result["parsed"] == {"city": "Oslo"}
    assert event.result["text"] == text


async def test_parsed_is_there_even_if_the_answer_is_null() -> None:
    event = await world_with(says("null")).run("llm_generate", {"prompt": "?", "schema": {"type": "null"}})
    assert event.result.items() >= {"text": "null", "parsed": None}.items()


async def test_what_is_left_out_is_cheap_and_sober() -> None:
    world = world_with(says("a"))
    await world.run("llm_generate", {"prompt": "?"})
    [asked] = world.models.asked
    assert (asked.intelligence, asked.max_tokens, asked.temperature) == (Intelligence.LOW, 4096, 0)
    assert (asked.system, asked.schema, asked.images) == ("", None, ())


@pytest.mark.parametrize("level", ["low", "medium", "high"])
async def test_all_that_is_given_reaches_the_model(level: str) -> None:
    world = world_with(says("a"))
    one, other = [await picture(world, path) for path in ("a.png", "b.png")]
    images = [one.file_id, "b.png"]
    given = {"prompt": "p", "system": "s", "max_tokens": 7, "temperature": 0.5, "images": images}
    await world.run("llm_generate", {**given, "intelligence": level})
    [asked] = world.models.asked
    assert (asked.prompt, asked.system, asked.intelligence.value) == ("p", "s", level)
    assert (asked.max_tokens, asked.temperature, asked.images) == (7, 0.5, (one.blob, other.blob))


@pytest.mark.parametrize(
    ("image", "kind"),
    [
        ("f_none", "not_found"),
        ("none.png", "not_found"),
        ("a" * 64, "not_found"),
        ("../a.png", "invalid_arguments"),
        ("a.txt", "invalid_arguments"),
    ],
)
async def test_a_picture_that_is_none_is_refused_and_nobody_is_asked(image: str, kind: str) -> None:
    world = world_with(says("a"))
    await world.files.create(MINE, NewFile("a.txt", FileContent(b"text")), EntityWriter.user("u"))
    await picture(world, "a.png")
    event = await world.run("llm_generate", {"prompt": "p", "images": ["a.png", image]})
    assert (event.error.kind, event.error.path) == (kind, "/images/1")
    assert world.models.asked == []


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({}, "/prompt"),
        ({"prompt": ""}, "/prompt"),
        ({"prompt": "p", "intelligence": "highest"}, "/intelligence"),
        ({"prompt": "p", "max_tokens": 0}, "/max_tokens"),
        ({"prompt": "p", "temperature": -1}, "/temperature"),
        ({"prompt": "p", "images": "a"}, "/images"),
        ({"prompt": "p", "schema": []}, "/schema"),
    ],
)
async def test_arguments_that_are_none_are_refused_by_their_place(
    arguments: dict[str, Any], path: str
) -> None:
    world = world_with(says("a"))
    event = await world.run("llm_generate", arguments)
    assert (event.error.kind, event.error.path) == (ErrorKind.INVALID_ARGUMENTS, path)
    assert world.models.asked == []


async def test_an_answer_that_does_not_fit_is_asked_for_once_more_and_both_are_counted() -> None:
    world = world_with(says('{"city": "oslo"}'), says('{"city": "Oslo"}', 30))
    event = await world.run("llm_generate", {"prompt": "Where?", "schema": CITY})
    assert event.result["parsed"] == {"city": "Oslo"}
    assert event.usage == Usage(40, 4)
    assert event.result["usage"] == {"input_tokens": 40, "output_tokens": 4}
    again = world.models.asked[1]
    assert "$.city" in again.prompt
    assert '{"city": "oslo"}' in again.prompt


@pytest.mark.parametrize("bad", ["Oslo, of course.", '{"city": NaN}', '{"town": "Oslo"}', "[" * 100_000])
async def test_twice_not_what_was_asked_for_is_an_error_and_counted_all_the_same(bad: str) -> None:
    event = await world_with(says(bad), says(bad)).run("llm_generate", {"prompt": "?", "schema": CITY})
    assert event.error.kind is ErrorKind.UPSTREAM
    assert event.usage == Usage(20, 4)


async def test_a_model_that_fails_is_an_error_in_its_words() -> None:
    failed = GenerationResult(error_kind=ErrorKind.UPSTREAM, error="The model server can't be reached.")
    event = await world_with(failed).run("llm_generate", {"prompt": "?"})
    assert (event.error.kind, event.error.message) == (
        ErrorKind.UPSTREAM,
        "The model server can't be reached.",
    )
    assert event.usage is None


async def test_where_no_model_caller_answers_the_call_is_delivered_again() -> None:
    world = world_with()
    message = await world.request("llm_generate", {"prompt": "?"})
    with pytest.raises(Transient):
        await world.runner().handle(delivery(message))
    world.models.answers.append(says("Here."))
    await world.runner().handle(delivery(message, attempt=2))
    found = await world.result()
    assert found is not None
    assert found.event.result["text"] == "Here."


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ({"type": "objekt"}, "/schema/type"),
        ({"type": "object", "properties": {"a/b": {"minLength": "x"}}}, "/schema/properties/a~1b/minLength"),
    ],
)
async def test_a_schema_that_is_none_is_refused_before_a_model_is_asked(
    schema: dict[str, Any], path: str
) -> None:
    world = world_with(says("{}"))
    event = await world.run("llm_generate", {"prompt": "?", "schema": schema})
    assert (event.error.kind, event.error.path) == (ErrorKind.INVALID_ARGUMENTS, path)
    assert world.models.asked == []


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "pattern": "^(a|a?)+$"},
        {"$ref": "https://example.com/schema.json"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
        {"type": "string", "pattern": "("},
    ],
)
async def test_a_hostile_schema_neither_hangs_nor_fetches(schema: dict[str, Any]) -> None:
    answer = says('"' + "a" * 40 + 'b"')
    event = await world_with(answer, answer).run("llm_generate", {"prompt": "?", "schema": schema})
    assert event.error.kind in (ErrorKind.UPSTREAM, ErrorKind.INVALID_ARGUMENTS)


async def test_a_question_whose_model_caller_was_stopped_is_asked_again() -> None:
    stopped = GenerationResult(error_kind=ErrorKind.CANCELLED, error="stopped")
    world = world_with(stopped, says("Bonjour"))
    message = await world.request("llm_generate", {"prompt": "Translate: hello"})
    with pytest.raises(Transient, match="stopped"):
        await world.runner().handle(delivery(message))
    await world.runner().handle(delivery(message, 2))
    recorded = await world.result()
    assert recorded is not None
    assert recorded.event.result["text"] == "Bonjour"
