"""What each preset says of what agents do, how rules come before it, and that a *deny* always counts."""

import re
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_contracts.entities.mcp_tools import FAMILY
from agent_contracts.ids import AgentId
from agent_contracts.json_value import Json
from agent_contracts.outside import Source
from agent_contracts.policies import (
    LONGEST_PATTERN,
    LONGEST_SHOWN,
    AddedMatch,
    Grant,
    Match,
    OutsideSource,
    Policy,
    Preset,
    Rule,
    Verdict,
)
from agent_contracts.tool_spec import CoreTool, Effect, FixedHost, LastingEffect, RunsOn, ToolSpec
from agent_domain.policies.compiled_rules import CompiledRules, is_about
from agent_domain.policies.judgement import CompiledPolicies, InForce, judge, policy_in
from agent_domain.policies.patterns import fits, literal
from agent_domain.policies.policy_request import (
    Context,
    PolicyRequest,
    WebOrigin,
    call_of,
    change_of,
    covering,
    request_of,
    where_to,
)
from agent_domain.policies.request_contents import says_only_known

ALLOW, ASK, DENY = Verdict.ALLOW, Verdict.ASK, Verdict.DENY
PAGE = Source("web", "evil.example", "12.0")
SHOWN = OutsideSource("web", "evil.example", "12.0")


def https(host: str) -> WebOrigin:
    return WebOrigin("https", host, 443)


def tool(
    name: str, family: str, effect: Effect = Effect.EXTERNAL, runs_on: RunsOn = RunsOn.TOOLS
) -> ToolSpec:
    return ToolSpec(name, "Does it.", {"type": "object"}, family, effect, runs_on)


FETCH, EVALUATE = tool("fetch_url", "web"), tool("browser_evaluate", "browser")
NAVIGATE, CODE = tool("browser_navigate", "browser"), tool("run_sandbox_code", "code")
SHELL = tool("run_command", "workspace")
FOREIGN = tool("github__create_issue", f"{FAMILY}github", runs_on=RunsOn.MCP)
STATE, READ = tool("set_state", "state", Effect.RECORDED), tool("get_state", "state", Effect.PURE)
PYTHON = tool("run_python", "workspace", runs_on=RunsOn.WORKSPACE)
OUTPUT = tool("command_output", "workspace", Effect.RECORDED, RunsOn.WORKSPACE)
URL = "https://api.example.com/v1/things"


@pytest.mark.parametrize(
    ("asked", "cautious", "balanced", "free"),
    [
        (call_of(READ, {"key": "k"}), ALLOW, ALLOW, ALLOW),
        (call_of(STATE, {"key": "k"}), ALLOW, ALLOW, ALLOW),
        (call_of(FETCH, {"url": URL}), ASK, ALLOW, ALLOW),
        (call_of(FETCH, {"url": URL, "method": "HEAD"}), ASK, ALLOW, ALLOW),
        (call_of(FETCH, {"url": URL, "method": "post"}), ASK, ASK, ALLOW),
        (call_of(FETCH, {"url": URL, "method": "DELETE"}), ASK, ASK, ALLOW),
        (call_of(FETCH, {"url": URL, "method": "WHATEVER"}), ASK, ASK, ALLOW),
        (call_of(NAVIGATE, {"url": URL}), ASK, ALLOW, ALLOW),
        (call_of(EVALUATE, {"code": "1"}), ASK, ASK, ALLOW),
        (call_of(CODE, {"code": "1"}), ASK, ALLOW, ALLOW),
        (request_of("run_sandbox_code", "code", "get", https("API.example.com"), "/"), ASK, ALLOW, ALLOW),
        (request_of("run_sandbox_code", "code", "POST", https("api.example.com"), "/"), ASK, ASK, ALLOW),
        (request_of("run_command", "workspace", "CONNECT", https("api.example.com"), ""), ASK, ASK, ALLOW),
        (call_of(SHELL, {"command": "ls"}), ASK, ASK, ALLOW),
        (call_of(PYTHON, {"code": "1"}), ASK, ASK, ALLOW),
        (call_of(OUTPUT, {"command_id": "c"}), ALLOW, ALLOW, ALLOW),
        (call_of(OUTPUT, {"command_id": "c", "input": "rm -rf ."}), ASK, ASK, ALLOW),
        (call_of(FOREIGN, {"title": "t"}), ASK, ASK, ALLOW),
        (call_of(tool("ask_user", "interaction", Effect.PURE), {}), ALLOW, ALLOW, ALLOW),
    ],
)
def test_presets(asked: PolicyRequest, cautious: Verdict, balanced: Verdict, free: Verdict) -> None:
    for preset, expected in (("cautious", cautious), ("balanced", balanced), ("free", free)):
        found = judge(InForce(msgspec.convert({"preset": preset}, Policy), 3), asked)
        assert (found.verdict, found.version) == (expected, 3), preset
        assert found.rule


