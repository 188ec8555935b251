import { expect, test } from "vitest";
import { serversIn } from "./mcp";

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
