// Blob, File and FormData; and a form as the body of a request.
import { define, TypeE } from "./intrinsics.js";

const encoder = new TextEncoder();
const viewed = (part) => (part instanceof ArrayBuffer ? new Uint8Array(part) : new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
export const isBytes = (value) => value instanceof ArrayBuffer || ArrayBuffer.isView(value);

export function joined(pieces) {
  let size = 0;
  for (const one of pieces) size += one.length;
  const out = new Uint8Array(size);
  let at = 0;
  for (const one of pieces) {
    out.set(one, at);
    at += one.length;
  }
  return out;
}

let bytesOf; // of a Blob: set by the class

export class Blob {
  #bytes;
  #type;
  static {
    bytesOf = (blob) => blob.#bytes;
  }
  constructor(parts = [], options = {}) {
    if (typeof parts !== "object" || parts === null || !parts[Symbol.iterator]) throw new TypeE("Blob: an array of parts is needed");
    const native = options?.endings === "native";
    const pieces = [];
    for (const part of parts) {
      if (part instanceof Blob) pieces.push(part.#bytes);
      else if (isBytes(part)) pieces.push(viewed(part));
      else pieces.push(encoder.encode(native ? `${part}`.replace(/\r\n?/g, "\n") : `${part}`));
    }
    this.#bytes = joined(pieces);
    this.#type = typeText(options?.type ?? "");
  }
  get size() {
    return this.#bytes.length;
  }
  get type() {
    return this.#type;
  }
  slice(start = 0, end = this.size, type = "") {
    const part = new Blob([], { type });
    part.#bytes = this.#bytes.slice(start, end);
    return part;
  }
  async text() {
    return new TextDecoder().decode(this.#bytes);
  }
  async bytes() {
    return this.#bytes.slice();
  }
  async arrayBuffer() {
    return this.#bytes.slice().buffer;
  }
  get [Symbol.toStringTag]() {
    return "Blob";
  }
}

function typeText(type) {
  type = `${type}`;
  return /[^\x20-\x7e]/.test(type) ? "" : type.toLowerCase();
}

class File extends Blob {
  #name;
  #modified;
  constructor(parts, name, options = {}) {
    if (arguments.length < 2) throw new TypeE("File: parts and a name are needed");
    super(parts, options);
    this.#name = `${name}`.toWellFormed();
    this.#modified = options?.lastModified === undefined ? Date.now() : Math.trunc(+options.lastModified) || 0;
  }
  get name() {
    return this.#name;
  }
  get lastModified() {
    return this.#modified;
  }
  get [Symbol.toStringTag]() {
    return "File";
  }
}

class FormData {
  #entries = []; // [name, value]
  constructor(form) {
    if (form !== undefined) throw new TypeE("FormData: there are no forms here");
  }
  #entry(how, given, name, value, filename) {
    if (given < 2) throw new TypeE(`FormData: ${how} takes a name and a value`);
    name = `${name}`.toWellFormed();
    if (!(value instanceof Blob)) {
      if (given > 2) throw new TypeE(`FormData: ${how} takes a file name only with a Blob`);
      return [name, `${value}`.toWellFormed()];
    }
    if (value instanceof File && filename === undefined) return [name, value];
    const options = { type: value.type, lastModified: value instanceof File ? value.lastModified : undefined };
    return [name, new File([value], filename ?? "blob", options)];
  }
  append(name, value, filename) {
    this.#entries.push(this.#entry("append", arguments.length, name, value, filename));
  }
  set(name, value, filename) {
    const entry = this.#entry("set", arguments.length, name, value, filename);
    const first = this.#entries.findIndex(([n]) => n === entry[0]);
    if (first < 0) this.#entries.push(entry);
    else {
      this.#entries = this.#entries.filter(([n], i) => i === first || n !== entry[0]);
      this.#entries[first] = entry;
    }
  }
  delete(name) {
    name = `${name}`;
    this.#entries = this.#entries.filter(([n]) => n !== name);
  }
  get(name) {
    name = `${name}`;
    return this.#entries.find(([n]) => n === name)?.[1] ?? null;
  }
  getAll(name) {
    name = `${name}`;
    return this.#entries.filter(([n]) => n === name).map(([, value]) => value);
  }
  has(name) {
    name = `${name}`;
    return this.#entries.some(([n]) => n === name);
  }
  *entries() {
    for (let i = 0; i < this.#entries.length; i++) yield [...this.#entries[i]];
  }
  *keys() {
    for (const [name] of this) yield name;
  }
  *values() {
    for (const [, value] of this) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  forEach(callback, self) {
    for (const [name, value] of this) Reflect.apply(callback, self, [value, name, this]);
  }
  get [Symbol.toStringTag]() {
    return "FormData";
  }
}

const lines = (value) => value.replace(/\r\n|\r|\n/g, "\r\n");
const quoted = (value) => value.replace(/\n/g, "%0A").replace(/\r/g, "%0D").replace(/"/g, "%22");

/** A form as multipart/form-data: pieces of bytes, and the content type with its boundary. */
function multipart(form) {
  const boundary = `----FormBoundary${crypto.randomUUID().replaceAll("-", "")}`;
  const pieces = [];
  for (const [name, value] of form) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(lines(name))}"`;
    if (value instanceof Blob) {
      const type = value.type || "application/octet-stream";
      pieces.push(encoder.encode(`${head}; filename="${quoted(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`), bytesOf(value), encoder.encode("\r\n"));
    } else pieces.push(encoder.encode(`${head}\r\n\r\n${lines(value)}\r\n`));
  }
  pieces.push(encoder.encode(`--${boundary}--\r\n`));
  return [pieces, `multipart/form-data; boundary=${boundary}`];
}

/** A body that is made of bytes, as pieces of them and a content type; undefined for one that isn't. */
export function binaryBody(body) {
  if (body instanceof FormData) return multipart(body);
  if (body instanceof Blob) return [[bytesOf(body)], body.type];
  if (isBytes(body)) return [[viewed(body)], ""];
}

define("Blob", Blob);
define("File", File);
define("FormData", FormData);
