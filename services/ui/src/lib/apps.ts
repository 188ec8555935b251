/** Apps of MCP servers (SEP-1865): pages that show the result of a tool. */
import { address } from "./api";
import type { ToolCall } from "./wire";

/** The id of the file that holds the app of a call; null where it brought none. */
export function appOf({ status, result }: ToolCall): string | null {
  if (status !== "completed" || typeof result !== "object" || result === null) return null;
  const { app } = result as { app?: { file_id?: unknown } | null };
  return typeof app?.file_id === "string" ? app.file_id : null;
}

/** Where the gateway serves it, with a policy that closes the net. */
export const appHref = (fileId: string): string => address(`/files/${encodeURIComponent(fileId)}/app`);
