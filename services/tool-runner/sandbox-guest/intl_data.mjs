// What the guest's Intl knows, as lines of key and value: how dates and numbers are written, taken from the ICU of
// the Node that runs this; time zones since 1970, from the files of the package tzdata. Run by hand, seldom:
//   node intl_data.mjs TZDATA/zoneinfo VERSION intl.txt
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";

const LOCALES =
  "en-US en-GB en-CA en-AU en-NZ en-IE en-IN en-ZA de de-AT de-CH fr fr-CA fr-CH es es-MX es-AR it nl nl-BE pt pt-PT sv nb da fi is pl cs sk sl hr hu ro bg ru uk sr el tr he ja zh zh-TW ko hi id vi et lv lt ca".split(" ");
const CURRENCIES = "USD EUR GBP JPY CHF SEK NOK DKK CNY INR CAD AUD NZD BRL MXN KRW PLN CZK HUF TRY RUB UAH ZAR".split(" ");
const [, , zones, version, out] = process.argv;
const UTC = { timeZone: "UTC" };
const at = (month, day, hour) => new Date(Date.UTC(2003, month, day, hour, 6, 7));
const WIDTH = { n: "numeric", 2: "2-digit", s: "short", l: "long" };
const STYLE = { f: "full", l: "long", m: "medium", s: "short" };

function localeData(locale) {
  const tag = `${locale}-u-nu-latn-ca-gregory`, tables = [];
  const tableOf = (names) => {
    const json = JSON.stringify(names);
    let i = tables.findIndex((one) => JSON.stringify(one) === json);
    if (i < 0) i = tables.push(names) - 1;
    return i;
  };
  function pattern(options) {
    const format = new Intl.DateTimeFormat(tag, { ...UTC, ...options });
    const one = (date, type) => format.formatToParts(date).find((part) => part.type === type)?.value.replaceAll("\u202f", " ");
    const twelve = format.resolvedOptions().hour12;
    return format.formatToParts(at(1, 4, 5)).map(({ type, value }) => {
      if (type === "year") return value.length === 2 ? "{yy}" : "{y}";
      if (type === "month" && !/^\d+$/.test(value)) return `{N${tableOf(Array.from({ length: 12 }, (_, i) => one(at(i, 4, 5), "month")))}}`;
      if (type === "weekday") return `{E${tableOf(Array.from({ length: 7 }, (_, i) => one(at(1, 2 + i, 5), "weekday")))}}`;
      if (type === "dayPeriod") return `{a${tableOf([5, 17].map((hour) => one(at(1, 4, hour), "dayPeriod")))}}`;
      if (type === "timeZoneName") return options.timeStyle === "full" ? "{Z}" : "{z}";
      const letter = { month: "M", day: "d", hour: twelve ? "h" : "H", minute: "m", second: "s" }[type];
      return letter ? `{${value.length === 2 ? letter + letter : letter}}` : value;
    }).join("").replaceAll("\u202f", " "); // as browsers do, since code takes these texts apart
  }
  const dates = {}, times = {};
  for (const w of ["-", "s", "l"]) for (const y of ["-", "n", "2"]) for (const m of ["-", "n", "2", "s", "l"]) for (const d of ["-", "n", "2"]) {
    if (w + y + m + d === "----") continue;
    dates[w + y + m + d] = pattern({ weekday: WIDTH[w], year: WIDTH[y], month: WIDTH[m], day: WIDTH[d] });
  }
  for (const s in STYLE) dates[s] = pattern({ dateStyle: STYLE[s] });
  for (const [c, hour12] of [["h", true], ["H", false], ["x", undefined]]) {
    for (const h of ["n", "2"]) for (const [key, more] of [["", {}], ...Object.entries({ m: "numeric", M: "2-digit" }).flatMap(([m, minute]) => [[m, { minute }], [`${m}s`, { minute, second: minute }]])])
      times[c + h + key] = pattern({ hour: WIDTH[h], ...more, hour12 });
    for (const s in STYLE) times[c + s] = pattern({ timeStyle: STYLE[s], hour12 });
  }
  times.m = "{m}";
  times.s = "{s}";
  times.ms = pattern({ minute: "2-digit", second: "2-digit" });
  const glue = {};
  const between = (key, date, time) => {
    const all = pattern({ ...date, ...time }), [d, t] = [pattern(date), pattern(time)];
    const bare = all.includes(d) && all.includes(t);
    glue[key] = bare ? all.replace(d, "\u0001").replace(t, "\u0002") : "\u0001, \u0002";
  };
  const time = { hour: "numeric", minute: "2-digit" };
  between("n", { year: "numeric", month: "numeric", day: "numeric" }, time);
  between("m", { year: "numeric", month: "short", day: "numeric" }, time);
  between("l", { year: "numeric", month: "long", day: "numeric" }, time);
  between("w", { weekday: "long", year: "numeric", month: "long", day: "numeric" }, time);
  for (const s in STYLE) between(`style ${s}`, { dateStyle: STYLE[s] }, { timeStyle: "short" });
  const zoned = new Intl.DateTimeFormat(tag, { timeZone: "Etc/GMT-1", timeZoneName: "shortOffset" }).formatToParts(0);
  const number = (options, value) => new Intl.NumberFormat(tag, options).formatToParts(value);
  const part = (parts, type) => parts.find((one) => one.type === type)?.value ?? "";
  const whole = (options, value) => number(options, value).map(({ type, value }) => (type === "integer" ? "#" : type === "currency" ? "¤" : value)).join("");
  const big = number({}, 123456789.5);
  return {
    dates, times, tables, glue,
    cycle: new Intl.DateTimeFormat(tag, time).resolvedOptions().hour12 ? "h" : "H",
    gmt: part(zoned, "timeZoneName").replace(/[+\-−]?0?1(:00)?$/, ""),
    number: {
      decimal: part(big, "decimal"), group: part(big, "group"), minus: part(number({}, -1), "minusSign"),
      second: big.filter((one) => one.type === "integer")[1].value.length, least: number({}, 1234).some((one) => one.type === "group") ? 4 : 5,
      percent: whole({ style: "percent" }, 0.05), currency: whole({ style: "currency", currency: "USD", maximumFractionDigits: 0 }, 5),
      symbols: Object.fromEntries(CURRENCIES.map((c) => [c, part(number({ style: "currency", currency: c }, 1), "currency")]).filter(([c, s]) => c !== s)),
    },
  };
}

