// What code can ask of the host. Each method sends its arguments as they are; the names and shapes on the other side
// are those of tool_runner/code/host.py. A part that the host has not wired answers with an error that says so.
// After a method's name are those of its arguments, as errors name them; without any, it takes one object.
import { apply, define, freeze, keys, TypeE } from "./intrinsics.js";
import { call, limits, tooLarge } from "./calls.js";

const { fromBase64 } = Uint8Array, { toBase64 } = Uint8Array.prototype;

const METHODS = {
  state: ["get key", "set key value", "delete key", "keys prefix"],
  db: ["sql sql params", "schema"],
  functions: ["call name args"],
  skills: ["list", "read name"],
  mcp: ["callTool", "resources", "readResource"],
  llm: ["generate"],
  web: ["search", "read"],
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

// Objects whose methods are tools of a runner: which there are, it knows alone. A method that isn't there says so
// when it is called.
function tools(name, own = {}) {
  return new Proxy(freeze(own), {
    get(target, method) {
      if (method in target || typeof method !== "string" || method === "then" || method === "toJSON") return target[method];
      return (...args) => call(`${name}.${method}`, args);
    },
  });
}

function base64Of(bytes, place) {
  if (typeof bytes === "string") throw new TypeE(`${place}: bytes are needed, such as new TextEncoder().encode(text)`);
  if (!(bytes instanceof ArrayBuffer) && !ArrayBuffer.isView(bytes)) throw new TypeE(`${place}: a Uint8Array is needed`);
  const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length > (limits.argument / 4) * 3) throw tooLarge(place);
  return apply(toBase64, view, []);
}
const writer = (method) => async (which, bytes) => {
  const name = `files.${method}`;
  return await call(name, [which, base64Of(bytes, name)], ["", "bytes"]);
};

const nested = { spreadsheet: tools("spreadsheet"), pdf: tools("pdf"), image: tools("image") };
for (const name of keys(nested)) define(name, nested[name]);
define("browser", tools("browser"));
define("progress", (...args) => call("progress", args, ["done", "total", "message"]));
define(
  "files",
  tools("files", {
    ...nested,
    readBytes: async (which) => fromBase64(await call("files.readBytes", [which])),
    writeBytes: writer("writeBytes"),
    appendBytes: writer("appendBytes"),
  }),
);
define(
  "session",
  freeze({ ...part("session", ["beginTask title", "endTask summary"]), notepad: freeze(part("session.notepad", ["read", "write content", "update"])) }),
);
