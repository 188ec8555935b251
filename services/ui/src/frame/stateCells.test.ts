import { expect, test } from "vitest";
import { StateCells } from "./stateCells";

function given() {
  const failures: unknown[] = [];
  const writes: { key: string; value: unknown; done(): void; refuse(words: string): void }[] = [];
  let told: (value: unknown, present: boolean) => void = () => {};
  const cells = new StateCells({
    watch: (_key, listener) => {
      told = listener;
    },
    write: (key, value) =>
      new Promise((resolve, reject) => {
        writes.push({ key, value, done: () => resolve(null), refuse: (words) => reject(new Error(words)) });
      }),
    failed: (error) => failures.push(error),
  });
  let heard = 0;
  cells.subscribe("n", () => {
    heard += 1;
  });
  return { cells, writes, failures, tell: (value: unknown) => told(value, true), heard: () => heard };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

test("a value is not there until the shell says so", () => {
  const { cells, tell } = given();
  expect(cells.read("n")).toEqual({ value: undefined, present: false, loaded: false });
  tell(1);
  expect(cells.read("n")).toEqual({ value: 1, present: true, loaded: true });
});

test("what was written is shown at once, and older news of the state don't take it back", async () => {
  const { cells, writes, tell } = given();
  tell(0);
  cells.write("n", 1);
  cells.write("n", 2);
  tell(1);
  expect(cells.read("n").value).toBe(2);
  tell(2);
  for (const write of writes) write.done();
  await settled();
  expect(cells.read("n").value).toBe(2);
});

test("a refused write is reported, and what is stored is shown again", async () => {
  const { cells, writes, failures, tell } = given();
  tell({ kept: true });
  cells.write("n", "too large");
  writes[0]?.refuse("no");
  await settled();
  expect(cells.read("n").value).toEqual({ kept: true });
  expect(failures).toEqual([new Error("no")]);
});

test("an equal value is no news", () => {
  const { cells, tell, heard } = given();
  tell({ a: [1] });
  const first = cells.read("n");
  tell({ a: [1] });
  expect(heard()).toBe(1);
  expect(cells.read("n")).toBe(first);
});