function zoneData(bytes) {
  const second = 44 + bytes.readUInt32BE(32) * 5 + bytes.readUInt32BE(36) * 6 + bytes.readUInt32BE(40) + bytes.readUInt32BE(28) * 8 + bytes.readUInt32BE(24) + bytes.readUInt32BE(20);
  const v2 = bytes.subarray(second);
  const [utc, std, leap, count, types, chars] = [20, 24, 28, 32, 36, 40].map((o) => v2.readUInt32BE(o));
  const times = 44, index = times + count * 8, infos = index + count, end = infos + types * 6 + chars + leap * 12 + std + utc;
  const type = (i) => [v2.readInt32BE(infos + i * 6), v2[infos + i * 6 + 4]];
  let first = type(0), text = "", last = 0;
  for (let i = 0; i < count; i++) {
    const when = Number(v2.readBigInt64BE(times + i * 8)), now = type(v2[index + i]);
    if (when <= 0) first = now;
    else {
      text += `;${(when - last).toString(36)},${now[0] / 60}${now[1] ? "d" : ""}`;
      last = when;
    }
  }
  return `${first[0] / 60}${first[1] ? "d" : ""}${text}|${v2.subarray(end + 1, v2.length - 1).toString()}`;
}

function* zoneNames(folder = "") {
  for (const name of readdirSync(`${zones}/${folder}`).sort()) {
    const path = folder + name;
    if (statSync(`${zones}/${path}`).isDirectory()) yield* zoneNames(`${path}/`);
    else if (readFileSync(`${zones}/${path}`).subarray(0, 4).toString() === "TZif") yield path;
  }
}

function minutes(gmt) {
  const [, sign, hours, rest] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(gmt);
  return (sign === "-" ? -1 : 1) * ((hours ?? 0) * 60 + +(rest ?? 0));
}

function englishName(zone) {
  try {
    const of = (style, month) => new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: style }).formatToParts(Date.UTC(2025, month, 15)).find((one) => one.type === "timeZoneName").value;
    const told = ["short", "long"].flatMap((style) => {
      const seen = [0, 6].map((month) => [of("longOffset", month), of(style, month)]);
      const [winter, summer] = minutes(seen[0][0]) <= minutes(seen[1][0]) ? seen : [seen[1], seen[0]];
      return [winter[1], summer[1]];
    });
    return told.join("\u0001");
  } catch {
    return ""; // newer than this Node
  }
}

const lines = [`locales\t${LOCALES.join(" ")}`], names = [...zoneNames()].filter((name) => !/^(Factory|posixrules|localtime)$/.test(name));
for (const locale of LOCALES) lines.push(`locale/${locale.toLowerCase()}\t${JSON.stringify(localeData(locale))}`);
lines.push(`zones\t${names.join(" ")}`);
const known = new Map();
for (const name of names) {
  const data = zoneData(readFileSync(`${zones}/${name}`));
  const same = known.get(data);
  known.set(data, same ?? name.toLowerCase());
  lines.push(`zone/${name.toLowerCase()}\t${name}\u0002${englishName(name)}\u0002${same ? `=${same}` : data}`);
}
const { icu, cldr } = process.versions;
lines.push(`made of\tICU ${icu}, CLDR ${cldr}, tzdata ${version}`);
writeFileSync(out, `\n${lines.sort().join("\n")}\n`); // box.c searches them by halves
