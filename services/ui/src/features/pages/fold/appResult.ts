import type { ToolCall } from "../../../lib/wire";

/** What an app is told of the result of its call, as MCP's own `CallToolResult`. Pictures and files stay here. */
export function callToolResult({ result }: Pick<ToolCall, "result">): Record<string, unknown> {
  const { text, structured } = (result ?? {}) as { text?: unknown; structured?: unknown };
  const said = typeof text === "string" && text ? text : JSON.stringify(structured ?? null);
  const isObject = typeof structured === "object" && structured !== null && !Array.isArray(structured);
  return {
    content: [{ type: "text", text: said }],
    ...(isObject ? { structuredContent: structured } : {}),
  };
}
