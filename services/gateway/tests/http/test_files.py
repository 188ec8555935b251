"""Files over HTTP: sent, read in parts, changed, listed."""

import io
import json
import zipfile
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import pytest
from httpx import Response

from agent_contracts.entities.entity import EntityKind
from agent_contracts.files import LARGEST_FILE
from agent_contracts.log.record.records import NewMessage
from agent_domain.files.new_files import MOST_AT_ONCE
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.log.jetstream import JetStreamLog
from foldline_testing.gateway.running import AGENT, RunningGateway

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Files:
    """The files of a gateway."""

    def __init__(self, gateway: RunningGateway) -> None:
        self.gateway = gateway

    async def send(self, *files: tuple[str, bytes], **fields: str) -> Response:
        """One upload."""
        return await self.gateway.client.post(
            "/api/v1/files", files=[("file", (name, data)) for name, data in files], data=fields
        )

    async def sent(self, *files: tuple[str, bytes], **fields: str) -> list[dict[str, Any]]:
        """What an upload stored."""
        answer = await self.send(*files, **fields)
        assert answer.status_code == 201, answer.text
        stored: list[dict[str, Any]] = answer.json()["items"]
        return stored

    async def content(self, file_id: str, version: int | None = None, **headers: str) -> Response:
        """A file's bytes."""
        params = {} if version is None else {"version": version}
        return await self.gateway.client.get(
            f"/api/v1/files/{file_id}/content",
            params=params,
            headers={name.replace("_", "-"): value for name, value in headers.items()},
        )

    async def put(self, file_id: str, content: bytes, **headers: str) -> Response:
        """Bytes for its next version."""
        return await self.gateway.client.put(
            f"/api/v1/files/{file_id}/content",
            content=content,
            headers={name.replace("_", "-"): value for name, value in headers.items()},
        )

    async def of_agent(self, method: str, rest: str = "", **request: Any) -> Response:
        """A request below the agent's files."""
        return await self.gateway.client.request(method, f"/api/v1/agents/{AGENT}/files{rest}", **request)

    async def new_session(self) -> str:
        """A session's id."""
        return await self.gateway.new_session()


@pytest.fixture
def files(shared_gateway: RunningGateway) -> Files:
    return Files(shared_gateway)


