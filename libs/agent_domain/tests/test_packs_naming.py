"""What tools are called where packs bring names that are taken."""

import msgspec

from agent_contracts.tool_spec import Catalogue, Effect, RunsOn, ToolSpec
from agent_domain.packs.naming import named, own_named


def spec(name: str, pack: str = "") -> ToolSpec:
    return ToolSpec(name, "Does it.", {"type": "object"}, "some", Effect.PURE, RunsOn.TOOLS, pack=pack)


def pack(name: str, *tools: str) -> Catalogue:
    return Catalogue(name, "1", [spec(tool, name) for tool in tools])


def called(*tools: ToolSpec) -> dict[str, str]:
    return {tool.tool: tool.name for tool in tools}


def test_without_packs_the_very_same_tools_are_offered() -> None:
    always = (spec("fetch_url"), spec("db_sql"))
    assert all(one is other for one, other in zip(named(always, ()), always, strict=True))


def test_an_earlier_pack_wins_over_a_later_one_and_any_over_core() -> None:
    always = (spec("fetch_url"), spec("db_sql"))
    first, second = pack("wintermute", "fetch_url", "pulse"), pack("protoagent", "fetch_url", "calculator")
    assert called(*named(always, (first, second))) == {
        "fetch_url": "core_fetch_url",
        "db_sql": "db_sql",
        "wintermute.fetch_url": "fetch_url",
        "wintermute.pulse": "pulse",
        "protoagent.fetch_url": "protoagent_fetch_url",
        "protoagent.calculator": "calculator",
    }
    other_way = called(*named(always, (second, first)))
    assert other_way["protoagent.fetch_url"] == "fetch_url"
    assert other_way["wintermute.fetch_url"] == "wintermute_fetch_url"


def test_an_own_tool_whose_name_is_taken_keeps_its_id_under_another_name() -> None:
    tools = named((spec("db_sql"),), (pack("wintermute", "pulse"),))
    assert called(*own_named((spec("pulse"), spec("weather")), tools)) == {
        "pulse": "own_pulse",
        "weather": "weather",
    }


def test_an_own_tool_of_a_core_tools_name_has_an_id_of_its_own() -> None:
    assert called(*own_named((spec("db_sql"),), (spec("db_sql"),))) == {"own.db_sql": "own_db_sql"}


def test_names_that_are_taken_even_so_are_numbered_and_stay_short_enough() -> None:
    long = "x" * 64
    tools = (*named((spec(long),), (pack("p", long, "find_tools"),)), spec("own_pulse"), spec("pulse"))
    names = [tool.name for tool in (*tools, *own_named((spec("pulse"), spec(long)), tools))]
    assert len(set(names)) == len(names)
    assert max(map(len, names)) <= 64
    assert {"p_find_tools", "own_pulse_2"} <= set(names)


def test_a_packs_tool_always_asks_where_those_of_its_place_do() -> None:
    command = msgspec.structs.replace(spec("run_command"), runs_on=RunsOn.WORKSPACE)
    shell = msgspec.structs.replace(spec("execute_shell", "p"), runs_on=RunsOn.WORKSPACE)
    packs = (Catalogue("p", "1", [shell, spec("pulse", "p")]),)
    in_host_mode = (msgspec.structs.replace(command, always_asks=True), spec("db_sql"))
    assert {one.tool for one in named(in_host_mode, packs) if one.always_asks} == {
        "run_command",
        "p.execute_shell",
    }
    assert not any(one.always_asks for one in named((command, spec("db_sql")), packs))
