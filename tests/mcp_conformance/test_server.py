"""The conformance suite of MCP against the real `/mcp` of a running Foldline: `make mcp-conformance`.

The suite sends no token, so a proxy adds one. The fixed tools that can be, are own tools of an agent that a
person exposes. With `MCP_CONFORMANCE` a newer checkout of the suite runs, for 2026-07-28.
"""

import asyncio
import json
import socket
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from foldline.cli.client import Gateway
from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.product.mcp_suite import suite
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack

HERE = Path(__file__).parent
NOTHING = {"type": "object", "properties": {}}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
SOUND = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
IMAGE = f"{{ type: 'image', data: '{PIXEL}', mimeType: 'image/png' }}"
AUDIO = f"{{ type: 'audio', data: '{SOUND}', mimeType: 'audio/wav' }}"
RESOURCE = (
    "{ type: 'resource', resource: { uri: 'test://embedded', mimeType: 'text/plain', text: 'Embedded.' } }"
)
TEXT = {"type": "string"}


def asking(message: str, properties: dict[str, Any]) -> str:
    """Code of a tool that asks whoever called it."""
    schema = json.dumps({"type": "object", "properties": properties, "required": []})
    return f"""
const answer = args.elicitations?.user_name
if (!answer) return {{ elicitations: {{ user_name: {{ message: {message}, requestedSchema: {schema} }} }} }}
return `state-ok: action=${{answer.action}}, content=${{JSON.stringify(answer.content)}}`"""


def titled(*values: str) -> list[dict[str, str]]:
    """Choices, each with a title."""
    return [{"const": one, "title": one.title()} for one in values]


TOOLS = {
    "test_simple_text": "return 'This is a simple text response for testing.'",
    "json_schema_2020_12_tool": "return args",
    "test_error_handling": "throw new Error('This tool intentionally returns an error')",
    "test_image_content": f"return {{ content: [{IMAGE}] }}",
    "test_audio_content": f"return {{ content: [{AUDIO}] }}",
    "test_embedded_resource": f"return {{ content: [{RESOURCE}] }}",
    "test_multiple_content_types": (
        f"return {{ content: [{{ type: 'text', text: 'Many:' }}, {IMAGE}, {RESOURCE}] }}"
    ),
    "test_tool_with_progress": "for (const done of [0, 50, 100]) await progress(done, 100); return 'Done.'",
    "test_input_required_result_elicitation": asking("'What is your name?'", {"name": TEXT}),
    "test_input_required_result_request_state": asking("'Please confirm'", {"ok": {"type": "boolean"}}),
    "test_input_required_result_multi_round": f"""
const {{ first, second }} = args.elicitations ?? {{}}
const requestedSchema = {{ type: 'object', properties: {{ it: {json.dumps(TEXT)} }} }}
if (!first) return {{ elicitations: {{ first: {{ message: 'Your name?', requestedSchema }} }} }}
if (!second) return {{ elicitations: {{ second: {{ message: 'Your colour?', requestedSchema }} }} }}
return 'Both are known.'""",
    "test_elicitation": asking("args.message", {"username": TEXT, "email": TEXT}),
    "test_elicitation_sep1034_defaults": asking(
        "'Fill it in'",
        {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": True},
        },
    ),
    "test_elicitation_sep1330_enums": asking(
        "'Choose'",
        {
            "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
            "titledSingle": {"type": "string", "oneOf": titled("value1", "value2", "value3")},
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": {
                "type": "array",
                "items": {"type": "string", "enum": ["option1", "option2", "option3"]},
            },
            "titledMulti": {"type": "array", "items": {"anyOf": titled("value1", "value2", "value3")}},
        },
    ),
    "test_simple_prompt": "return 'This is a simple prompt for testing.'",
    "test_prompt_with_arguments": "return `Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`",
    "test_prompt_with_embedded_resource": """
const resource = { uri: args.resourceUri, mimeType: 'text/plain', text: 'Embedded.' }
return { content: [{ type: 'resource', resource }, { type: 'text', text: 'Process it.' }] }""",
    "test_prompt_with_image": f"return {{ content: [{IMAGE}, {{ type: 'text', text: 'Analyze it.' }}] }}",
    "static_text": "return 'This is the content of the static text resource.'",
    "static_binary": f"return {{ contents: [{{ blob: '{PIXEL}', mimeType: 'image/png' }}] }}",
    "template": "return { id: args.id, templateTest: true, data: `Data for ID: ${args.id}` }",
}
OFFERED_AS = {
    **dict.fromkeys((name for name in TOOLS if "_prompt" in name), "prompt"),
    "static_text": "test://static-text",
    "static_binary": "test://static-binary",
    "template": "test://template/{id}/data",
}


