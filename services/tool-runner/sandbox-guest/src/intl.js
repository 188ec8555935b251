// Intl.DateTimeFormat and Intl.NumberFormat, as far as they are asked for mostly: Gregorian dates, Latin digits, the
// languages of intl.txt. What isn't there is an error, or told by resolvedOptions.
import { create, define, M, RangeE, stringify, TypeE } from "./intrinsics.js";
import { canonical, localeOf, supported } from "./locales.js";
import { numbers } from "./numbers.js";
import { offsetAt, zoneNames, zoneOf } from "./zones.js";

const CHOICES = {
  weekday: ["narrow", "short", "long"], year: ["numeric", "2-digit"], month: ["numeric", "2-digit", "narrow", "short", "long"],
  day: ["numeric", "2-digit"], hour: ["numeric", "2-digit"], minute: ["numeric", "2-digit"], second: ["numeric", "2-digit"],
  timeZoneName: ["short", "long", "shortOffset", "longOffset", "shortGeneric", "longGeneric"],
  dateStyle: ["full", "long", "medium", "short"], timeStyle: ["full", "long", "medium", "short"],
};
const DATE = ["weekday", "year", "month", "day"], TIME = ["hour", "minute", "second", "fractionalSecondDigits"];
const CODE = { numeric: "n", "2-digit": "2", narrow: "s", short: "s", long: "l", __proto__: null };
const NAMES = { E: "weekday", N: "month", M: "month", y: "year", d: "day", h: "hour", H: "hour", m: "minute", s: "second", a: "dayPeriod", z: "timeZoneName", Z: "timeZoneName", f: "fractionalSecond" };
const two = (n) => (n < 10 ? `0${n}` : `${n}`);

function chosen(options, needs, fills) {
  if (options === null) throw new TypeE("Intl.DateTimeFormat: the options are null");
  const given = options === undefined ? {} : Object(options), out = create(null);
  for (const name in CHOICES) {
    const value = given[name];
    if (value === undefined) continue;
    if (!CHOICES[name].includes(`${value}`)) throw new RangeE(`Value ${value} out of range for Intl.DateTimeFormat options property ${name}`);
    out[name] = `${value}`;
  }
  for (const name of ["era", "dayPeriod"]) if (given[name] !== undefined) throw new RangeE(`Intl.DateTimeFormat: ${name} is not supported here`);
  const digits = given.fractionalSecondDigits;
  if (digits !== undefined) {
    if (!(digits >= 1 && digits <= 3)) throw new RangeE("fractionalSecondDigits value is out of range.");
    out.fractionalSecondDigits = Math.floor(digits);
  }
  if (given.hour12 !== undefined) out.hour12 = !!given.hour12;
  else if (given.hourCycle !== undefined) {
    if (!["h11", "h12", "h23", "h24"].includes(given.hourCycle)) throw new RangeE(`Value ${given.hourCycle} out of range for Intl.DateTimeFormat options property hourCycle`);
    out.hour12 = given.hourCycle === "h11" || given.hourCycle === "h12";
  }
  const styled = out.dateStyle || out.timeStyle;
  const parts = [...DATE, ...TIME];
  if (styled && (parts.some((name) => out[name] !== undefined) || out.timeZoneName))
    throw new TypeE(`Can't set option ${parts.find((name) => out[name] !== undefined) ?? "timeZoneName"} when ${out.dateStyle ? "dateStyle" : "timeStyle"} is used`);
  if (styled && ((needs === "date" && out.timeStyle) || (needs === "time" && out.dateStyle))) throw new TypeE(`Invalid option : ${needs === "date" ? "timeStyle" : "dateStyle"}`);
  const wanted = needs === "date" ? DATE : needs === "time" ? TIME : parts;
  if (!styled && !wanted.some((name) => out[name] !== undefined)) {
    if (fills !== "time") out.year = out.month = out.day = "numeric";
    if (fills !== "date") out.hour = out.minute = out.second = "numeric";
  }
  out.timeZone = given.timeZone === undefined ? zoneOf("UTC") : zoneOf(given.timeZone);
  if (!out.timeZone) throw new RangeE(`Invalid time zone specified: ${given.timeZone}`);
  return out;
}

