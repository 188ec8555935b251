// What the prelude itself needs of the language, taken before any code of others could change it.
export const G = globalThis;
export const { parse, stringify } = JSON;
export const { isArray } = Array;
export const { keys, defineProperty, create, freeze, entries, getOwnPropertyDescriptor } = Object;
export const { apply, ownKeys } = Reflect;
export const E = Error, RangeE = RangeError, TypeE = TypeError, Text = String, P = Promise;
export const random = Math.random, now = Date.now;
const map = Map.prototype, weak = WeakMap.prototype;
const { get, set, delete: remove, clear } = map;
const sizeOf = getOwnPropertyDescriptor(map, "size").get;
const weakGet = weak.get, weakSet = weak.set;
const tag = Object.prototype.toString;
const then = P.prototype.then;

export const M = {
  get: (m, k) => apply(get, m, [k]),
  set: (m, k, v) => apply(set, m, [k, v]),
  delete: (m, k) => apply(remove, m, [k]),
  clear: (m) => apply(clear, m, []),
  size: (m) => apply(sizeOf, m, []),
};
export const W = { get: (m, k) => apply(weakGet, m, [k]), set: (m, k, v) => apply(weakSet, m, [k, v]) };
export const onSettled = (p, ok, failed) => apply(then, p, [ok, failed]);

/** What an object is: Object, Array, Map, Promise, … */
export const tagOf = (v) => {
  const told = apply(tag, v, []);
  let name = "";
  for (let i = 8; i < told.length - 1; i++) name += told[i];
  return name;
};

/** A global as built-in ones are: not enumerable. */
export function define(name, value, on = G) {
  defineProperty(on, name, { value, writable: true, configurable: true, enumerable: false });
}
