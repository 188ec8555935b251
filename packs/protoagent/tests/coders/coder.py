"""A coding agent that speaks ACP, by the standard library alone: how it behaves is its argument."""

import json
import mmap
import pathlib
import sys
import time
import urllib.request
from typing import Any


def send(**message: object) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def receive() -> Any:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def say(text: str, session: str = "s") -> None:
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    send(method="session/update", params={"sessionId": session, "update": chunk})


def ask(method: str, **params: object) -> Any:
    send(id="q", method=method, params=params)
    return receive()


OPTIONS = [
    {"optionId": "for ever", "name": "Always", "kind": "allow_always"},
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]

WRITES = {"sessionUpdate": "tool_call", "toolCallId": "w", "title": "Write", "kind": "edit"}
READ = {"toolCallId": "t", "kind": "read", "title": "Read", "rawInput": {}}


def may(kind: str, title: str, options: Any = OPTIONS, **given: object) -> Any:
    call = {"toolCallId": "t", "kind": kind, "title": title, "rawInput": given}
    answer = ask("session/request_permission", sessionId="s", toolCall=call, options=options)
    return answer["result"]["outcome"] if "result" in answer else answer["error"]


def work(how: str, text: str) -> str:
    match how:
        case "edits":
            say("Looking at it. ")
            say("not for you", session="another")
            send(method="session/update", params={"sessionId": "s", "update": WRITES})
            if may("edit", "Write hello.txt").get("optionId") == "yes":
                pathlib.Path("hello.txt").write_text(text)
            say("Wrote hello.txt.")
        case "runs":
            answer = may("execute", "Run the tests", command=["pytest", "-q"])
            say(f"I may: {answer.get('optionId', answer['outcome'])}")
        case "fetches":
            say(str(may("fetch", "Read example.com")))
        case "only_always":
            say(f"I may: {may('edit', 'Write', OPTIONS[:1])['outcome']}")
        case "asks_back":
            asked = ask("elicitation/create", sessionId="s", mode="form", message="?", requestedSchema={})
            read = ask("fs/read_text_file", sessionId="s", path="/etc/passwd")
            say(f"{asked['error']['code']} {read['error']['code']} Which city do you mean?")
        case "whose":
            for session, call in (("another", READ), ("s", {})):
                params = {"sessionId": session, "toolCall": call, "options": OPTIONS}
                wrong = ask("session/request_permission", **params)
                say(f"{wrong['error']['code']} " if "error" in wrong else "allowed ")
        case "careful":
            with open("starts.txt", "a") as starts:
                starts.write("begun\n")
            say("Begun. ")
            for command in ("make", "make test"):
                answer = may("execute", command, command=command)
                say(f"{command}: {answer.get('optionId', answer['outcome'])}. ")
            pathlib.Path("done.txt").write_text(text)
        case "both":
            for number in (1, 2):
                call = {"toolCallId": "t", "kind": "execute", "title": f"run {number}"}
                params = {"sessionId": "s", "toolCall": call, "options": OPTIONS}
                send(id=f"q{number}", method="session/request_permission", params=params)
            say("Waiting. ")
            for answer in (receive(), receive()):
                say(f"{answer['id']}: {answer['result']['outcome']['optionId']}. ")
        case "reserves":
            with mmap.mmap(-1, 2 * 1024**3, flags=mmap.MAP_PRIVATE) as reserved:
                say(f"Reserved {len(reserved) >> 30} GiB.")
        case "looks_around":
            for host in ("model.test", "news.test"):
                try:
                    with urllib.request.urlopen(f"http://{host}:{text}/") as answer:
                        say(f"{host}: {answer.status}. ")
                except OSError as error:
                    say(f"{host}: {error}. ")
        case "lost":
            urllib.request.urlopen(f"http://news.test:{text}/")
        case "hangs":
            time.sleep(600)
        case "floods":
            while True:
                say("x" * 1000)
        case "one_line":
            sys.stdout.write("x" * 3_000_000)
            sys.stdout.flush()
            time.sleep(600)
        case "dies":
            print("no key", file=sys.stderr, flush=True)
            sys.exit(3)
        case "long":
            for _ in range(100):
                say("x" * 1000)
        case "refuses":
            say("Not that.")
            return "refusal"
        case "silent":
            pass
    return "end_turn"


def main() -> None:
    how = sys.argv[1]
    while True:
        asked = receive()
        match how, asked["method"]:
            case "not_json", _:
                print("Welcome to the coder!", flush=True)
            case "no_object", _:
                print("[1]", flush=True)
            case "deep", _:
                print("[" * 50_000, flush=True)
            case "nothing", _:
                send(id=asked["id"])
            case "old", "initialize":
                send(id=asked["id"], result={"protocolVersion": 7})
            case "odd", "session/new":
                send(id=asked["id"], result={"session": 1})
            case "login", "session/new":
                send(id=asked["id"], error={"code": -32000, "message": "Authentication required"})
            case _, "initialize":
                capable = asked["params"]["clientCapabilities"]
                assert not capable["fs"]["readTextFile"]
                assert not capable["terminal"]
                send(id=99, result="an answer to nothing")
                send(id=asked["id"], result={"protocolVersion": 1, "agentCapabilities": {}})
            case _, "session/new":
                assert asked["params"]["cwd"].startswith("/")
                send(id=asked["id"], result={"sessionId": "s"})
            case _, "session/prompt":
                why = work(how, asked["params"]["prompt"][0]["text"])
                send(id=asked["id"], result={"stopReason": why})


main()