function patternOf(locale, o, cycle) {
  if (o.dateStyle || o.timeStyle) {
    const own = o.hour12 === undefined ? "x" : cycle;
    const date = o.dateStyle && locale.dates[o.dateStyle[0]], time = o.timeStyle && locale.times[own + o.timeStyle[0]];
    return !time ? date : !date ? time : locale.glue[`style ${o.dateStyle[0]}`].replace("\u0001", date).replace("\u0002", time);
  }
  const day = DATE.map((name) => CODE[o[name]] ?? "-").join("");
  const date = day === "----" ? "" : locale.dates[day];
  let time = "";
  if (o.hour12 === undefined) cycle = "x"; // the language's own
  if (o.hour) time = locale.times[cycle + CODE[o.hour] + (o.minute || o.second ? (o.minute === "2-digit" ? "M" : "m") : "") + (o.second ? "s" : "")];
  else if (o.minute || o.second) time = o.minute && o.second ? locale.times.ms : o.minute ? "{m}" : "{s}";
  if (o.fractionalSecondDigits) time = time ? time.replace(/\{ss?\}/, (s) => `${s}${locale.number.decimal}{f}`) : "{f}";
  const glue = locale.glue[o.month === "long" ? (o.weekday === "long" ? "w" : "l") : CODE[o.month] === "s" ? "m" : "n"];
  const both = !time ? date : !date ? time : glue.replace("\u0001", date).replace("\u0002", time);
  return o.timeZoneName ? (both ? `${both}${time ? " " : ", "}{z}` : "{z}") : both;
}

const rounded = (minutes, long, gmt) => {
  const whole = Math.trunc(Math.abs(minutes)), sign = minutes < 0 ? "-" : "+";
  if (!whole && !long) return gmt;
  const hours = Math.floor(whole / 60), rest = whole % 60;
  return `${gmt}${sign}${long ? two(hours) : hours}${long || rest ? `:${two(rest)}` : ""}`;
};

function zoneName(style, zone, [minutes, summer], locale) {
  const long = style.startsWith("long");
  if (zone.name === "UTC" && !style.endsWith("Offset")) return long ? (locale.name.startsWith("en") ? "Coordinated Universal Time" : "UTC") : "UTC";
  const named = locale.name.startsWith("en") && !style.endsWith("Offset") ? zone.names[(long ? 2 : 0) + (summer ? 1 : 0)] : undefined;
  return named && (long || !named.startsWith("GMT")) ? named : !minutes && style !== "longOffset" ? locale.gmt : rounded(minutes, long, locale.gmt);
}

