// fetch, and what it gives.
import { define, entries, G, isArray, parse, TypeE } from "./intrinsics.js";
import { AbortSignal, abortedBy } from "./abort.js";
import { binaryBody, Blob, joined } from "./blob.js";
import { call, limits, tooLarge } from "./calls.js";
import { exactText } from "./exact.js";
import { Headers } from "./headers.js";
import { text } from "./wire.js";

const { fromBase64 } = Uint8Array;

function headerPairs(headers, place) {
  const out = [];
  if (!headers) return out;
  const list = isArray(headers) ? headers : typeof headers.entries === "function" ? [...headers.entries()] : entries(headers);
  for (const [k, v] of list) out[out.length] = [text(k), exactText(v, `${place}${text(k)}`)];
  return out;
}

function responseHeaders(pairs) {
  const headers = new Headers();
  for (const [name, value] of headerPairs(pairs, "")) {
    try {
      headers.append(name, value);
    } catch {
      // What a server sends need not be a header by the standard's rules.
    }
  }
  return headers;
}

class FetchResponse {
  #body;
  #base64;
  constructor(answer) {
    this.status = answer.status;
    this.ok = answer.status >= 200 && answer.status < 300;
    this.statusText = answer.statusText ?? "";
    this.url = answer.url ?? "";
    this.headers = responseHeaders(answer.headers);
    this.#body = answer.body ?? "";
    this.#base64 = answer.base64 === true;
  }
  async bytes() {
    return this.#base64 ? fromBase64(this.#body) : new TextEncoder().encode(this.#body);
  }
  async arrayBuffer() {
    return (await this.bytes()).buffer;
  }
  async blob() {
    return new Blob([await this.bytes()], { type: this.headers.get("content-type") ?? "" });
  }
  async text() {
    return this.#base64 ? new TextDecoder().decode(await this.bytes()) : this.#body;
  }
  async json() {
    return parse(await this.text());
  }
}

function putBody(request, body) {
  const typed = (type) => {
    if (type && !request.headers.some(([k]) => k.toLowerCase() === "content-type")) request.headers.push(["content-type", type]);
  };
  if (body instanceof URLSearchParams) {
    typed("application/x-www-form-urlencoded;charset=UTF-8");
    request.body = text(body);
    return;
  }
  const binary = binaryBody(body);
  if (!binary) {
    request.body = exactText(body, "fetch: body");
    return;
  }
  const [pieces, type] = binary;
  let size = 0;
  for (const one of pieces) size += one.length;
  if (size > (limits.argument / 4) * 3) throw tooLarge("fetch");
  typed(type);
  request.body = joined(pieces).toBase64();
  request.base64 = true;
}

define("fetch", async function fetch(input, init = {}) {
  const url = typeof input === "object" && input !== null && !(input instanceof G.URL) && "url" in input ? input.url : input;
  const request = { url: text(url), method: text(init?.method ?? "GET").toUpperCase(), headers: headerPairs(init?.headers, "fetch: headers.") };
  const body = init?.body, signal = init?.signal ?? undefined;
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw new TypeE("fetch: signal must be an AbortSignal");
  signal?.throwIfAborted();
  if (body !== undefined && body !== null) {
    if (request.method === "GET" || request.method === "HEAD") throw new TypeE(`fetch: ${request.method} has no body`);
    putBody(request, body);
  }
  let kept;
  try {
    return new FetchResponse(await call("fetch", [request], [], signal && ((giveUp) => (kept = abortedBy(signal, giveUp)))));
  } finally {
    kept?.();
  }
});