def ruled(*rules: Rule, preset: Preset = "balanced") -> InForce:
    return InForce(Policy(preset, rules), 1)


def test_the_first_rule_that_fits_counts_and_a_deny_counts_wherever_it_stands() -> None:
    post = call_of(FETCH, {"url": URL, "method": "POST"})
    allow, ask = Rule(ALLOW, Match(host="*.example.com")), Rule(ASK, Match(tool="fetch_url"))
    assert judge(ruled(allow, ask), post).verdict is ALLOW
    assert judge(ruled(ask, allow), post).verdict is ASK
    denied = judge(ruled(allow, Rule(DENY, Match(path="/v1/*"), "Not there")), post)
    assert (denied.verdict, denied.rule) == (DENY, "Rule 2: Not there")
    assert judge(ruled(allow, Rule(DENY, Match(path="/v2/*"))), post).verdict is ALLOW


def test_what_a_person_allowed_in_the_session_runs_but_never_what_is_denied() -> None:
    post = call_of(FETCH, {"url": URL, "method": "POST"})
    grant = covering(post)
    assert grant == Match(tool="fetch_url", host="api.example.com", method="POST", scheme="https")
    allowed = Context((Grant(grant),))
    assert judge(ruled(), post, allowed).verdict is ALLOW
    assert judge(ruled(Rule(ASK, Match(method="POST"))), post, allowed).verdict is ALLOW
    assert judge(ruled(Rule(DENY, Match(method="POST"))), post, allowed).verdict is DENY
    for other in ({"url": "https://other.example/", "method": "POST"}, {"url": URL, "method": "DELETE"}):
        assert judge(ruled(), call_of(FETCH, other), allowed).verdict is ASK


def test_a_yes_to_what_code_asked_for_is_for_exactly_that() -> None:
    post = call_of(FETCH, {"url": URL, "method": "POST"})
    grant = covering(post)
    assert grant is not None
    for exact, verdict in (("hash of it", ALLOW), ("hash of something else", ASK), ("", ASK)):
        asked = msgspec.structs.replace(post, exact=exact)
        allowed = Context((Grant(grant, once=True, exact="hash of it"),))
        assert judge(ruled(), asked, allowed).verdict is verdict, exact
        assert judge(ruled(), asked, Context((Grant(grant),))).verdict is ALLOW


def test_after_outside_is_a_condition() -> None:
    rule = Rule(ASK, Match(tool="fetch_url", after_outside=True))
    get = call_of(FETCH, {"url": URL})
    assert judge(ruled(rule), get).verdict is ALLOW
    found = judge(ruled(rule), get, Context(outside=(PAGE,)))
    assert (found.verdict, found.outside) == (ASK, (SHOWN,))
    only_before = Rule(ASK, Match(tool="fetch_url", after_outside=False))
    assert judge(ruled(only_before), get).verdict is ASK
    known = msgspec.structs.replace(get, known_url=True)
    assert judge(ruled(only_before), known, Context(outside=(PAGE,))).verdict is ALLOW


@pytest.mark.parametrize("name", ["read_mcp_resource", "get_mcp_prompt"])
def test_what_is_asked_of_a_foreign_server_after_outside_is_asked_for_unless_its_address_is_known(
    name: str,
) -> None:
    asked = call_of(tool(name, "mcp", runs_on=RunsOn.MCP), {"server": "notes", "uri": "x:1", "name": "x:1"})
    after = Context(outside=(PAGE,))
    assert judge(ruled(), asked).verdict is ALLOW
    assert judge(ruled(), msgspec.structs.replace(asked, known_url=True), after).verdict is ALLOW
    found = judge(ruled(), asked, after)
    assert (found.verdict, found.covers) == (ASK, Match(tool=name, server="notes"))
    assert found.covers is not None
    granted = msgspec.structs.replace(after, grants=(Grant(found.covers),))
    assert judge(ruled(), asked, granted).verdict is ALLOW
    other = msgspec.structs.replace(asked, server="mail")
    assert judge(ruled(), other, granted).verdict is ASK, "a yes is for one server"


