import { expect, test } from "vitest";
import type { LogEvent } from "../../../lib/wire";
import { timeOf } from "../../../testing/given";
import { EMPTY, evolve, found, fromLists, itemOf, itemsOf, type StudioView, told } from "./view";

type Body = { kind: string; name: string; value?: unknown; version?: number; session_id?: string };

/** An event of something the agent has; without a version it is a deletion. */
function about(sequence: number, body: Body, actor = "agent"): LogEvent {
  const what = body.version === undefined ? "deleted" : "written";
  return {
    ...{ sequence, session_id: null, agent_id: "a", written_at: timeOf(sequence), actor, causation: null },
    ...{ event_id: `e_${sequence}`, type: `foldline.agent.entity_${what}.v1`, body },
  } as unknown as LogEvent;
}

const CODE = { description: "Warms.", code: "return 1", parameter_schema: {}, enabled: true };
const made = (sequence: number, version: number, change: Partial<typeof CODE> = {}) =>
  about(sequence, { kind: "tool", name: "warm", value: { ...CODE, ...change }, version, session_id: "s_1" });
const after = (...events: LogEvent[]) => events.reduce(evolve, EMPTY);
const tool = (view: StudioView) => itemsOf(view, "tool").warm;

test("what is made appears with who made it", () => {
  expect(tool(after(made(5, 1)))).toMatchObject({
    ...{ name: "warm", description: "Warms.", enabled: true, version: 1, sequence: 5, actor: "agent" },
    session_id: "s_1",
  });
});

test("a change takes the place of the version before, a deletion takes it out", () => {
  const changed = after(made(5, 1), made(6, 2, { enabled: false }));
  expect(tool(changed)).toMatchObject({ version: 2, enabled: false });
  expect(tool(evolve(changed, about(7, { kind: "tool", name: "warm" })))).toBeUndefined();
});

test("what is older than what was read changes nothing", () => {
  const {
    version,
    sequence,
    written_at: time,
    actor,
  } = {
    version: 3,
    sequence: 9,
    written_at: timeOf(9),
    actor: "user" as const,
  };
  const read = fromLists({
    tool: [
      itemOf({ name: "warm", version, sequence, written_at: time, actor, session_id: null, call_id: null }),
    ],
  });
  expect(evolve(read, made(8, 2))).toBe(read);
  expect(evolve(read, about(7, { kind: "tool", name: "warm" }))).toBe(read);
  expect(evolve(read, made(9, 3))).toBe(read);
});

test("a text, a secret, a key of the state; and kinds that are not shown", () => {
  const view = after(
    about(1, { kind: "prompt", name: "system", value: "Hi", version: 2 }),
    about(2, {
      kind: "secret",
      name: "API_KEY",
      value: { hosts: ["a.org"], revision: 1, reveal: true },
      version: 1,
    }),
    about(3, { kind: "state", name: "description", value: { description: "no" }, version: 1 }),
  );
  expect(view.changed).toMatchObject({ "prompt/prompt": 1, "secret/API_KEY": 2, "state/description": 3 });
  expect(itemsOf(view, "secret").API_KEY).toMatchObject({ hosts: ["a.org"], reveal: true });
  expect(itemsOf(view, "state").description).toMatchObject({ description: "", enabled: true });
  expect(evolve(view, about(4, { kind: "notepad", name: "s_1", value: "x", version: 1 }))).toBe(view);
});

test("names that every object knows are names like others", () => {
  const view = after(about(1, { kind: "state", name: "constructor", value: 1, version: 1 }));
  expect(found(itemsOf(view, "state"), "")).toHaveLength(1);
  expect(
    found(itemsOf(evolve(view, about(2, { kind: "state", name: "toString" })), "state"), ""),
  ).toHaveLength(1);
});

test("things are found by name and description", () => {
  const view = after(made(1, 1), about(2, { kind: "tool", name: "brew", value: CODE, version: 1 }));
  expect(found(itemsOf(view, "tool"), "").map(({ name }) => name)).toEqual(["brew", "warm"]);
  expect(found(itemsOf(view, "tool"), " WARMS ")).toHaveLength(2);
  expect(found(itemsOf(view, "tool"), "bre").map(({ name }) => name)).toEqual(["brew"]);
});

test("a change is told in words", () => {
  expect(told(null)).toBe("");
  expect(told(after(made(1, 1)).latest)).toBe("The agent made the tool warm.");
  expect(told(after(made(1, 2)).latest)).toBe("The agent changed the tool warm: version 2.");
  expect(told(after(made(1, 1), about(2, { kind: "tool", name: "warm" }, "user")).latest)).toBe(
    "You deleted the tool warm.",
  );
  expect(told(after(about(1, { kind: "notes", name: "learned", value: "x", version: 3 })).latest)).toBe(
    "The agent changed the learned notes: version 3.",
  );
});
