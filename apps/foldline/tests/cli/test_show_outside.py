"""`foldline show` says which material from outside the context holds."""

import msgspec
import pytest

from agent_contracts.ids import SessionId
from agent_contracts.outside import Source
from foldline.cli.sessions import show
from foldline_testing.session_domain.story import answers, done, says, story, wants
from session_engine.answering.views import session_view


def test_a_session_and_its_calls_name_their_sources(capsys: pytest.CaptureFixture[str]) -> None:
    told = story().given(says("read it"))
    wanted = wants(told, "web_read")
    told.given(answers(told, calls=[wanted]))
    page = Source("web", "evil.example", "7", SessionId("s_0"))
    told.given(msgspec.structs.replace(done(wanted.call_id, {"content": "x"}), outside=(page,)))
    show._print_conversation(session_view(told.state))
    said = " ".join(capsys.readouterr().out.split())
    assert "holds material from web evil.example" in said
    assert "(from web evil.example)" in said