@pytest.mark.parametrize(
    ("name", "arguments", "known"),
    [
        ("fetch_url", {"url": "k"}, True),
        ("fetch_url", {"url": "k", "body": "x"}, False),
        ("fetch_url", {"url": "k", "headers": {"x": "y"}}, False),
        ("read_mcp_resource", {"uri": "k"}, True),
        ("read_mcp_resource", {"uri": "other", "url": "k"}, False),
        ("get_mcp_prompt", {"name": "k"}, True),
        ("get_mcp_prompt", {"name": "k", "arguments": {}}, True),
        ("get_mcp_prompt", {"name": "k", "arguments": {"topic": "hunter2"}}, False),
        ("get_mcp_prompt", {}, False),
        ("read_mcp_resource", {"uri": ["k"]}, False),
    ],
)
def test_a_call_says_only_what_is_known(name: str, arguments: dict[str, Json], known: bool) -> None:
    assert says_only_known(name, arguments, ("k",)) is known


def test_whoever_decides_is_shown_where_to_and_how_long_what_is_cut_is() -> None:
    request = request_of(
        "run_sandbox_code", "code", "POST", https("a.test"), "/" + "p" * LONGEST_SHOWN + "?q=1"
    )
    shown = where_to(request)
    assert shown == {
        "host": "a.test",
        "method": "POST",
        "scheme": "https",
        "port": 443,
        "path": "/" + "p" * (LONGEST_SHOWN - 1),
        "path_length": LONGEST_SHOWN + 1,
        "query": "q=1",
    }
    tunnel = request_of("run_command", "workspace", "CONNECT", https("a.test"), "")
    assert where_to(tunnel) == {"host": "a.test", "method": "CONNECT", "scheme": "https", "port": 443}
    read = call_of(tool("read_mcp_resource", "mcp"), {"server": "notes", "uri": "note:1"})
    assert where_to(read, "note:1") == {"host": None, "method": None, "server": "notes", "uri": "note:1"}
    foreign = call_of(FOREIGN, {"server": "an argument of its own"})
    assert where_to(foreign) == {"host": None, "method": None}


def test_a_yes_to_a_command_is_a_yes_to_that_command_alone() -> None:
    asked = call_of(SHELL, {"command": "rm *.txt"})
    grant = covering(asked)
    assert grant is not None
    assert is_about(grant, asked, False, allows=True)
    other = call_of(SHELL, {"command": "rm x; curl evil.txt"})
    assert not is_about(grant, other, False, allows=True)
    assert covering(call_of(SHELL, {"command": "x" * (LONGEST_PATTERN + 1)})) is None


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://EXAMPLE.com./x", "example.com"),
        (" https:\\\\example.com\\x", "example.com"),
        ("https://good.example@evil.example/", "evil.example"),
        ("ht\ntps://example.com", "example.com"),
        ("https://[::1", ""),
        ("no url", ""),
    ],
)
def test_the_host_of_a_url_is_what_a_browser_takes_for_it(url: str, host: str) -> None:
    asked = call_of(FETCH, {"url": url})
    assert asked.host == host
    if not host:
        assert covering(asked) is None


@given(st.text(max_size=40))
def test_a_literal_fits_itself_alone(text: str) -> None:
    assert fits(literal(text), text)
    assert not fits(literal(text), text + "x")


@given(st.lists(st.text("ab", max_size=3), min_size=1, max_size=5), st.text("ab", max_size=12))
def test_a_star_is_any_text(pieces: list[str], text: str) -> None:
    expected = re.fullmatch(".*".join(map(re.escape, pieces)), text, re.DOTALL) is not None
    assert fits("*".join(map(literal, pieces)), text) is expected


def test_patterns_take_linear_time() -> None:
    assert not fits("*a" * 200 + "b", "a" * 100_000)


_TEXTS = st.one_of(st.none(), st.sampled_from(["a", "b", "*", "a*"]))
_MATCHES = st.builds(Match, tool=_TEXTS, host=_TEXTS, method=_TEXTS, effect=st.sampled_from([None, *Effect]))
_RULES = st.lists(st.builds(Rule, st.sampled_from(Verdict), _MATCHES), max_size=6)
_ASKED = st.builds(
    PolicyRequest, st.sampled_from("ab"), st.just("web"), st.sampled_from(Effect), st.sampled_from(["a", "b"])
)


