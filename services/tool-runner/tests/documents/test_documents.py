"""Jobs on documents, whatever they do: what passes, what is known of a repeat, and that nothing dials out."""

import asyncio
import socket
import sys

import psutil
import pytest

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import CallId, SessionId
from agent_domain.files.file import FileContent, FileRef
from agent_platform.entities.entity import EntityWriter
from foldline_testing.agent_tools.files import MemoryFiles
from foldline_testing.agent_tools.world import until
from foldline_testing.tool_runner.pdf_samples import pdf_of, png_of
from tool_runner.agent.file_documents import FileDocuments, FileJob, OutputTarget
from tool_runner.documents.documents import Documents
from tool_runner.documents.messages import DocumentJob
from tool_runner.documents.sheets.options import ChangeRows, OfWorkbook, ReadCells, WriteCells

pytestmark = pytest.mark.processes

LINKED = WriteCells(values=(("a", '=HYPERLINK("http://a.test/x")'), ("b", '=WEBSERVICE("http://a.test/y")')))


class SameCall(MemoryFiles):
    """A call that is run again: each write is the same one."""

    def _writer(self) -> EntityWriter:
        return EntityWriter.call(SessionId("s1"), CallId("c1"), 1, since=0)


async def book(documents: Documents) -> bytes:
    made = await documents.run(DocumentJob("sheets.write", (b"",), LINKED))
    return made.outputs[0]


async def test_each_family_has_a_process_of_its_own_started_with_its_first_job() -> None:
    documents = Documents()
    try:
        await documents.run(DocumentJob("sheets.list", (b"a,b\n",), OfWorkbook()))
        assert documents.server_pid("sheets") is not None
        assert documents.server_pid("images") is None
    finally:
        await documents.close()


async def test_a_call_that_is_run_again_changes_a_file_once(documents: Documents) -> None:
    files = MemoryFiles()
    made = await files.create("a.xlsx", FileContent(await book(documents)))
    port = FileDocuments(SameCall(files=files.files), documents)
    target = OutputTarget(FileRef(file_id=made.file_id))
    work = FileJob("sheets.insert_rows", ChangeRows(row=1, count=2))
    first, said = await port.write(target, work)
    again, said_again = await port.write(target, work)
    assert (first.version, again) == (2, first)
    assert said == said_again
    assert isinstance(said, dict)
    assert said["rows"] == 4


async def test_a_new_file_says_what_it_was_made_from_and_a_version_is_held_to(documents: Documents) -> None:
    files = MemoryFiles()
    made = await files.create("a.xlsx", FileContent(await book(documents)))
    port = FileDocuments(files, documents)
    work = FileJob("sheets.insert_rows", ChangeRows(row=1, new_file=True))
    other, _ = await port.write(OutputTarget(FileRef(path="a.xlsx"), output_path="b.xlsx"), work)
    assert (other.path, other.version, other.made_from) == ("b.xlsx", 1, made.file_id)
    with pytest.raises(Rejected) as refused:
        await port.write(OutputTarget(FileRef(path="a.xlsx"), 4, "c.xlsx"), work)
    assert (refused.value.kind, refused.value.path) == (ErrorKind.CONFLICT, "/version")


async def test_a_dead_server_of_a_family_is_started_again(documents: Documents) -> None:
    await documents.run(DocumentJob("images.about", (png_of(),)))
    killed = documents.server_pid("images")
    assert killed is not None
    documents._servers["images"].close()
    assert (await documents.run(DocumentJob("images.about", (png_of(),)))).value
    assert documents.server_pid("images") != killed


async def test_what_nobody_waits_for_any_more_ends(documents: Documents) -> None:
    attributes = b" ".join(b"a%d=1" % number for number in range(200_000))
    endless = DocumentJob(
        "pages.page", (b"<html><body><div " + attributes + b">x</div>" * 9,), {"format": "text"}
    )
    await documents.run(DocumentJob("pages.page", (b"<p>tea",), {"format": "text"}))
    server = psutil.Process(documents.server_pid("pages"))
    asked = asyncio.create_task(documents.run(endless))
    await until(lambda: any(one.cpu_times().user > 0.5 for one in server.children()))
    asked.cancel()
    await until(lambda: not server.children(), seconds=5)


@pytest.fixture
def no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """What httpx, urllib3 and aiohttp stand on; primp brings its own, and is not there."""
    assert "primp" not in sys.modules

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a connection was asked for")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket.socket, "connect_ex", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.setattr(socket, "create_connection", refused)


@pytest.mark.usefixtures("no_connection")
async def test_no_family_opens_a_connection(documents: Documents) -> None:
    workbook = await book(documents)
    page = b'<html><body><img src="http://a.test/i.png"><p>Tea is good for you, they say.</p></body></html>'
    for job in (
        DocumentJob("sheets.read", (workbook,), ReadCells()),
        DocumentJob("sheets.write", (workbook,), WriteCells(values=((1,),))),
        DocumentJob("images.resize", (png_of(),), {"width": 3}),
        DocumentJob("pdfs.about", (pdf_of("Tea"),), {"password": None}),
        DocumentJob("pages.page", (page,), {"format": "text", "url": "http://a.test/"}),
    ):
        assert (await documents.run(job)).value