def problem(answer: Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code, answer.json()["kind"]


async def test_what_is_sent_is_a_file_and_is_read_back(files: Files) -> None:
    data = b"a;b\n1;2\n"
    (stored,) = await files.sent(("Zahlen.csv", data))
    assert stored["file_id"].startswith("f_")
    assert {name: stored[name] for name in ("path", "media_type", "size", "version", "scope")} == {
        "path": "Zahlen.csv",
        "media_type": "text/csv",
        "size": 8,
        "version": 1,
        "scope": "agent",
    }
    read = await files.content(stored["file_id"])
    assert (read.status_code, read.content) == (200, data)
    assert read.headers["content-type"] == "text/csv"
    assert read.headers["etag"] == f'"{sha256(data).hexdigest()}"'
    assert (await files.of_agent("GET", f"/{stored['file_id']}")).json() == stored


async def test_the_same_name_at_the_same_place_is_the_next_version(files: Files) -> None:
    (first,) = await files.sent(("notes.txt", b"one"), path="next/")
    (second,) = await files.sent(("notes.txt", b"two"), path="next")
    assert (second["path"], second["version"]) == ("next", 1), "a path without a slash is the file's own"
    (second,) = await files.sent(("notes.txt", b"two"), path="next/")
    assert (second["file_id"], second["version"], second["path"]) == (first["file_id"], 2, "next/notes.txt")
    (same,) = await files.sent(("other name.txt", b"two"), path="next/notes.txt")
    assert (same["file_id"], same["version"]) == (first["file_id"], 2), "the same bytes make no version"
    assert (await files.content(first["file_id"])).content == b"two"
    assert (await files.content(first["file_id"], version=1)).content == b"one"
    assert problem(await files.content(first["file_id"], version=3)) == (404, "not_found")


async def test_a_session_has_files_of_its_own(files: Files) -> None:
    session, other = await files.new_session(), await files.new_session()
    (mine,) = await files.sent(("s.txt", b"mine"), session_id=session)
    (agents,) = await files.sent(("s.txt", b"the agent's"), session_id=session, scope="agent")
    (theirs,) = await files.sent(("s.txt", b"theirs"), session_id=other, scope="session")
    assert len({mine["file_id"], agents["file_id"], theirs["file_id"]}) == 3
    assert (mine["scope"], mine["session_id"]) == ("session", session)
    assert (agents["scope"], agents["session_id"]) == ("agent", None)

    async def listed(**asking: Any) -> set[str]:
        answer = await files.of_agent("GET", params={"prefix": "s.txt", **asking})
        return {one["file_id"] for one in answer.json()["items"]}

    assert await listed() == {mine["file_id"], agents["file_id"], theirs["file_id"]}
    assert await listed(session_id=session) == {mine["file_id"], agents["file_id"]}
    assert await listed(session_id=session, scope="session") == {mine["file_id"]}
    assert await listed(scope="agent") == {agents["file_id"]}
    promoting = f"/{mine['file_id']}:promote"
    assert problem(await files.of_agent("POST", promoting)) == (409, "conflict")
    await files.of_agent("DELETE", f"/{agents['file_id']}")
    promoted = (await files.of_agent("POST", promoting)).json()
    assert (promoted["scope"], promoted["session_id"], promoted["version"]) == ("agent", None, 2)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"scope": "session"}, (422, "invalid_request")),
        ({"scope": "everyone"}, (422, "invalid_request")),
        ({"session_id": "s_unknown"}, (404, "not_found")),
        ({"session_id": "a.>"}, (422, "invalid_id")),
        ({"agent_id": "nobody"}, (404, "not_found")),
        ({"extract": "perhaps"}, (422, "invalid_request")),
        ({"extract": "true"}, (422, "invalid_request")),
        ({"paht": "x"}, (422, "invalid_request")),
        ({"path": "../x"}, (422, "invalid_request")),
        ({"path": "x\ny"}, (422, "invalid_request")),
        ({"path": "x" * 513}, (422, "invalid_request")),
        ({"path": "x" * 9000}, (413, "too_large")),
    ],
)
async def test_an_upload_that_cant_be_stores_nothing(
    files: Files, fields: dict[str, str], expected: tuple[int, str]
) -> None:
    before = (await files.of_agent("GET")).json()["count"]
    assert problem(await files.send(("refused.txt", b"x"), **fields)) == expected
    assert (await files.of_agent("GET")).json()["count"] == before


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../x", "a/../../x", "a//b", "a\\b", ".", "..", "a/", "x" * 600]
)
async def test_a_name_that_leads_elsewhere_is_refused(files: Files, name: str) -> None:
    assert problem(await files.send((name, b"x"))) == (422, "invalid_request")


async def test_a_folder_is_sent_by_relative_paths(files: Files) -> None:
    stored = await files.sent(
        ("site/index.html", b"<p>"), ("./site/css/a b.css", b"p{}"), ("site/ü 🙂.txt", b""), path="www/"
    )
    assert [one["path"] for one in stored] == [
        "www/site/index.html",
        "www/site/css/a b.css",
        "www/site/ü 🙂.txt",
    ]
    twice = await files.send(("twice.txt", b"1"), ("twice.txt", b"2"))
    assert problem(twice) == (422, "invalid_request")


