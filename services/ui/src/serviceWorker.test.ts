import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const SOURCE = readFileSync(join(import.meta.dirname, "../public/sw.js"), "utf8");
const SCOPE = "https://foldline.example/app/";

/** The worker among windows of its browser: what it does when a notification is pressed. */
function worker(...urls: string[]) {
  const done: string[] = [];
  const pages = urls.map((url) => ({
    url,
    focus: async () => void done.push(`focus ${url}`),
    navigate: async (to: string) => void done.push(`navigate ${to}`),
  }));
  const listeners: Record<string, (event: unknown) => void> = {};
  const clients = {
    matchAll: async ({ type }: { type: string }) => (type === "window" ? pages : []),
    openWindow: async (to: string) => void done.push(`open ${to}`),
  };
  const self = {
    addEventListener: (type: string, listener: (event: unknown) => void) => {
      listeners[type] = listener;
    },
    registration: { scope: SCOPE },
    clients,
  };
  new Function("self", SOURCE)(self);
  return async (data: unknown) => {
    const waited: Promise<unknown>[] = [];
    const notification = { close: () => void done.push("close"), data };
    listeners.notificationclick?.({
      notification,
      waitUntil: (it: Promise<unknown>) => void waited.push(it),
    });
    expect(waited).toHaveLength(1); // else the browser may end the worker before it is done
    await Promise.all(waited);
    return done;
  };
}

test("a page that is open comes to the front, and goes to what the notification is about", async () => {
  const press = worker("https://elsewhere.example/", `${SCOPE}#/inbox`);
  expect(await press({ path: "#/s/s_1" })).toEqual([
    "close",
    `focus ${SCOPE}#/inbox`,
    `navigate ${SCOPE}#/s/s_1`,
  ]);
});

test("where none is open, one is opened", async () => {
  expect(await worker("https://foldline.example/other")({ path: "#/s/s_1" })).toEqual([
    "close",
    `open ${SCOPE}#/s/s_1`,
  ]);
});

test.each([{ path: "https://evil.example/" }, { path: "//evil.example" }, { path: 7 }, {}, null])(
  "what is not an address of ours leads to the beginning: %j",
  async (data) => {
    expect(await worker()(data)).toEqual(["close", `open ${SCOPE}#/`]);
  },
);
