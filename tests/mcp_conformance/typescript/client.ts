// A client of the TypeScript SDK, told what to do by lines of JSON on its standard input: it lists tools, and calls
// one. It connects with a program (argv: "stdio", the command), or an address ("http", the URL, the token).
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [kind, ...rest] = process.argv.slice(2);
const transport =
  kind === "stdio"
    ? new StdioClientTransport({
        command: rest[0],
        args: rest.slice(1),
        env: process.env as Record<string, string>,
      })
    : new StreamableHTTPClientTransport(new URL(rest[0]), {
        requestInit: { headers: { Authorization: `Bearer ${rest[1]}` } },
      });
const client = new Client({ name: "typescript", version: "1" });
await client.connect(transport);
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  try {
    const answer = asked.call
      ? await client.callTool({ name: asked.call, arguments: asked.with ?? {} })
      : (await client.listTools()).tools.map(({ name, description }) => ({ name, description }));
    console.log(JSON.stringify(answer));
  } catch (error) {
    console.log(JSON.stringify({ failed: String(error) }));
  }
}
await client.close();
