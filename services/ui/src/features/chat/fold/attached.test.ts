import { expect, test } from "vitest";
import { changed, idsOf, LARGEST_FILE, MOST_FILES, pasted, ready, retriable, withPicked } from "./attached";

const file = (name: string, size = 3) =>
  Object.defineProperty(new File(["abc"], name), "size", { value: size }) as File;
const picked = (name: string, size?: number) => ({ key: name, path: name, file: file(name, size) });

test("a file is uploaded at once, and without a chat it is held", () => {
  expect(withPicked([], [picked("a")], false)).toMatchObject([{ path: "a", size: 3, state: "uploading" }]);
  const held = withPicked([], [picked("a")], true);
  expect(held).toMatchObject([{ state: "held" }]);
  expect(ready(held)).toBe(true);
});

test("a file that is too large says so, and can't be tried again", () => {
  const [one] = withPicked([], [picked("a", LARGEST_FILE + 1)], false);
  expect(one).toMatchObject({ state: "failed", problem: "Larger than 50.0 MB: remove it" });
  expect(one && retriable(one)).toBe(false);
});

test("no more go with one message than the gateway takes", () => {
  const many = Array.from({ length: MOST_FILES + 5 }, (_, index) => picked(`f${index}`));
  expect(withPicked([], many, false)).toHaveLength(MOST_FILES);
});

test("a message waits until all of them are there", () => {
  const two = withPicked([], [picked("a"), picked("b")], false);
  expect(ready(two)).toBe(false);
  const one = changed(two, "a", { state: "there", fileId: "f_1" });
  expect(ready(one)).toBe(false);
  const both = changed(one, "b", null);
  expect(ready(both)).toBe(true);
  expect(idsOf(both)).toEqual(["f_1"]);
});

test("pictures that were pasted don't take each other's place", () => {
  const now = new Date("2026-01-02T03:04:05.678Z");
  expect(pasted([file("image.png"), file("image.png"), file("notes")], now).map(({ path }) => path)).toEqual([
    "image-20260102-030405.png",
    "image-20260102-030405-2.png",
    "notes-20260102-030405-3",
  ]);
});