def taking(*names: str) -> dict[str, Any]:
    """The schema of a tool that takes these texts."""
    properties = {name: {"type": "string"} for name in names}
    return {"type": "object", "properties": properties, "required": [*names]}


ADDRESS = {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}
SCHEMAS: dict[str, dict[str, Any]] = {
    "test_prompt_with_arguments": taking("arg1", "arg2"),
    "test_prompt_with_embedded_resource": taking("resourceUri"),
    "template": taking("id"),
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": ADDRESS},
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
        "additionalProperties": False,
    },
}
_KEPT = (
    "accept",
    "content-type",
    "host",
    "origin",
    "mcp-protocol-version",
    "mcp-session-id",
    "mcp-method",
    "mcp-name",
)


def expose(door: Gateway) -> str:
    """The fixed tools, made and exposed; a token for them."""
    for name, code in TOOLS.items():
        made = {"description": "For the suite.", "parameter_schema": SCHEMAS.get(name, NOTHING), "code": code}
        door.put(f"/agents/default/tools/{name}", made)
    door.put("/agents/default/exposed-tools", {"names": list(TOOLS), "offered_as": OFFERED_AS})
    body = {"name": "suite", "agent_id": "default", "rights": ["read", "say", "fork", "tools"]}
    return str(door.post("/program-tokens", body)["token"])


@contextmanager
def with_token(url: str, token: str) -> Iterator[str]:
    """The address of a proxy that adds the token; Host and Origin stay what the suite says."""

    async def handed_on(request: Request) -> StreamingResponse:
        headers = {name: request.headers[name] for name in _KEPT if name in request.headers}
        headers["authorization"] = f"Bearer {token}"
        client = httpx.AsyncClient(timeout=60, verify=NO_TLS)
        asked = client.build_request(request.method, url, headers=headers, content=await request.body())
        answer = await client.send(asked, stream=True)
        kind = answer.headers.get("content-type")

        async def body() -> AsyncIterator[bytes]:
            try:
                async for piece in answer.aiter_raw():
                    yield piece
            finally:
                await answer.aclose()
                await client.aclose()

        session = answer.headers.get("mcp-session-id")
        more = None if session is None else {"mcp-session-id": session}
        return StreamingResponse(body(), answer.status_code, headers=more, media_type=kind)

    listening = socket.create_server(("127.0.0.1", 0))
    app = Starlette(routes=[Route("/mcp", handed_on, methods=["GET", "POST", "DELETE"])])
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
    serving = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])))
    serving.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        serving.join()


def test_the_server_scenarios_pass_but_for_those_that_are_listed_with_their_reasons(tmp_path: Path) -> None:
    with (
        ModelServer({"rules": [{"reply": {"text": "hello"}}]}) as model,
        Stack(tmp_path / "data", env=model.environment()) as stack,
        stack.gateway() as door,
        with_token(f"{stack.url}/mcp", expose(door)) as url,
    ):
        command = [*suite("server", HERE), "--url", url]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    said = run.stdout[run.stdout.find("=== SUMMARY") :]
    assert run.returncode == 0, said + run.stderr
    assert "✓ tools-call-simple-text" in said