@given(
    _RULES, _ASKED, st.lists(st.builds(Grant, _MATCHES), max_size=2), st.sampled_from(["cautious", "free"])
)
def test_properties(rules: list[Rule], asked: PolicyRequest, grants: list[Grant], preset: Preset) -> None:
    """A deny that fits counts; more grants never forbid; what is asked says what a yes is."""
    policy = InForce(Policy(preset, tuple(rules)), 1)
    context = Context(tuple(grants))
    found = judge(policy, asked, context)
    denied = any(rule.verdict is DENY and is_about(rule.match, asked, False, allows=False) for rule in rules)
    assert (found.verdict is DENY) is denied
    without = judge(policy, asked).verdict
    assert found.verdict in (without, ALLOW)
    if found.verdict is ASK:
        assert found.covers is not None
        allowed = Context((*grants, Grant(found.covers)))
        assert judge(policy, asked, allowed).verdict is ALLOW


def test_a_policy_that_cannot_be_read_is_cautious() -> None:
    assert policy_in({"preset": "balanced", "rules": []}) == Policy()
    assert policy_in({"preset": "none"}) == Policy("cautious")
    assert policy_in(None) == Policy("cautious")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_after_outside_balanced_asks_for_reading_from_where_nobody_pointed(method: str) -> None:
    asked = call_of(FETCH, {"url": URL, "method": method})
    known = msgspec.structs.replace(asked, known_url=True)
    after = Context(outside=(PAGE,))
    assert judge(InForce(), asked).verdict is ALLOW
    judged = judge(InForce(), asked, after)
    assert (judged.verdict, judged.outside) == (ASK, (SHOWN,))
    assert judged.covers == Match(tool="fetch_url", host="api.example.com", method=method, scheme="https")
    assert judge(InForce(), known, after).verdict is ALLOW
    assert judge(InForce(Policy("free")), asked, after).verdict is ALLOW
    assert judge(InForce(Policy("cautious")), known, after).verdict is ASK
    allowed = Rule(ALLOW, Match(host="api.example.com"))
    assert judge(InForce(Policy(rules=(allowed,))), asked, after).verdict is ALLOW
    granted = Context((Grant(judged.covers),), (PAGE,))
    assert judge(InForce(), asked, granted).verdict is ALLOW


def post_to(url: str) -> PolicyRequest:
    return call_of(FETCH, {"url": url, "method": "POST"})


@pytest.mark.parametrize(
    ("match", "covered"),
    [
        (Match(host="a.test"), {"https://a.test/", "https://A.test:443/x"}),
        (Match(host="a.test", scheme="https"), {"https://a.test/", "https://A.test:443/x"}),
        (Match(host="a.test", scheme="http"), {"http://a.test/"}),
        (Match(host="a.test:8443"), {"https://a.test:8443/", "http://a.test:8443/"}),
        (Match(host="a.test:8443", scheme="https"), {"https://a.test:8443/"}),
        (Match(host="a.test:80"), {"http://a.test/"}),
        (Match(host="*.test"), {"https://a.test/", "https://A.test:443/x"}),
        (
            Match(host="a.test:*"),
            {
                *("https://a.test/", "https://A.test:443/x", "http://a.test/"),
                *("https://a.test:8443/", "http://a.test:8443/"),
            },
        ),
        (Match(host="[::1]:9"), {"http://[::1]:9/"}),
    ],
)
def test_a_host_that_is_allowed_is_no_more_than_was_said_and_one_that_is_denied_is_all_of_it(
    match: Match, covered: set[str]
) -> None:
    urls = ("https://a.test/", "https://A.test:443/x", "http://a.test/")
    ports = ("https://a.test:8443/", "http://a.test:8443/", "http://[::1]:9/")
    allowed = InForce(Policy(rules=(Rule(ALLOW, match),)))
    granted = Context((Grant(match),))
    for url in (*urls, *ports):
        assert (judge(allowed, post_to(url)).verdict is ALLOW) is (url in covered), url
        assert (judge(InForce(), post_to(url), granted).verdict is ALLOW) is (url in covered), url
    denied = InForce(Policy("free", (Rule(DENY, Match(host="a.test")),)))
    for url in urls + ports[:2]:
        assert judge(denied, post_to(url)).verdict is DENY, url


