// JSON of what leaves a program for good: its result, and what it gives to the host. What JSON can't say is an error
// that names the place, where JSON.stringify would write null, {} or nothing at all.
import { isArray, RangeE, stringify, tagOf, TypeE } from "./intrinsics.js";
import { text } from "./wire.js";

const DEEPEST = 100; // as in box.c
const LONGEST_PATH = 300;
const { isView } = ArrayBuffer;
const AN = { A: 1, E: 1, I: 1, O: 1, __proto__: null };
const PLAIN = { Object: 1, Array: 1, String: 1, Boolean: 1, __proto__: null };
const INSTEAD = {
  BigInt: "take Number(it) or String(it)",
  Promise: "await it",
  Map: "take Object.fromEntries(it) or [...it]",
  Set: "take [...it]",
  Error: "take its message",
  ArrayBuffer: "take an array of numbers, or base64 by new Uint8Array(it).toBase64()",
  URLSearchParams: "take String(it)",
  Headers: "take Object.fromEntries(it)",
  FormData: "take Object.fromEntries(it)",
  Blob: "take await it.text(), or await it.bytes()",
  File: "take await it.text(), or await it.bytes()",
  RegExp: "take its source",
  __proto__: null,
};

/** Text of what a request is made of: never "undefined" or "[object Object]". */
export function exactText(value, place) {
  if (typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && value - value === 0)) return text(value);
  const wrong = value === undefined || value === null ? text(value) : (problem(value) ?? `${aTag(tagOf(value))}: take JSON.stringify(it)`);
  throw new TypeE(`${place} is ${wrong}`);
}

/** What keeps a value, found in `holder` at `key` and turned by its toJSON, from being JSON; undefined if nothing does. */
function problem(value, holder, key) {
  switch (typeof value) {
    case "string":
    case "boolean":
      return;
    case "undefined":
      return isArray(holder) ? "undefined" : undefined;
    case "number":
      return value - value === 0 ? undefined : text(value);
    case "function":
      return "a function";
    case "symbol":
      return "a symbol";
    case "bigint":
      return `a BigInt: ${INSTEAD.BigInt}`;
  }
  if (value === null) return isDate(holder[key]) ? "a Date without a valid time" : undefined;
  const tag = tagOf(value);
  if (tag === "Number") return problem(+value);
  if (PLAIN[tag]) return;
  const instead = INSTEAD[tag] ?? (isView(value) ? "take Array.from(it), or it.toBase64()" : "");
  return `${aTag(tag)}${instead && `: ${instead}`}`;
}

const aTag = (tag) => `${AN[tag[0]] ? "an" : "a"} ${tag}`;

const isDate = (value) => typeof value === "object" && value !== null && tagOf(value) === "Date";

function isName(key) {
  for (let i = 0; i < key.length; i++) {
    const c = key[i];
    if (!((c >= "a" && c <= "z") || (c >= "A" && c <= "Z") || c === "_" || c === "$" || (i && c >= "0" && c <= "9"))) return false;
  }
  return key.length > 0;
}

/** `keys` from the `from`th on as they are written in code, after `path`: items[3].fn */
function written(holders, keys, from, path) {
  for (let i = from; i < keys.length; i++) {
    if (isArray(holders[i])) path += `[${keys[i]}]`;
    else if (isName(keys[i])) path += path ? `.${keys[i]}` : keys[i];
    else path += `[${stringify(keys[i])}]`;
    if (path.length > LONGEST_PATH) return `${path}…`;
  }
  return path;
}

/** The JSON of a value; `place(holders, keys)` says where in it something is. Undefined members are left out, as by JSON. */
function exact(value, place) {
  const holders = [], keys = []; // the objects that are open, and the key that is looked at in each
  let depth = 0, entered, error;
  function looked(key, given) {
    if (!depth || this === entered) depth++;
    else while (holders[depth - 1] !== this) depth--;
    holders.length = keys.length = depth;
    holders[depth - 1] = this;
    keys[depth - 1] = key;
    entered = given;
    if (typeof given === "string" || typeof given === "boolean") return given;
    const wrong = problem(given, this, key) ?? (contains(holders, given) ? "a circle: it contains itself" : undefined);
    if (wrong) error = [TypeE, `${place(holders, keys)} is ${wrong}`];
    else if (depth > DEEPEST) error = [RangeE, `${place(holders, keys)} is nested more than ${DEEPEST} levels deep`];
    else return given;
    throw error;
  }
  try {
    return stringify(value, looked);
  } catch (e) {
    throw error ? new error[0](error[1]) : e; // with the stack of who wanted the JSON
  }
}

function contains(holders, value) {
  if (typeof value === "object" && value !== null) for (let i = 0; i < holders.length; i++) if (holders[i] === value) return true;
  return false;
}

/** The JSON of a program's result: null for undefined. */
export function exactResult(value) {
  return exact(value ?? null, (holders, keys) => written(holders, keys, 1, "result")) ?? "null";
}

/** The JSON of a host call's arguments; `names` are theirs. Those at the end that are undefined were not given. */
export function exactArguments(call, names, args) {
  const given = [];
  let count = args.length;
  while (count && args[count - 1] === undefined) count--;
  for (let i = 0; i < count; i++) given[i] = args[i];
  return exact(given, (holders, keys) => {
    const only = count === 1 && keys.length > 2 && !isArray(given[0]);
    return `${call}: ${written(holders, keys, 2, names[keys[1]] ?? (only ? "" : `argument ${+keys[1] + 1}`))}`;
  });
}
