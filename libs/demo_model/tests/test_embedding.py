"""Embeddings by script."""

from collections.abc import Mapping

import httpx

from demo_model.server import DemoModel

RULES = [{"reply": {"text": "An answer."}}]
SUBJECTS = {"subjects": [["bird"], ["car", "motor"]]}


async def _asked(script: Mapping[str, object], body: object) -> httpx.Response:
    async with DemoModel({"rules": RULES, **script}) as model, httpx.AsyncClient() as client:
        return await client.post(f"{model.base_url}/embeddings", json=body)


async def test_a_vector_says_how_often_a_text_has_the_words_of_each_subject() -> None:
    answer = await _asked({"embeddings": SUBJECTS}, {"model": "m", "input": ["Bird, bird", "A motor"]})
    data = answer.json()["data"]
    assert [one["embedding"] for one in data] == [[2.01, 0.01], [0.01, 1.01]]
    one = await _asked({"embeddings": SUBJECTS}, {"model": "m", "input": "a car"})
    assert [one["embedding"] for one in one.json()["data"]] == [[0.01, 1.01]]


async def test_without_a_script_for_it_no_model_gives_any() -> None:
    answer = await _asked({}, {"model": "m", "input": "x"})
    assert (answer.status_code, "embeddings" in answer.json()["error"]["message"]) == (404, True)


async def test_what_is_no_text_is_refused() -> None:
    bodies: tuple[object, ...] = ({"input": []}, {"input": [1]}, {}, [])
    for wrong in bodies:
        assert (await _asked({"embeddings": SUBJECTS}, wrong)).status_code == 400


async def test_a_wrong_key_is_refused() -> None:
    script = {"embeddings": SUBJECTS, "require_key": "k"}
    assert (await _asked(script, {"input": "x"})).status_code == 401
