import { expect, test } from "vitest";
import { effectsOf } from "./effects";

test("what code will do for real is told before it runs", () => {
  const code = "const r = await fetch(args.url)\nawait state.set('k', r.status)\nreturn db.sql('SELECT 1')";
  expect(effectsOf(code)).toEqual([
    "sends requests to other servers",
    "writes the agent's state",
    "works on the agent's database",
  ]);
});

test("code that only reckons does nothing", () => {
  expect(effectsOf("const prefetched = args.n * 2\nreturn { prefetched, state: 1 }")).toEqual([]);
  expect(effectsOf("return await state.get('k')")).toEqual([]);
});