@pytest.mark.parametrize(
    ("asked", "status", "part"),
    [
        ("bytes=0-0", 206, slice(0, 1)),
        ("bytes=2-4", 206, slice(2, 5)),
        ("bytes=7-", 206, slice(7, None)),
        ("bytes=-3", 206, slice(-3, None)),
        ("bytes=5-999", 206, slice(5, None)),
        ("bytes=-999", 206, slice(None)),
        ("Bytes=2-4", 206, slice(2, 5)),
        ("bytes=0-1,3-4", 200, slice(None)),
        ("bytes=4-2", 200, slice(None)),
        ("bytes=", 200, slice(None)),
        ("bytes=-", 200, slice(None)),
        ("bytes=a-b", 200, slice(None)),
        ("lines=1-2", 200, slice(None)),
        ("bytes=10-", 416, None),
        ("bytes=10-20", 416, None),
        ("bytes=-0", 416, None),
    ],
)
async def test_a_range_is_read(files: Files, asked: str, status: int, part: slice | None) -> None:
    data = b"0123456789"
    (stored,) = await files.sent(("range.bin", data))
    answer = await files.content(stored["file_id"], Range=asked)
    assert answer.status_code == status
    if part is None:
        assert problem(answer) == (416, "range_not_satisfiable")
        assert answer.headers["content-range"] == "bytes */10"
        return
    assert answer.content == data[part]
    assert answer.headers["content-length"] == str(len(data[part]))
    if status == 206:
        first = data.index(data[part])
        assert answer.headers["content-range"] == f"bytes {first}-{first + len(data[part]) - 1}/10"


async def test_a_client_that_has_the_bytes_gets_none(files: Files) -> None:
    (stored,) = await files.sent(("known.txt", b"known"))
    tag = (await files.content(stored["file_id"])).headers["etag"]
    for condition in (tag, f'"other", W/{tag}', "*"):
        answer = await files.content(stored["file_id"], If_None_Match=condition)
        assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", tag)
    assert (await files.content(stored["file_id"], If_None_Match='"other"')).status_code == 200
    for condition, status in ((tag, 206), ('"other"', 200), (f"W/{tag}", 200), ("Sun, 22 Nov 2026", 200)):
        answer = await files.content(stored["file_id"], Range="bytes=1-2", If_Range=condition)
        assert answer.status_code == status


async def test_nothing_that_a_file_says_is_run_or_guessed(files: Files) -> None:
    name = 'a "q" ünï;\u202e.html'
    (stored,) = await files.sent(("x.html", b"<script>alert(1)</script>"), path='d/a "q" ünï;.html')
    headers = (await files.content(stored["file_id"])).headers
    assert headers["content-disposition"] == (
        "attachment; filename=\"a _q_ _n_;.html\"; filename*=UTF-8''a%20%22q%22%20%C3%BCn%C3%AF%3B.html"
    )
    assert headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "private, no-cache"
    assert problem(await files.send((name, b"x"))) == (422, "invalid_request"), "it would show another name"


async def test_head_says_what_get_would(files: Files) -> None:
    (stored,) = await files.sent(("head.txt", b"headed"))
    path = f"/api/v1/files/{stored['file_id']}/content"
    got, head = await files.content(stored["file_id"]), await files.gateway.client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert {**head.headers, "date": ""} == {**got.headers, "date": ""}


@pytest.mark.parametrize("file_id", ["f_unknown", "f_", "s_1", "x" * 64])
async def test_what_isnt_there_is_said(files: Files, file_id: str) -> None:
    assert problem(await files.content(file_id)) == (404, "not_found")
    assert problem(await files.of_agent("GET", f"/{file_id}")) == (404, "not_found")
    assert problem(await files.put(file_id, b"x")) == (404, "not_found")


async def test_the_next_version_is_written_if_nothing_came_between(files: Files) -> None:
    (stored,) = await files.sent(("put.json", b"{}"))
    file_id, tag = stored["file_id"], f'"{stored["sha256"]}"'
    written = await files.put(file_id, b"not JSON", If_Match=tag, Content_Type="application/json")
    assert (written.status_code, written.json()["version"]) == (200, 2)
    assert problem(await files.put(file_id, b"3", If_Match=tag)) == (412, "precondition_failed")
    assert (await files.put(file_id, b"3")).json()["version"] == 3
    reverted = await files.of_agent("POST", f"/{stored['file_id']}:revert", json={"version": 1})
    assert (reverted.json()["version"], reverted.json()["sha256"]) == (4, stored["sha256"])
    versions = (await files.of_agent("GET", f"/{stored['file_id']}/versions")).json()["items"]
    assert [one["version"] for one in versions] == [4, 3, 2, 1]
    assert (await files.of_agent("GET", f"/{stored['file_id']}/versions/2")).json()["size"] == 8


