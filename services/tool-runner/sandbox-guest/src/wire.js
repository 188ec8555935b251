// Frames to the host, one line of JSON each:
//   ["c",id,name,args] a host call   ["t",id,ms] a timer   ["x",id] a timer cleared   ["l",level,text] a log line
//   ["r",value] the result           ["e",{name,message,stack,code,kind}] an error    ["m",name] a library that isn't here
import { E, isArray, keys, stringify, Text, TypeE, W } from "./intrinsics.js";

export let emit, compile;
export function connect(emit_, compile_) {
  emit = emit_;
  compile = compile_;
}

/** JSON of anything: no cycle, BigInt or hostile getter makes it throw; only a limit does. */
export function wire(value) {
  try {
    return stringify(value) ?? "null";
  } catch (e) {
    if (!(e instanceof TypeE)) throw e; // only BigInt and cycles go to the slow walker
    return stringify(plain(value, [])) ?? "null";
  }
}

function plain(x, above) {
  if (typeof x === "bigint") return Text(x);
  if (typeof x !== "object" || x === null) return x;
  if (above.length > 64) return "[too deep]";
  for (let i = 0; i < above.length; i++) if (above[i] === x) return "[circular]";
  above[above.length] = x;
  let out;
  try {
    if (typeof x.toJSON === "function") out = plain(x.toJSON(), above);
    else if (isArray(x)) {
      out = [];
      for (let i = 0; i < x.length; i++) out[i] = plain(x[i], above);
    } else {
      out = {};
      const names = keys(x);
      for (let i = 0; i < names.length; i++) out[names[i]] = plain(x[names[i]], above);
    }
  } catch (e) {
    out = `[not readable: ${text(e)}]`;
  }
  above.length--;
  return out;
}

/** String(v), whatever v does. */
export function text(v) {
  try {
    return Text(v);
  } catch {
    return "[unprintable]";
  }
}

const kinds = new WeakMap();
/** An error of a limit. Code can catch it; uncaught, its kind tells the host which limit it was. */
export function limitError(kind, name, message) {
  const e = new E(message);
  e.name = name;
  W.set(kinds, e, kind);
  return e;
}

/** What is told of something thrown. Stacks lose the lines of the prelude. */
export function errorObject(e) {
  try {
    if (typeof e !== "object" || e === null) return { name: "Error", message: text(e), thrown: typeof e };
    const o = { name: cut(text(e.name ?? "Error"), 200), message: cut(text(e.message ?? wire(e)), 16384) };
    if (e.stack) o.stack = ownLines(cut(text(e.stack), 8192));
    if (e.code !== undefined) o.code = cut(text(e.code), 200);
    const kind = W.get(kinds, e);
    if (kind) o.kind = kind;
    return o;
  } catch {
    return { name: "Error", message: "[unreadable error]" };
  }
}

function cut(s, n) {
  let out = "";
  if (s.length <= n) return s;
  for (let i = 0; i < n; i++) out += s[i];
  return `${out} […]`;
}

function ownLines(stack) {
  let out = "", line = "";
  for (let i = 0; i <= stack.length; i++) {
    const c = stack[i];
    if (c !== "\n" && c !== undefined) line += c;
    else {
      if (line && !contains(line, "<prelude>")) out += `${line}\n`;
      line = "";
    }
  }
  return out;
}

function contains(s, part) {
  for (let i = 0; i + part.length <= s.length; i++) {
    let j = 0;
    while (j < part.length && s[i + j] === part[j]) j++;
    if (j === part.length) return true;
  }
  return false;
}
