/**
 * The shell's end of the talk with an MCP server's app (SEP-1865): JSON-RPC over `postMessage`. It tells the app its
 * call's arguments and result. The app may ask to say something and to open a link, which a person decides, and to
 * call its server's tools and to read resources there, which the agent's policy does.
 */
import { LONGEST_MESSAGE, LONGEST_SAYING } from "../../../lib/pageMessages";

export const PROTOCOL = "2026-01-26";
/** Messages in `WINDOW_MS`; one more stops the app. */
const MOST_MESSAGES = 200;
const WINDOW_MS = 10_000;
/** Calls of tools in a minute; one more stops the app. */
const MOST_CALLS = 60;
const MINUTE_MS = 60_000;
const NO_SUCH_METHOD = -32601;
const INVALID_PARAMS = -32602;
const REFUSED = -32000;
const LONGEST_NAME = 200;
const LONGEST_URL = 8_192;
const LONGEST_URI = 2_000;

export interface AppCall {
  arguments: Readonly<Record<string, unknown>>;
  result: Readonly<Record<string, unknown>>;
}

export interface AppEvents {
  onHeight(pixels: number): void;
  /** Resolves once a person has said yes and it was said; rejects else. */
  onSay(text: string): Promise<void>;
  onOpen(url: URL): Promise<void>;
  /** What the tool gave, as MCP's `CallToolResult`; rejects where it wasn't called. Null: the app can't act here. */
  onCall: ((tool: string, args: Params) => Promise<object>) | null;
  /** What its server has there, as MCP's `ReadResourceResult`; null as `onCall` is. */
  onRead: ((uri: string) => Promise<object>) | null;
  onOutlaw(why: string): void;
}

export interface AppHost {
  receive(data: unknown): void;
  theme(theme: "light" | "dark"): void;
}

type Id = string | number;
type Params = Record<string, unknown>;

export function openAppHost(
  call: AppCall,
  theme: "light" | "dark",
  post: (message: object) => void,
  events: AppEvents,
  now: () => number = () => performance.now(),
): AppHost {
  const { onCall, onRead } = events;
  let called: number[] = [];
  let begun = now();
  let count = 0;
  let over = false;
  let shown = theme;
  let initialized = false;
  const notify = (method: string, params: object) => post({ jsonrpc: "2.0", method, params });

  function outlaw(why: string): void {
    over = true;
    events.onOutlaw(why);
  }

  function isTooMuch(data: unknown): boolean {
    if (now() - begun > WINDOW_MS) {
      begun = now();
      count = 0;
    }
    count += 1;
    if (count > MOST_MESSAGES) outlaw("It sent too many messages.");
    else if (sizeOf(data) > LONGEST_MESSAGE) outlaw("It sent a message that is too large.");
    return over;
  }

  function initialize() {
    return {
      protocolVersion: PROTOCOL,
      hostInfo: { name: "foldline", version: "1" },
      hostCapabilities: {
        openLinks: {},
        ...(onCall && { serverTools: {} }),
        ...(onRead && { serverResources: {} }),
        sandbox: { permissions: {}, csp: {} },
      },
      hostContext: {
        theme: shown,
        displayMode: "inline",
        availableDisplayModes: ["inline"],
        locale: navigator.language,
        platform: "web",
      },
    };
  }

  function heard(method: string, params: Params): void {
    if (method === "ui/notifications/initialized" && !initialized) {
      initialized = true;
      notify("ui/notifications/tool-input", { arguments: call.arguments });
      notify("ui/notifications/tool-result", call.result);
    }
    if (method === "ui/notifications/size-changed" && typeof params.height === "number")
      events.onHeight(params.height);
  }

  async function answered(method: string, params: Params): Promise<object> {
    switch (method) {
      case "ui/initialize":
        return initialize();
      case "ping":
        return {};
      case "ui/request-display-mode":
        return { mode: "inline" };
      case "ui/message":
        await events.onSay(saidIn(params));
        return {};
      case "ui/open-link":
        await events.onOpen(urlIn(params));
        return {};
      case "tools/call":
        if (onCall) return callTool(onCall, params);
        break;
      case "resources/read":
        if (onRead) return readResource(onRead, params);
    }
    throw new Refusal(NO_SUCH_METHOD, `Foldline doesn't do ${method.slice(0, 100)} for apps.`);
  }

  async function callTool(call: NonNullable<AppEvents["onCall"]>, { name, arguments: args = {} }: Params) {
    if (typeof name !== "string" || name.length > LONGEST_NAME || !isRecord(args))
      throw new Refusal(INVALID_PARAMS, "A call has the name of a tool, and arguments that are an object.");
    keepPace();
    return over ? {} : call(name, args);
  }

  async function readResource(read: NonNullable<AppEvents["onRead"]>, { uri }: Params) {
    if (typeof uri !== "string" || !uri || uri.length > LONGEST_URI)
      throw new Refusal(INVALID_PARAMS, "A resource has an address.");
    keepPace();
    return over ? {} : read(uri);
  }

  function keepPace(): void {
    called = [...called.filter((time) => now() - time < MINUTE_MS), now()];
    if (called.length > MOST_CALLS) outlaw(`It called tools more than ${MOST_CALLS} times in a minute.`);
  }

  function answer(id: Id, method: string, params: Params): void {
    answered(method, params).then(
      (result) => over || post({ jsonrpc: "2.0", id, result }),
      (error: unknown) => {
        const code = error instanceof Refusal ? error.code : REFUSED;
        const message = error instanceof Error ? error.message : String(error);
        if (!over) post({ jsonrpc: "2.0", id, error: { code, message } });
      },
    );
  }

  return {
    receive(data) {
      if (over || isTooMuch(data)) return;
      const { jsonrpc, id, method, params = {} } = isRecord(data) ? data : {};
      if (jsonrpc !== "2.0" || typeof method !== "string" || !isRecord(params)) return;
      if (id === undefined) heard(method, params);
      else if (typeof id === "number" || (typeof id === "string" && id.length <= 200))
        answer(id, method, params);
    },
    theme(next) {
      shown = next;
      if (initialized) notify("ui/notifications/host-context-changed", { theme: next });
    },
  };
}

class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** The text of a message: of one part, or of several. */
function saidIn({ content }: Params): string {
  const parts = Array.isArray(content) ? content : [content];
  const texts = parts.map((part) => (isRecord(part) && part.type === "text" ? part.text : null));
  const said = texts.every((text) => typeof text === "string") ? texts.join("\n\n") : "";
  if (!said.trim() || said.length > LONGEST_SAYING)
    throw new Refusal(REFUSED, `A message is text of at most ${LONGEST_SAYING} characters.`);
  return said;
}

function urlIn({ url }: Params): URL {
  const parsed = typeof url === "string" && url.length <= LONGEST_URL ? URL.parse(url) : null;
  if (!parsed || !["https:", "http:"].includes(parsed.protocol))
    throw new Refusal(REFUSED, "Only http and https addresses can be opened.");
  return parsed;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Characters of the message as JSON; infinite for what isn't plain data. */
function sizeOf(data: unknown): number {
  try {
    return JSON.stringify(data)?.length ?? 0;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
