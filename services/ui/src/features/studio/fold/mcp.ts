/** Foreign servers of tools, in words for people. Pure. */
import type { McpServer, McpTool } from "../api/mcp";

/** How a server is, in a few words. */
export function stateWords({ enabled, status }: McpServer): string {
  if (!enabled) return "Switched off";
  switch (status?.state) {
    case "connected":
      return "Connected";
    case "changed":
      return "Waits for you: its tools are new or have changed";
    case "needs_login":
      return "Wants you to log in";
    case "error":
      return `Can't be used: ${status.error ?? ""}`;
    default:
      return "Not connected: it is when it's needed";
  }
}

/** What runs, or where it is. */
export function whatWords({ transport }: McpServer): string {
  return "url" in transport ? transport.url : [transport.command, ...transport.args].join(" ");
}

const STANDINGS: Record<string, string> = {
  offered: "Offered",
  new: "New",
  changed: "Changed since you accepted it",
  renamed: "Waits, since its server renamed something",
  flawed: "Can't be used",
};

export function standingWords({ standing }: McpTool): string {
  return STANDINGS[standing] ?? standing;
}

/** A definition as text, to be compared line by line. */
export function definitionText({ title, description, parameters, hints }: McpTool["now"]): string {
  const claims = Object.entries(hints).map(([name, value]) => `${name}: ${value}`);
  return [title, description, parameters, ...claims].filter(Boolean).join("\n");
}

/** The servers in a file that another program keeps, or in one entry of it. Raises where it is none. */
export function serversIn(text: string): Record<string, Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  const found = isObject(value) && isObject(value.mcpServers) ? value.mcpServers : value;
  if (!isObject(found) || !Object.values(found).every(isObject))
    throw new Error("There is no mcpServers in it");
  return found as Record<string, Record<string, unknown>>;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
