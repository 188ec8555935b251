import { expect, test } from "vitest";
import { message, page, session } from "../../../testing/given";
import { opened } from "./page";
import { beside, variants } from "./variants";

const relative = (id: string, forked_from_id: string | null = null, fork_sequence: number | null = null) => ({
  id,
  title: null,
  status: "idle" as const,
  forked_from_id,
  fork_sequence,
});
/** s_1 says 2, 5 and 8. Two forks go another way from 5 on, one from 8 on, and one of the first fork's own 22. */
const FAMILY = [
  relative("s_1"),
  relative("s_a", "s_1", 4),
  relative("s_b", "s_1", 4),
  relative("s_c", "s_1", 7),
  relative("s_d", "s_a", 21),
];
const of = (id: string, sequence: number) => ({
  ...message(sequence, "user", `${id} ${sequence}`),
  session_id: id,
});
const view = (id: string, messages: ReturnType<typeof of>[], before: string | null = null) =>
  opened(session({ id, family: FAMILY }), page(messages, { next_cursor: before }));

test("in the session that all go back to, each message says in how many ways it went on", () => {
  const found = variants(view("s_1", [of("s_1", 2), of("s_1", 5), of("s_1", 8)]));
  expect([...found]).toEqual([
    [5, { sessions: ["s_1", "s_a", "s_b"], current: 0 }],
    [8, { sessions: ["s_1", "s_c"], current: 0 }],
  ]);
});

test("in a fork its own first message is one of them, and what it has not of its origin is none", () => {
  const fork = view("s_a", [of("s_1", 2), of("s_a", 20), of("s_a", 22)]);
  expect([...variants(fork)]).toEqual([
    [20, { sessions: ["s_1", "s_a", "s_b"], current: 1 }],
    [22, { sessions: ["s_a", "s_d"], current: 0 }],
  ]);
});

test("in a fork of a fork both show", () => {
  const found = variants(view("s_d", [of("s_1", 2), of("s_a", 20), of("s_d", 30)]));
  expect([...found]).toEqual([
    [20, { sessions: ["s_1", "s_a", "s_b"], current: 1 }],
    [30, { sessions: ["s_a", "s_d"], current: 1 }],
  ]);
});

test("one more variant of a fork's own first message begins where the fork began", () => {
  const fork = view("s_a", [of("s_1", 2), of("s_a", 20), of("s_a", 22)]);
  const [inherited, first, second] = fork.messages;
  expect(inherited && beside(fork, inherited)).toEqual({ sessionId: "s_1", at: 1 });
  expect(first && beside(fork, first)).toEqual({ sessionId: "s_1", at: 4 });
  expect(second && beside(fork, second)).toEqual({ sessionId: "s_a", at: 21 });
});

test("of what may lie before the loaded page nothing is said", () => {
  expect([...variants(view("s_1", [of("s_1", 8)], "8"))]).toEqual([]);
  expect([...variants(view("s_1", [of("s_1", 5), of("s_1", 8)], "5")).keys()]).toEqual([8]);
});

test("without forks nothing varies", () => {
  expect(variants(opened(session(), page([message(2, "user", "Hello")]))).size).toBe(0);
});
