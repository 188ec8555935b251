import { expect, test } from "vitest";
import { definitionText, serversIn } from "./mcp";

test("servers are found in a whole file, and in a part of it", () => {
  const servers = { notes: { command: "notes-server" } };
  expect(serversIn(JSON.stringify({ mcpServers: servers, other: 1 }))).toEqual(servers);
  expect(serversIn(JSON.stringify(servers))).toEqual(servers);
});

test("what can't be read says so in a person's words, and that nothing was added", () => {
  expect(() => serversIn("notes-server --port 1")).toThrow("Nothing was added: this is not JSON.");
  for (const other of ["[]", "7", '{"notes": "notes-server"}'])
    expect(() => serversIn(other)).toThrow("Nothing was added: this names no servers.");
});

test("an app is told with the hash and the size of its page, whenever that was listed", () => {
  const plain = { title: "t", description: "", parameters: "{}", hints: {}, for_apps_only: false };
  const definition = { ...plain, for_models_only: false, app: "ui://a/1", page: null };
  const page = { sha256: "ab12", size: 2_048, listed_at: "2026-01-31T12:00:00.000Z" };
  expect(definitionText(definition)).toContain("ui://a/1: its page is not available, so it isn't shown");
  const told = definitionText({ ...definition, page });
  expect(told).toContain("SHA-256 ab12");
  expect(definitionText({ ...definition, page: { ...page, listed_at: "2026-02-01T12:00:00.000Z" } })).toBe(
    told,
  );
  expect(definitionText({ ...definition, page: { ...page, sha256: "ab13" } })).not.toBe(told);
});