async def test_a_file_gets_another_path_that_is_free(files: Files) -> None:
    one, two = await files.sent(("one.txt", b"1"), ("two.txt", b"2"), path="rename/")

    async def rename(path: str, **more: Any) -> Response:
        return await files.of_agent("PATCH", f"/{one['file_id']}", json={"path": path, **more})

    assert problem(await rename(two["path"])) == (409, "conflict")
    assert problem(await rename("../x")) == (422, "invalid_request")
    assert problem(await rename("rename/three.txt", version=7)) == (409, "conflict")
    assert (await rename("rename/three.txt", version=1)).json()["version"] == 2
    (again,) = await files.sent(("one.txt", b"new"), path="rename/")
    assert again["file_id"] != one["file_id"], "the path is free again"


async def test_a_deleted_file_keeps_its_versions(files: Files) -> None:
    (stored,) = await files.sent(("gone.txt", b"gone"))
    path = f"/{stored['file_id']}"
    assert problem(await files.of_agent("DELETE", path, params={"version": 2})) == (409, "conflict")
    deleted = (await files.of_agent("DELETE", path)).json()
    assert deleted["deleted"] is True
    assert (await files.of_agent("DELETE", path)).json() == {"deleted": False, "sequence": None}
    assert problem(await files.content(stored["file_id"])) == (404, "not_found")
    assert (await files.content(stored["file_id"], version=1)).content == b"gone"
    at = {"at": deleted["sequence"] - 1}
    assert (await files.of_agent("GET", path, params=at)).json() == stored


async def test_files_are_listed_page_by_page(files: Files) -> None:
    sent = await files.sent(*((f"{n:03}.txt", b"x" * n) for n in range(25)), path="pages/")
    listed: list[str] = []
    asking: dict[str, Any] = {"prefix": "pages/", "limit": 10}
    while True:
        page = (await files.of_agent("GET", params=asking)).json()
        listed += [one["path"] for one in page["items"]]
        assert (page["count"], page["bytes"]) == (25, sum(range(25)))
        if page["next_cursor"] is None:
            break
        asking["cursor"] = page["next_cursor"]
    assert listed == [one["path"] for one in sent]


async def test_a_repeated_upload_with_its_key_is_one(files: Files) -> None:
    async def send(data: bytes) -> Response:
        return await files.gateway.client.post(
            "/api/v1/files", files=[("file", ("key.txt", data))], headers={"Idempotency-Key": "k1"}
        )

    first = (await send(b"1")).json()
    await files.sent(("key.txt", b"2"))
    assert (await send(b"1")).json() == first
    assert problem(await send(b"other")) == (422, "idempotency_mismatch")
    assert (await files.content(first["items"][0]["file_id"])).content == b"2"