@pytest.mark.parametrize(
    "url", ["https://a.test:8443/", "http://a.test/", "https://a.test/", "http://[::1]:9/"]
)
def test_a_yes_is_for_the_scheme_and_port_that_were_shown(url: str) -> None:
    asked = post_to(url)
    covers = judge(InForce(), asked).covers
    assert covers is not None
    granted = Context((Grant(covers),))
    assert judge(InForce(), asked, granted).verdict is ALLOW
    for other in ("https://a.test:8444/", "http://a.test:8443/", "https://b.test/", "http://[::1]:10/"):
        assert judge(InForce(), post_to(other), granted).verdict is ASK, other
    shown = where_to(asked)
    assert (shown["scheme"], shown["port"]) == (urlsplit(url).scheme, covered_port(url))


def covered_port(url: str) -> int:
    parts = urlsplit(url)
    return parts.port or {"http": 80, "https": 443}[parts.scheme]


def test_a_tool_with_one_host_is_judged_by_it_and_its_reads_are_reads_after_outside_too() -> None:
    hub = tool("protoagent.github_get_issue", "github")
    reads = msgspec.structs.replace(hub, fixed_host=FixedHost("api.github.com", "GET"))
    sends = msgspec.structs.replace(hub, fixed_host=FixedHost("api.github.com", "POST"))
    after = Context(outside=(PAGE,))
    asked = call_of(reads, {"repo": "a/b", "number": 1})
    assert [judge(InForce(), asked, one).verdict for one in (Context(), after)] == [ALLOW, ALLOW]
    assert judge(InForce(), call_of(sends, {})).verdict is ASK
    allowed = (Rule(ALLOW, Match(host="api.github.com")),)
    for preset in ("cautious", "balanced"):
        assert judge(InForce(Policy(preset, allowed)), asked, after).verdict is ALLOW
        assert judge(InForce(Policy(preset, allowed)), call_of(sends, {}), after).verdict is ALLOW
    assert judge(InForce(Policy("cautious")), asked).verdict is ASK
    denied = InForce(Policy("free", (Rule(DENY, Match(host="*.github.com")),)))
    assert judge(denied, asked).verdict is DENY


def test_a_rule_can_speak_of_what_lasts() -> None:
    spec = msgspec.structs.replace(tool("delete_state", "state", Effect.RECORDED), lasting=LastingEffect.RUN)
    lasting, kept = change_of(spec, lasting=True), call_of(spec, {})
    refused = InForce(Policy(rules=(Rule(Verdict.DENY, Match(lasting=True)),)))
    assert [judge(refused, one).verdict for one in (lasting, kept)] == [Verdict.DENY, ALLOW]
    for asked in (lasting, kept):
        assert is_about(Match(lasting=True), asked, False, allows=True) is asked.lasting


@pytest.mark.parametrize(
    "name", ["edit_system_prompt", "create_scheduled_task", "delete_skill", "delete_tool"]
)
def test_after_outside_balanced_asks_for_what_changes_each_later_session(name: str) -> None:
    spec = msgspec.structs.replace(tool(name, "any", Effect.RECORDED), lasting=LastingEffect.CALL)
    asked, after = call_of(spec, {}), Context(outside=(PAGE,))
    assert judge(InForce(), asked).verdict is ALLOW
    judged = judge(InForce(), asked, after)
    assert (judged.verdict, judged.outside, judged.covers) == (ASK, (SHOWN,), Match(tool=name))
    assert judge(InForce(Policy("free")), asked, after).verdict is ALLOW
    kept = call_of(tool("create_skill", "skills", Effect.RECORDED), {})
    assert judge(InForce(), kept, after).verdict is ALLOW, "it keeps its source"


_PARTS = st.one_of(st.none(), st.text("ab.*", min_size=1, max_size=4))
_SAYING = st.builds(Match, tool=_PARTS, host=_PARTS, path=_PARTS, command=_PARTS, after_outside=st.booleans())
_VALUES = st.one_of(st.none(), st.text("ab.*", max_size=4))
_ASKED = st.builds(
    PolicyRequest,
    st.text("ab.*"),
    st.just("web"),
    st.just(Effect.EXTERNAL),
    _VALUES,
    st.none(),
    _VALUES,
    _VALUES,
)


