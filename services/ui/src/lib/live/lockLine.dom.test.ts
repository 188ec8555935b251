import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
  document.head.replaceChildren();
});

/** The names of channels and locks that a tab uses, whose pages lie below `base`. */
async function namesBelow(base: string): Promise<string[]> {
  const names: string[] = [];
  class Channel {
    onmessage = null;
    constructor(name: string) {
      names.push(name);
    }
    postMessage() {}
    close() {}
  }
  const locks = { request: (name: string) => void names.push(name) };
  vi.stubGlobal("BroadcastChannel", Channel);
  vi.stubGlobal("navigator", { ...window.navigator, locks });
  const element = document.head.appendChild(document.createElement("base"));
  element.href = base;
  const { lockLine } = await import("./lockLine");
  lockLine({ tab: "t1", onLeader: () => {}, onSaid: () => {} }).close();
  element.remove();
  return names;
}

test("tabs of two Foldlines behind one host share nothing, and those of one share all", async () => {
  const root = await namesBelow("https://host.test/");
  const below = await namesBelow("https://host.test/foldline/");
  expect(root.length).toBeGreaterThan(2);
  expect(below).toHaveLength(root.length);
  expect(root.filter((name) => below.includes(name))).toEqual([]);
  expect(await namesBelow("https://host.test/foldline/")).toEqual(below);
});
