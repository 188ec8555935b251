import { expect, test } from "vitest";
import { askedBy, besides, keysOf, type Pressed, SHORTCUTS } from "./keys";

const down = (key: string, change: Partial<Pressed> = {}): Pressed => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...change,
});

test("the palette opens by Ctrl-K, by ⌘K on a Mac, and while one writes, too", () => {
  expect(askedBy(down("k", { ctrlKey: true }), false, false)).toBe("palette");
  expect(askedBy(down("k", { metaKey: true }), true, false)).toBe("palette");
  expect(askedBy(down("k", { ctrlKey: true }), true, true)).toBeNull(); // kills the line there
  expect(askedBy(down("k", { metaKey: true }), false, true)).toBeNull();
});

test("a key alone counts only where nobody writes", () => {
  expect(askedBy(down("n"), false, true)).toBe("new");
  expect(askedBy(down("?"), false, true)).toBe("sheet");
  expect(askedBy(down("k"), false, true)).toBe("later");
  expect(SHORTCUTS.filter(({ mod }) => !mod).map(({ key }) => askedBy(down(key), false, false))).toEqual(
    SHORTCUTS.filter(({ mod }) => !mod).map(() => null),
  );
});

test("keys of the browser and the system are theirs", () => {
  expect(askedBy(down("n", { ctrlKey: true }), false, true)).toBeNull();
  expect(askedBy(down("s", { metaKey: true }), true, true)).toBeNull();
  expect(askedBy(down("k", { ctrlKey: true, altKey: true }), false, true)).toBeNull();
  expect(askedBy(down("i", { altKey: true }), false, true)).toBeNull();
  expect(askedBy(down("Escape"), false, true)).toBeNull();
});

test("no two shortcuts have the same keys, and each says which they are", () => {
  const all = SHORTCUTS.map((one) => keysOf(one, false).join("+"));
  expect(new Set(all).size).toBe(all.length);
  expect(all[0]).toBe("Ctrl+K");
  expect(SHORTCUTS.map((one) => keysOf(one, true).join("+"))[0]).toBe("⌘+K");
});

test("the chat above and below are those of the list, and at its end is none", () => {
  expect(besides(["a", "b", "c"], "b", 1)).toBe("c");
  expect(besides(["a", "b", "c"], "b", -1)).toBe("a");
  expect(besides(["a", "b"], "b", 1)).toBeNull();
  expect(besides(["a", "b"], null, 1)).toBe("a");
  expect(besides([], null, 1)).toBeNull();
});
