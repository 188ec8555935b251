import type { Kind } from "../kind";

export default {
  kind: "mcp_server",
  noun: "MCP server",
  title: "MCP servers",
  group: "works",
  order: 9,
  byPeople: true,
  tab: null,
  page: {
    path: "mcp-servers",
    section: "mcp",
    form: "room",
    none: "No servers yet.",
    parts: [],
    versions: true,
  },
} satisfies Kind;
