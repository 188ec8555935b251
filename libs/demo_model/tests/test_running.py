"""The demo model as a process of its own."""

import asyncio
import signal
import sys
from pathlib import Path

import httpx
import pytest

from foldline_testing.demo_model import user

pytestmark = pytest.mark.processes

RUN = "import sys, pathlib; from demo_model.server import run; run(pathlib.Path(sys.argv[1]), port=0)"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_it_stops_when_told_to_even_in_mid_answer(tmp_path: Path, number: signal.Signals) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("rules: [{reply: {text: hello, fault: {kind: hang, after_chunks: 1}}}]")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", RUN, script, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        assert process.stdout is not None
        line = b""
        async with asyncio.timeout(30):
            while b"answers at" not in line:
                line = await process.stdout.readline()
                assert line, "ended before it listened"
        url = line.split()[-1].decode()
        async with httpx.AsyncClient() as client:
            body = {"messages": [user("hi")], "stream": True}
            async with client.stream("POST", f"{url}/chat/completions", json=body) as answer:
                assert "hello" in await anext(answer.aiter_text())
                process.send_signal(number)
                assert await asyncio.wait_for(process.wait(), 60) == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
