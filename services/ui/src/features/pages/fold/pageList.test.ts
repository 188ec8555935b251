import { expect, test } from "vitest";
import type { EntityEvent } from "../../../lib/wire";
import { evolve, listed, noPages, withPages } from "./pageList";

function event(sequence: number, change: object, agentId = "default"): EntityEvent {
  const written = "version" in change;
  return {
    sequence,
    agent_id: agentId,
    session_id: null,
    type: written ? "foldline.agent.entity_written.v1" : "foldline.agent.entity_deleted.v1",
    body: { kind: "component", ...change },
  } as unknown as EntityEvent;
}

const written = (sequence: number, name: string, version: number) =>
  event(sequence, { name, version, value: { description: `v${version}`, code: "" } });
const entry = (name: string, sequence: number, version = 1) => ({ name, description: "", version, sequence });
const names = (view: ReturnType<typeof noPages>) =>
  listed(view).map(({ name, version }) => `${name} ${version}`);

test("pages are made, changed and deleted as events say", () => {
  let view = withPages(noPages("default"), [entry("b", 3)]);
  view = evolve(view, written(5, "a", 1));
  view = evolve(view, written(6, "b", 2));
  expect(names(view)).toEqual(["a 1", "b 2"]);
  expect(names(evolve(view, event(7, { name: "b" })))).toEqual(["a 1"]);
});

test("a read that is older than what was heard takes nothing back", () => {
  let view = evolve(noPages("default"), written(9, "a", 2));
  view = evolve(view, event(10, { name: "b" }));
  view = withPages(view, [entry("a", 4), entry("b", 5), entry("c", 6)]);
  expect(names(view)).toEqual(["a 2", "c 1"]);
});

test("an event that comes again, of another agent or another kind changes nothing", () => {
  const view = withPages(noPages("default"), [entry("a", 4)]);
  expect(evolve(view, written(4, "a", 1))).toBe(view);
  expect(evolve(view, event(8, { name: "a" }, "other"))).toBe(view);
  expect(evolve(view, event(8, { name: "a", kind: "state" }))).toBe(view);
});

test("a name that was deleted can be made again", () => {
  const gone = evolve(withPages(noPages("default"), [entry("a", 4)]), event(5, { name: "a" }));
  expect(names(gone)).toEqual([]);
  expect(names(evolve(gone, written(6, "a", 1)))).toEqual(["a 1"]);
});
