// Languages: which there are, and how each writes dates and numbers.
import { create, isArray, parse, RangeE, TypeE } from "./intrinsics.js";
import { data } from "./native.js";

const kept = create(null);
const TAG = /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i;
const SAME = { "zh-hant": "zh-tw", "zh-hk": "zh-tw", no: "nb", en: "en-us", iw: "he", in: "id", "es-us": "es-mx", __proto__: null };

export function canonical(locales) {
  if (locales === undefined) return [];
  if (locales === null) throw new TypeE("a locale is a text such as en-GB, not null");
  const list = typeof locales === "string" ? [locales] : isArray(locales) ? locales : [`${locales}`];
  return [...new Set(list.map((one) => {
    if (typeof one !== "string" && typeof one !== "object") throw new TypeE("a locale is a text such as en-GB");
    if (!TAG.test(one)) throw new RangeE(`Incorrect locale information provided: ${one}`);
    const parts = `${one}`.toLowerCase().split("-");
    for (let i = 1; i < parts.length && parts[i].length > 1; i++)
      parts[i] = parts[i].length === 2 ? parts[i].toUpperCase() : parts[i].length === 4 ? parts[i][0].toUpperCase() + parts[i].slice(1) : parts[i];
    return parts.join("-");
  }))];
}

const all = () => data("locales").split(" ");

/** The name and data of the first locale that is known, by its beginning too; else American English. */
export function localeOf(locales) {
  for (const one of canonical(locales)) {
    const found = known(one);
    if (found) return found;
  }
  return known("en-US");
}

function known(wanted) {
  const parts = wanted.toLowerCase().replace(/-[a-wy-z]-.*|-x-.*/, "").split("-");
  for (; parts.length; parts.length--) {
    const key = SAME[parts.join("-")] ?? parts.join("-");
    const text = kept[key] ? undefined : data(`locale/${key}`);
    if (text !== undefined) kept[key] = { name: all().find((one) => one.toLowerCase() === key), ...parse(text) };
    if (kept[key]) return kept[key];
  }
}

export const supported = (locales) => canonical(locales).filter((one) => known(one));
