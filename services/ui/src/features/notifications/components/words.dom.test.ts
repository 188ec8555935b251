import { expect, test } from "vitest";
import { browserName } from "../api/push";
import type { Channel } from "../api/requests";
import { howItDoes, leadsTo } from "./words";

const NOW = new Date("2026-01-31T12:00:00Z");
const channel = (change: Partial<Channel> = {}): Channel => ({
  name: "hook",
  kind: "webhook",
  noun: "webhook",
  leads_to: "hooks.example",
  kinds: ["question"],
  enabled: true,
  readable: true,
  delivered_at: null,
  failed_at: null,
  error: null,
  failures: 0,
  gone: false,
  ...change,
});

test("trouble is told before anything else, with what to do", () => {
  expect(howItDoes(channel({ readable: false }), NOW)).toMatchObject({
    trouble: true,
    text: expect.stringContaining("Set it again"),
  });
  expect(howItDoes(channel({ gone: true, error: "410" }), NOW).text).toContain("Turn them on there again");
  expect(howItDoes(channel({ error: "the server answers 500", failures: 3 }), NOW).text).toBe(
    "The last attempt failed (3 times in a row): the server answers 500",
  );
});

test("a channel that does well says when it last did", () => {
  expect(howItDoes(channel(), NOW)).toEqual({ text: "Nothing was sent yet", trouble: false });
  expect(howItDoes(channel({ enabled: false }), NOW).text).toBe("Off");
  expect(howItDoes(channel({ delivered_at: "2026-01-31T11:00:00Z" }), NOW).text).toMatch(/delivered: Today/);
  expect(leadsTo(channel())).toBe("webhook: hooks.example");
});

test("a browser has the name that people know it by", () => {
  const edge = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/131.0 Safari/537.36 Edg/131.0";
  expect(browserName(edge)).toBe("Edge on Windows");
  expect(browserName("Mozilla/5.0 (Linux; Android 15) Chrome/131.0 Mobile Safari/537.36")).toBe(
    "Chrome on Android",
  );
  expect(browserName("curl/8")).toBe("A browser");
});
