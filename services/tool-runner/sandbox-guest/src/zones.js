// Time zones: which offset holds when. The data (intl.txt) has the changes since 1970, and a rule for the future.
import { create } from "./intrinsics.js";
import { data } from "./native.js";

const kept = create(null);

/** A zone by its name, in any case: {name, names, initial, changes, rule}; undefined if there is none. */
export function zoneOf(name) {
  const key = `${name}`.toLowerCase();
  if (key in kept) return kept[key];
  const fixed = /^([+-])([01]\d|2[0-3])(?::?([0-5]\d))?$/.exec(key);
  if (fixed) {
    const minutes = (fixed[1] === "-" ? -1 : 1) * (fixed[2] * 60 + +(fixed[3] ?? 0));
    return (kept[key] = { name: `${fixed[1]}${fixed[2]}:${fixed[3] ?? "00"}`, names: [], changes: [], initial: [minutes, false] });
  }
  const text = data(`zone/${key}`);
  if (text === undefined) return;
  const [shown, names, rules] = text.split("\u0002");
  const known = rules[0] === "=" ? zoneOf(rules.slice(1)) : read(rules);
  return (kept[key] = { ...known, name: shown, names: names ? names.split("\u0001") : [] });
}

function read(rules) {
  const [table, posix] = rules.split("|");
  const [first, ...more] = table.split(";");
  const offset = (text) => [parseFloat(text), text.endsWith("d")];
  let last = 0;
  const changes = more.map((one) => {
    const [delta, to] = one.split(",");
    return [(last += parseInt(delta, 36)), ...offset(to)];
  });
  return { initial: offset(first), changes, rule: ruleOf(posix) };
}

// EST5EDT,M3.2.0,M11.1.0: names, offsets west of UTC, and when summer begins and ends, in local time.
const POSIX = /^(?:<[^>]+>|[A-Za-z]+)([+-]?[\d:]+)(?:(?:<[^>]+>|[A-Za-z]+)([+-]?[\d:]+)?,M(\d+)\.(\d)\.(\d)(?:\/([+-]?[\d:]+))?,M(\d+)\.(\d)\.(\d)(?:\/([+-]?[\d:]+))?)?$/;
const minutes = (text) => {
  const [h, m = 0] = text.replace(/[+-]/, "").split(":");
  return (text[0] === "-" ? -1 : 1) * (h * 60 + +m);
};

function ruleOf(posix) {
  const found = POSIX.exec(posix);
  if (!found) return;
  const standard = 0 - minutes(found[1]);
  if (!found[3]) return { standard };
  const day = (i) => ({ month: +found[i], week: +found[i + 1], weekday: +found[i + 2], at: minutes(found[i + 3] ?? "2") });
  return { standard, summer: found[2] ? 0 - minutes(found[2]) : standard + 60, begins: day(3), ends: day(7) };
}

function instant(year, { month, week, weekday, at }, offset) {
  const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay(), days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  let day = 1 + ((weekday - first + 7) % 7) + (week - 1) * 7;
  if (day > days) day -= 7;
  return Date.UTC(year, month - 1, day, 0, at - offset) / 1000;
}

/** [minutes east of UTC, whether it is summer time] of a zone at a time in milliseconds. */
export function offsetAt(zone, ms) {
  const { changes, rule, initial } = zone, time = ms / 1000;
  let low = 0, high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (changes[middle][0] <= time) low = middle + 1;
    else high = middle;
  }
  if (low < changes.length || !rule) return low ? [changes[low - 1][1], changes[low - 1][2]] : initial;
  if (!rule.begins) return low ? [changes[low - 1][1], changes[low - 1][2]] : initial;
  const year = new Date(ms + rule.standard * 60000).getUTCFullYear();
  const begins = instant(year, rule.begins, rule.standard), ends = instant(year, rule.ends, rule.summer);
  const summer = begins < ends ? time >= begins && time < ends : time >= begins || time < ends;
  return [summer ? rule.summer : rule.standard, summer];
}

export const zoneNames = () => data("zones").split(" ");