async def test_a_file_that_is_too_large_is_refused_and_the_largest_isnt(files: Files) -> None:
    assert problem(await files.send(("big.bin", bytes(LARGEST_FILE + 1)))) == (413, "too_large")
    (stored,) = await files.sent(("big.bin", bytes(LARGEST_FILE)))
    tail = await files.content(stored["file_id"], Range="bytes=49999990-")
    assert (stored["size"], tail.content) == (LARGEST_FILE, bytes(10))
    too_much = files.put(stored["file_id"], bytes(LARGEST_FILE + 1))
    assert problem(await too_much) == (413, "too_large")
    assert (await files.of_agent("DELETE", f"/{stored['file_id']}")).json()["deleted"]


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/plain", b"x"),
        ("application/json", b"{}"),
        ("multipart/form-data", b"x"),
        ("multipart/form-data; boundary=", b"x"),
        ("multipart/form-data; boundary=" + "x" * 300, b"x"),
        ("multipart/form-data; boundary=b", b""),
        ("multipart/form-data; boundary=b", b"nothing like a form"),
        ("multipart/form-data; boundary=b", b"--b--\r\n"),
        ("multipart/form-data; boundary=b", b"--b\r\n\r\nx\r\n--b--\r\n"),
        ("multipart/form-data; boundary=b", b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nx'),
        (
            "multipart/form-data; boundary=b",
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\ncut off',
        ),
        (
            "multipart/form-data; boundary=b",
            b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nx\r\n--b--\r\n',
        ),
        (
            "multipart/form-data; boundary=b",
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="\xff"\r\n\r\nx\r\n--b--\r\n',
        ),
        ("multipart/form-data; boundary=b", b"--b\r\n" + b"X: y\r\n" * 50 + b"\r\nx\r\n--b--\r\n"),
    ],
)
async def test_what_is_no_form_is_a_problem(files: Files, content_type: str, body: bytes) -> None:
    answer = await files.gateway.client.post(
        "/api/v1/files", content=body, headers={"Content-Type": content_type}
    )
    assert problem(answer) in ((422, "invalid_request"), (422, "bad_text"))


async def test_fields_may_come_after_the_files(files: Files) -> None:
    body = (
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="a%22b.txt"\r\n\r\nx\r\n'
        b'--b\r\nContent-Disposition: form-data; name="path"\r\n\r\nlater/\r\n--b--\r\n'
    )
    answer = await files.gateway.client.post(
        "/api/v1/files", content=body, headers={"Content-Type": "multipart/form-data; boundary=b"}
    )
    assert answer.json()["items"][0]["path"] == 'later/a"b.txt'


async def test_an_archive_is_taken_apart(files: Files) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as opened:
        opened.writestr("in/a.csv", "a")
        opened.writestr("b.md", "b")
    sending = ("all.zip", packed.getvalue())
    stored = await files.sent(sending, extract="true", path="unpacked")
    assert [(one["path"], one["media_type"]) for one in stored] == [
        ("unpacked/in/a.csv", "text/csv"),
        ("unpacked/b.md", "text/markdown"),
    ]
    assert (await files.content(stored[1]["file_id"])).content == b"b"
    (kept,) = await files.sent(sending, path="unpacked/")
    assert kept["path"] == "unpacked/all.zip"
    assert problem(await files.send(sending, ("no.zip", b"none"), extract="true", path="y/")) == (
        422,
        "invalid_request",
    )
    assert (await files.of_agent("GET", params={"prefix": "y/"})).json()["items"] == []


