// What code can ask of the host. Each method sends its arguments as they are; the names and shapes on the other side
// are those of tool_runner/code/host.py. A part that the host has not wired answers with an error that says so.
// After a method's name are those of its arguments, as errors name them; without any, it takes one object.
import { create, define, entries, freeze, isArray, keys, parse, TypeE } from "./intrinsics.js";
import { call } from "./calls.js";
import { exactText } from "./exact.js";
import { text } from "./wire.js";

const METHODS = {
  state: ["get key", "set key value", "delete key", "keys prefix"],
  db: ["sql sql params", "schema"],
  files: [
    "list", "info", "create", "delete", "readText", "writeText", "replaceLines", "insertLines", "copy", "rename",
    "search", "download", "view", "promote",
  ],
  spreadsheet: [
    "listSheets", "getSheetSummary", "readRange", "writeRange", "readCell", "writeCell", "addSheet", "deleteSheet",
    "insertRows", "deleteRows", "setFormat", "autoFilter",
  ],
  pdf: [
    "info", "extractText", "pageToImage", "addPage", "deletePage", "addText", "addImage", "getFormFields", "fillForm",
    "merge", "splitPages",
  ],
  image: ["info", "resize", "crop", "convert", "composite", "toBase64"],
  functions: ["call name args"],
  skills: ["list", "read name"],
  mcp: ["callTool", "resources", "readResource"],
  llm: ["generate"],
  web: ["search", "read"],
  browser: ["navigate", "screenshot", "click", "type", "extractText", "extractHtml", "evaluate", "close"],
};

function part(name, methods) {
  const o = {};
  for (const one of methods) {
    const [method, ...names] = one.split(" ");
    o[method] = (...args) => call(`${name}.${method}`, args, names);
  }
  return o;
}
for (const name of keys(METHODS)) define(name, freeze(part(name, METHODS[name])));
define(
  "session",
  freeze({ ...part("session", ["beginTask title", "endTask summary"]), notepad: freeze(part("session.notepad", ["read", "write content", "update"])) }),
);

// ---- fetch ----
function headerPairs(headers, place) {
  const out = [];
  if (!headers) return out;
  const list = isArray(headers) ? headers : typeof headers.entries === "function" ? [...headers.entries()] : entries(headers);
  for (const [k, v] of list) out[out.length] = [text(k), exactText(v, `${place}${text(k)}`)];
  return out;
}

class FetchResponse {
  #body;
  #base64;
  constructor(answer) {
    const values = create(null);
    for (const [k, v] of headerPairs(answer.headers, "")) {
      const name = k.toLowerCase();
      values[name] = name in values ? `${values[name]}, ${v}` : v;
    }
    this.status = answer.status;
    this.ok = answer.status >= 200 && answer.status < 300;
    this.statusText = answer.statusText ?? "";
    this.url = answer.url ?? "";
    this.headers = freeze({
      get: (name) => values[text(name).toLowerCase()] ?? null,
      has: (name) => text(name).toLowerCase() in values,
      entries: () => entries(values)[Symbol.iterator](),
      forEach: (f) => {
        for (const name of keys(values)) f(values[name], name);
      },
      [Symbol.iterator]: () => entries(values)[Symbol.iterator](),
    });
    this.#body = answer.body ?? "";
    this.#base64 = answer.base64 === true;
  }
  async bytes() {
    if (!this.#base64) return new TextEncoder().encode(this.#body);
    return Uint8Array.from(atob(this.#body), (c) => c.charCodeAt(0));
  }
  async arrayBuffer() {
    return (await this.bytes()).buffer;
  }
  async text() {
    return this.#base64 ? new TextDecoder().decode(await this.bytes()) : this.#body;
  }
  async json() {
    return parse(await this.text());
  }
}

define("fetch", async function fetch(input, init = {}) {
  const url = typeof input === "object" && input !== null && !(input instanceof URL) && "url" in input ? input.url : input;
  const request = { url: text(url), method: text(init?.method ?? "GET").toUpperCase(), headers: headerPairs(init?.headers, "fetch: headers.") };
  let body = init?.body;
  if (body !== undefined && body !== null) {
    if (request.method === "GET" || request.method === "HEAD") throw new TypeE(`fetch: ${request.method} has no body`);
    if (body instanceof ArrayBuffer) body = new Uint8Array(body);
    if (body instanceof URLSearchParams) {
      if (!request.headers.some(([k]) => k.toLowerCase() === "content-type"))
        request.headers.push(["content-type", "application/x-www-form-urlencoded;charset=UTF-8"]);
      request.body = text(body);
    } else if (ArrayBuffer.isView(body)) {
      const bytes = new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
      let raw = "";
      for (let i = 0; i < bytes.length; i++) raw += String.fromCharCode(bytes[i]);
      request.body = btoa(raw);
      request.base64 = true;
    } else request.body = exactText(body, "fetch: body");
  }
  return new FetchResponse(await call("fetch", [request]));
});
