// Headers, as of the Fetch standard.
import { define, isArray, ownKeys, TypeE } from "./intrinsics.js";

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const AROUND = /^[\t\n\r ]+|[\t\n\r ]+$/g;
const NOT_IN_VALUES = /[\0\n\r]|[^\0-\xff]/;

function nameOf(name) {
  name = `${name}`;
  if (!TOKEN.test(name)) throw new TypeE(`Headers: ${JSON.stringify(name)} is no name of a header`);
  return name.toLowerCase();
}

function valueOf(value) {
  value = `${value}`.replace(AROUND, "");
  if (NOT_IN_VALUES.test(value)) throw new TypeE("Headers: a value has a line break, a NUL or a character beyond Latin 1");
  return value;
}

const needs = (given, count, what) => {
  if (given < count) throw new TypeE(`Headers: ${what}`);
};

export class Headers {
  #values = new Map(); // lower-cased name -> values
  #sorted; // as they are iterated; none after a change
  constructor(init) {
    if (init === undefined) return;
    if (init === null || (typeof init !== "object" && typeof init !== "function")) throw new TypeE("Headers: an object or pairs are needed");
    const iterate = init[Symbol.iterator];
    if (iterate !== undefined && iterate !== null) {
      for (const pair of init) {
        const both = isArray(pair) ? pair : [...pair];
        if (both.length !== 2) throw new TypeE("Headers: each pair has a name and a value");
        this.append(both[0], both[1]);
      }
    } else {
      for (const name of ownKeys(init)) {
        if (typeof name === "symbol") throw new TypeE("Headers: a symbol is no name of a header");
        if (Object.getOwnPropertyDescriptor(init, name)?.enumerable) this.append(name, init[name]);
      }
    }
  }
  append(name, value) {
    needs(arguments.length, 2, "append takes a name and a value");
    const key = nameOf(name), one = valueOf(value), known = this.#values.get(key);
    this.#sorted = undefined;
    if (known) known.push(one);
    else this.#values.set(key, [one]);
  }
  set(name, value) {
    needs(arguments.length, 2, "set takes a name and a value");
    this.#values.set(nameOf(name), [valueOf(value)]);
    this.#sorted = undefined;
  }
  delete(name) {
    needs(arguments.length, 1, "delete takes a name");
    this.#values.delete(nameOf(name));
    this.#sorted = undefined;
  }
  get(name) {
    needs(arguments.length, 1, "get takes a name");
    return this.#values.get(nameOf(name))?.join(", ") ?? null;
  }
  has(name) {
    needs(arguments.length, 1, "has takes a name");
    return this.#values.has(nameOf(name));
  }
  getSetCookie() {
    return [...(this.#values.get("set-cookie") ?? [])];
  }
  #pairs() {
    if (this.#sorted) return this.#sorted;
    const out = [];
    for (const name of [...this.#values.keys()].sort()) {
      const values = this.#values.get(name);
      if (name === "set-cookie") for (const one of values) out.push([name, one]);
      else out.push([name, values.join(", ")]);
    }
    return (this.#sorted = out);
  }
  *entries() {
    for (let i = 0; i < this.#pairs().length; i++) yield [...this.#pairs()[i]];
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
    if (typeof callback !== "function") throw new TypeE("Headers: forEach takes a function");
    for (const [name, value] of this) Reflect.apply(callback, self, [value, name, this]);
  }
  get [Symbol.toStringTag]() {
    return "Headers";
  }
}

define("Headers", Headers);
