/** Foreign servers of tools, in words for people. Pure. */
import type { McpServer, McpTool } from "../../../lib/wire";
import { bytes } from "../../../lib/words";

/** How a server is, in a few words. */
export function stateWords({ enabled, status }: McpServer): string {
  if (!enabled) return "Switched off";
  switch (status?.state) {
    case "connected":
      return "Connected";
    case "changed":
      return "Waits for you: its tools are new or have changed.";
    case "needs_login":
      return "You have to log in.";
    case "error":
      return `Can't be used: ${status.error ?? ""}`;
    default:
      return "Not connected. Foldline connects when the agent needs it.";
  }
}

/** What runs, or where it is. */
export function whatWords({ transport }: McpServer): string {
  return transport.kind === "http" ? transport.url : [transport.command, ...(transport.args ?? [])].join(" ");
}

const STANDINGS: Record<string, string> = {
  offered: "Offered",
  new: "New",
  changed: "Changed since you accepted it",
  renamed: "Waits: its server has another name",
  flawed: "Can't be used",
};

export function standingWords({ standing }: McpTool): string {
  return STANDINGS[standing] ?? standing;
}

/** A definition as text, to be compared line by line. */
export function definitionText(definition: McpTool["now"]): string {
  const { title, description, parameters, hints, app, page } = definition;
  const shows = [
    app && `shows the app ${app}: ${pageWords(page)}`,
    definition.for_apps_only && "only its app may call it",
    definition.for_models_only && "no app may call it",
  ];
  const claims = Object.entries(hints).map(([name, value]) => `${name}: ${value}`);
  return [title, description, parameters, ...claims, ...shows].filter(Boolean).join("\n");
}

/** What stands at an app's address: what it is pinned by. */
function pageWords(page: McpTool["now"]["page"]): string {
  if (!page) return "its page is not available, so it isn't shown";
  return `a page of ${bytes(page.size)}, SHA-256 ${page.sha256}`;
}

/** The servers in a file that another program keeps, or in one entry of it. Raises where it is none. */
export function serversIn(text: string): Record<string, Record<string, unknown>> {
  const value = parsed(text);
  const found = isObject(value) && isObject(value.mcpServers) ? value.mcpServers : value;
  if (!isObject(found) || !Object.values(found).every(isObject))
    throw new Error('Nothing was added: this names no servers. Write {"NAME": {"command": …}}.');
  return found as Record<string, Record<string, unknown>>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error("Nothing was added: this is not JSON.", { cause: error });
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