@given(st.lists(_SAYING, max_size=8), _ASKED, st.booleans())
def test_the_rules_that_fit_are_those_of_which_each_part_fits_in_their_order(
    matches: list[Match], asked: PolicyRequest, after_outside: bool
) -> None:
    def fitting(match: Match) -> bool:
        for part in ("tool", "host", "path", "command"):
            pattern, value = getattr(match, part), getattr(asked, part)
            if pattern is not None and (value is None or not re.fullmatch(as_regex(pattern), value, re.S)):
                return False
        return match.after_outside is after_outside

    found = [
        number for number, _ in CompiledRules(Rule(ASK, one) for one in matches).fitting(asked, after_outside)
    ]
    assert found == [number for number, one in enumerate(matches, 1) if fitting(one)]


def as_regex(pattern: str) -> str:
    """`*` is any text; these have no backslash."""
    return ".*".join(re.escape(piece) for piece in pattern.split("*"))


def test_every_part_of_a_match_is_asked() -> None:
    """A new condition that no test of `compiled` knows would fit everything."""
    nothing = PolicyRequest("", "", Effect.PURE)
    for field in msgspec.structs.fields(Match):
        said: Any = OTHERS.get(field.name, "only-this")
        assert not is_about(Match(**{field.name: said}), nothing, False, allows=True), field.name


OTHERS: dict[str, Any] = {
    "effect": Effect.EXTERNAL,
    "after_outside": True,
    "known_url": True,
    "lasting": True,
    "added": (AddedMatch("unknown", "x"),),
}


def test_a_version_of_a_policy_is_made_ready_once() -> None:
    policies = CompiledPolicies()
    first = policies.of(AgentId("a"), 7, {"preset": "free"}, 1)
    assert policies.of(AgentId("a"), 7, {"preset": "free"}, 1) is first
    assert policies.of(AgentId("a"), 9, {"preset": "cautious"}, 2).policy.preset == "cautious"
    assert policies.of(AgentId("b"), 7, {"preset": "cautious"}, 1).policy.preset == "cautious"
    assert first.rules is first.rules


def test_a_yes_to_commands_is_for_all_of_the_session_in_the_same_sandbox_and_for_nothing_else() -> None:
    caged = msgspec.structs.replace(SHELL, runs_on=RunsOn.WORKSPACE, sandbox="namespaces")
    python = msgspec.structs.replace(PYTHON, sandbox="namespaces")
    alias = msgspec.structs.replace(
        tool("execute_shell", "execution", runs_on=RunsOn.WORKSPACE),
        alias_of=CoreTool("run_command", "workspace"),
        sandbox="namespaces",
    )
    coder = msgspec.structs.replace(alias, name="code_with", source="peer")
    asked = judge(InForce(), call_of(caged, {"command": "ls"}))
    assert asked.covers == Match(tool="run_command", command="ls")
    assert asked.commands == Match(family="workspace", command="*", sandbox="namespaces")
    granted = Context((Grant(asked.commands),), (PAGE,))
    for spec, arguments in (
        (caged, {"command": "ls -l"}),
        (alias, {"command": "pwd"}),
        (python, {"code": "1"}),
    ):
        assert judge(InForce(), call_of(spec, arguments), granted).verdict is ALLOW
    elsewhere = msgspec.structs.replace(caged, sandbox="landlock")
    on_the_host = msgspec.structs.replace(caged, sandbox="host", always_asks=True)
    for spec in (elsewhere, on_the_host, coder):
        assert judge(InForce(), call_of(spec, {"command": "ls -l"}), granted).verdict is ASK
    sends = request_of("run_command", "workspace", "POST", https("api.example.com"), "/")
    assert judge(InForce(), sends, granted).verdict is ASK, "what commands send is judged by itself"
    never = InForce(Policy(rules=(Rule(DENY, Match(command="rm *")),)))
    assert judge(never, call_of(caged, {"command": "rm -r ."}), granted).verdict is DENY
    assert judge(InForce(), call_of(coder, {"task": "tidy"})).commands is None


def test_what_always_asks_is_allowed_by_no_rule_and_no_grant() -> None:
    asked = call_of(msgspec.structs.replace(SHELL, always_asks=True), {"command": "ls"})
    rules = (Rule(ALLOW, Match(tool="*")),)
    context = Context(grants=(Grant(Match(tool="*")),), outside=(PAGE,))
    found = judge(InForce(Policy("free", rules)), asked, context)
    assert (found.verdict, found.covers, found.outside) == (ASK, None, (SHOWN,))
    denied = judge(InForce(Policy("free", (Rule(DENY, Match(command="ls")),))), asked, context)
    assert denied.verdict is DENY
