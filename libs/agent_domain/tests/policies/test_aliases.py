"""What a policy says of a core tool holds for the aliases of packs, too."""

from agent_contracts.policies import Match, Policy, Rule, Verdict
from agent_contracts.tool_spec import CoreTool, Effect, RunsOn, ToolSpec
from agent_domain.policies.judgement import InForce, judge
from agent_domain.policies.policy_request import call_of

ALIAS = ToolSpec(
    "fetch_url",
    "Fetch.",
    {"type": "object"},
    "research",
    Effect.EXTERNAL,
    RunsOn.TOOLS,
    pack="wintermute",
    alias_of=CoreTool("fetch_url", "web"),
)
ASK_HUMAN = ToolSpec(
    "ask_human",
    "Ask.",
    {"type": "object"},
    "asking",
    Effect.PURE,
    RunsOn.TOOLS,
    pack="protoagent",
    alias_of=CoreTool("ask_user", "interaction"),
)


def verdict(*rules: Rule) -> Verdict:
    asked = call_of(ALIAS, {"url": "https://a.test/"})
    return judge(InForce(Policy("free", rules), 1), asked).verdict


def test_a_rule_for_the_core_tool_or_its_family_holds() -> None:
    assert verdict() is Verdict.ALLOW
    for match in (Match(tool="fetch_url"), Match(family="web"), Match(tool="fetch_url", host="a.test")):
        assert verdict(Rule(Verdict.DENY, match)) is Verdict.DENY


def test_so_does_one_for_its_own_id_and_family_and_none_for_another() -> None:
    for match in (Match(tool="wintermute.*"), Match(tool="wintermute.fetch_url"), Match(family="research")):
        assert verdict(Rule(Verdict.DENY, match)) is Verdict.DENY
    for match in (Match(tool="web_search"), Match(tool="protoagent.*"), Match(family="files")):
        assert verdict(Rule(Verdict.DENY, match)) is Verdict.ALLOW


def test_the_first_rule_that_fits_counts_whichever_name_it_uses() -> None:
    ask, allow = Rule(Verdict.ASK, Match(tool="fetch_url")), Rule(Verdict.ALLOW, Match(tool="wintermute.*"))
    assert verdict(ask, allow) is Verdict.ASK
    assert verdict(allow, ask) is Verdict.ALLOW


def test_nobody_has_to_allow_that_a_person_is_asked_under_another_name() -> None:
    policy = Policy("cautious", (Rule(Verdict.ASK, Match(tool="*")),))
    assert judge(InForce(policy, 1), call_of(ASK_HUMAN, {"question": "?"})).verdict is Verdict.ALLOW