async def test_many_files_of_an_archive_are_written_in_a_few_batches(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed, count = io.BytesIO(), 2 * MOST_AT_ONCE + 1
    with zipfile.ZipFile(packed, "w") as opened:
        for number in range(count):
            opened.writestr(f"many/{number}.txt", f"text {number}")
    writes: list[int] = []
    append, append_together = JetStreamLog.append, JetStreamLog.append_together

    async def counted(log: JetStreamLog, message: NewMessage, *more: Any) -> int:
        writes.extend([1] if message.subject.startswith("agt.") else [])
        return await append(log, message, *more)

    async def counted_together(log: JetStreamLog, messages: Sequence[NewMessage], *more: Any) -> int:
        writes.append(len(messages))
        return await append_together(log, messages, *more)

    monkeypatch.setattr(JetStreamLog, "append", counted)
    monkeypatch.setattr(JetStreamLog, "append_together", counted_together)
    stored = await files.sent(("all.zip", packed.getvalue()), extract="true")
    assert [one["path"] for one in stored] == [f"many/{number}.txt" for number in range(count)]
    assert (sum(writes), len(writes)) == (2 * count, 3)
    assert (await files.content(stored[-1]["file_id"])).text == f"text {count - 1}"


async def test_a_message_brings_files_that_its_session_sees(files: Files) -> None:
    session, other = await files.new_session(), await files.new_session()
    (mine,) = await files.sent(("m.txt", b"mine"), session_id=session)
    (agents,) = await files.sent(("m.txt", b"the agent's"))
    (theirs,) = await files.sent(("m.txt", b"theirs"), session_id=other)
    posting = f"/api/v1/sessions/{session}/messages"

    async def say(*file_ids: str, text: str = "", key: str | None = None) -> Response:
        headers = {"Idempotency-Key": key} if key else {}
        body = {"text": text, "files": list(file_ids)}
        return await files.gateway.client.post(posting, json=body, headers=headers)

    said = await say(mine["file_id"], agents["file_id"], key="m1")
    assert said.status_code == 202, said.text
    (event,) = [one for one in await files.gateway.stored(session) if "user_message" in one.subject]
    sent = {name: mine[name] for name in ("file_id", "path", "media_type", "size", "version")}
    assert json.loads(event.data)["files"][0] == {**sent, "blob": mine["sha256"]}
    for unseen in (theirs["file_id"], "f_unknown", "nothing"):
        refused = await say(mine["file_id"], unseen, text="look")
        assert problem(refused) == (422, "invalid_request")
        assert refused.json()["path"] == "/files/1"
    assert problem(await say()) == (422, "invalid_request"), "neither text nor files"
    await files.of_agent("DELETE", f"/{mine['file_id']}")
    assert problem(await say(mine["file_id"])) == (422, "invalid_request")
    assert (await say(mine["file_id"], agents["file_id"], key="m1")).json() == said.json()


async def test_a_deleted_file_is_there_again(files: Files) -> None:
    (stored,) = await files.sent(("back.txt", b"1"))
    await files.sent(("back.txt", b"2"))
    path = f"/{stored['file_id']}"
    await files.of_agent("DELETE", path)
    back = (await files.of_agent("POST", f"{path}:revert", json={"version": 1})).json()
    assert (back["file_id"], back["path"], back["version"]) == (stored["file_id"], "back.txt", 1)
    assert (await files.content(stored["file_id"])).content == b"1"
    await files.of_agent("DELETE", path)
    await files.sent(("back.txt", b"another"))
    taken = await files.of_agent("POST", f"{path}:revert", json={"version": 1})
    assert problem(taken) == (409, "conflict")


@pytest.mark.parametrize(
    ("said", "sent"),
    [
        ("text/csv; charset=utf-16", "text/csv; charset=utf-16"),
        ("text/html\r\nSet-Cookie: a=b", "application/octet-stream"),
        ("tëxt/plain", "application/octet-stream"),
        ("", "application/octet-stream"),
    ],
)
async def test_a_media_type_that_a_tool_wrote_is_sent_if_it_is_one(
    files: Files, said: str, sent: str
) -> None:
    (stored,) = await files.sent((f"type-{len(said)}.txt", b"x"))
    key = EntityKey(AGENT, EntityKind.FILE, stored["file_id"])
    entities = files.gateway.entities
    now = await entities.current(key)
    assert now is not None
    assert isinstance(now.value, dict)
    await entities.write(key, {**now.value, "media_type": said}, EntityWriter.user(f"e{len(said)}"))
    answer = await files.content(stored["file_id"])
    assert (answer.headers["content-type"], "set-cookie" in answer.headers) == (sent, False)


async def test_a_session_begins_with_a_file_of_the_agent(files: Files) -> None:
    [plan] = await files.sent(("plan.txt", b"the plan"), agent_id=AGENT)
    client = files.gateway.client
    begun = await client.post("/api/v1/sessions", json={"message": "look", "files": [plan["file_id"]]})
    assert begun.status_code == 201, begun.text
    refused = await client.post("/api/v1/sessions", json={"files": ["f_unknown"]})
    assert (refused.status_code, refused.json()["kind"]) == (422, "invalid_request")
    events = await files.gateway.client.get(f"/api/v1/sessions/{begun.json()['id']}/export")
    [said] = [line for line in events.text.splitlines() if "user_message" in line]
    assert plan["sha256"] in said