class DateTimeFormat {
  #locale;
  #options;
  #cycle;
  #pattern;
  #zoneStyle;
  #bound;
  constructor(locales, options, needs = "any", fills = "date") {
    this.#locale = localeOf(locales);
    const o = (this.#options = chosen(options, needs, fills));
    this.#cycle = o.hour12 === undefined ? this.#locale.cycle : o.hour12 ? "h" : "H";
    this.#pattern = patternOf(this.#locale, o, this.#cycle).split(/[{}]/); // literals at even places
    this.#zoneStyle = o.timeZoneName ?? (o.timeStyle === "full" ? "long" : "short");
  }
  formatToParts(date) {
    const ms = date === undefined ? Date.now() : Math.trunc(+date);
    if (!(Math.abs(ms) <= 8.64e15)) throw new RangeE("Invalid time value");
    const { timeZone: zone } = this.#options, offset = offsetAt(zone, ms), local = new Date(ms + offset[0] * 60000);
    const out = [];
    for (let i = 0; i < this.#pattern.length; i++) {
      const token = this.#pattern[i];
      if (i % 2) out.push({ type: NAMES[token[0]], value: this.#value(token, local, offset) });
      else if (token) out.push({ type: "literal", value: token });
    }
    return out;
  }
  #value(token, local, offset) {
    const { tables } = this.#locale, wide = token.length > 1, number = (n) => (wide ? two(n) : `${n}`), hour = local.getUTCHours();
    switch (token[0]) {
      case "y":
        return wide ? two(Math.abs(local.getUTCFullYear()) % 100) : `${local.getUTCFullYear()}`;
      case "N":
        return tables[+token.slice(1)][local.getUTCMonth()];
      case "E":
        return tables[+token.slice(1)][local.getUTCDay()];
      case "a":
        return tables[+token.slice(1)][hour < 12 ? 0 : 1];
      case "M":
        return number(local.getUTCMonth() + 1);
      case "d":
        return number(local.getUTCDate());
      case "h":
        return number(hour % 12 || 12);
      case "H":
        return number(hour);
      case "m":
        return number(local.getUTCMinutes());
      case "s":
        return number(local.getUTCSeconds());
      case "f":
        return `${1000 + local.getUTCMilliseconds()}`.slice(1, 1 + this.#options.fractionalSecondDigits);
      default:
        return zoneName(this.#zoneStyle, this.#options.timeZone, offset, this.#locale);
    }
  }
  get format() {
    return (this.#bound ??= (date) => {
      let out = "";
      for (const { value } of this.formatToParts(date)) out += value;
      return out;
    });
  }
  formatRange(from, to) {
    const [a, b] = [this.format(from), this.format(to)];
    return a === b ? a : `${a} – ${b}`;
  }
  resolvedOptions() {
    const { timeZone, hour12, ...rest } = this.#options;
    const out = { locale: this.#locale.name, calendar: "gregory", numberingSystem: "latn", timeZone: timeZone.name };
    if (rest.hour || rest.timeStyle) Object.assign(out, { hourCycle: this.#cycle === "h" ? "h12" : "h23", hour12: this.#cycle === "h" });
    for (const name of [...DATE, ...TIME, "timeZoneName", "dateStyle", "timeStyle"]) if (rest[name] !== undefined) out[name] = name === "minute" || name === "second" ? "2-digit" : rest[name];
    return out;
  }
  static supportedLocalesOf(locales) {
    return supported(locales);
  }
  get [Symbol.toStringTag]() {
    return "Intl.DateTimeFormat";
  }
}

const formats = new Map(); // of dates' own methods, by what they were asked for
function own(date, needs, fills, locales, options) {
  const ms = Date.prototype.getTime.call(date);
  if (ms !== ms) return "Invalid Date";
  if (locales === undefined && options === undefined) locales = "en-US";
  const key = stringify([needs, fills, locales, options]);
  let found = M.get(formats, key);
  if (!found) {
    found = new DateTimeFormat(locales, options, needs, fills);
    if (M.size(formats) > 100) M.clear(formats);
    M.set(formats, key, found);
  }
  return found.format(ms);
}
define("toLocaleString", function toLocaleString(locales, options) { return own(this, "any", "all", locales, options); }, Date.prototype);
define("toLocaleDateString", function toLocaleDateString(locales, options) { return own(this, "date", "date", locales, options); }, Date.prototype);
define("toLocaleTimeString", function toLocaleTimeString(locales, options) { return own(this, "time", "time", locales, options); }, Date.prototype);

// As functions too: Intl.DateTimeFormat() is as new Intl.DateTimeFormat().
const callable = (kind) => {
  const made = function (locales, options) {
    return Reflect.construct(kind, [locales, options], new.target ?? made);
  };
  made.prototype = kind.prototype;
  made.supportedLocalesOf = kind.supportedLocalesOf;
  define("name", kind.name, made);
  define("constructor", made, kind.prototype);
  return made;
};

const Intl = {};
define("DateTimeFormat", callable(DateTimeFormat), Intl);
define("NumberFormat", callable(numbers), Intl);
define("getCanonicalLocales", (locales) => canonical(locales), Intl);
define("supportedValuesOf", (key) => {
  if (key !== "timeZone") throw new RangeE(`Intl.supportedValuesOf: ${key} is not supported here`);
  return zoneNames();
}, Intl);
Object.defineProperty(Intl, Symbol.toStringTag, { value: "Intl", configurable: true });
define("Intl", Intl);
