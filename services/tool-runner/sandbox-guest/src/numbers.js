// Intl.NumberFormat, and toLocaleString of numbers: decimals, percents and currencies.
import { create, define, RangeE } from "./intrinsics.js";
import { localeOf, supported } from "./locales.js";

const NO_CENTS = { JPY: 0, KRW: 0, VND: 0, CLP: 0, ISK: 0, HUF: 2, BHD: 3, KWD: 3, TND: 3, __proto__: null };

function digitsOf(given, name, least, most) {
  const value = given[name];
  if (value === undefined) return;
  if (!(value >= least && value <= most)) throw new RangeE(`${name} value is out of range.`);
  return Math.floor(value);
}

function settled(options) {
  const given = options === undefined ? {} : Object(options), o = create(null);
  o.style = `${given.style ?? "decimal"}`;
  if (!["decimal", "percent", "currency"].includes(o.style)) throw new RangeE(`Intl.NumberFormat: the style ${o.style} is not supported here`);
  if (given.notation !== undefined && given.notation !== "standard") throw new RangeE(`Intl.NumberFormat: the notation ${given.notation} is not supported here`);
  for (const name of ["minimumSignificantDigits", "maximumSignificantDigits"]) if (given[name] !== undefined) throw new RangeE(`Intl.NumberFormat: ${name} is not supported here`);
  if (o.style === "currency") {
    if (given.currency === undefined) throw new TypeError("Currency code is required with currency style.");
    if (!/^[a-z]{3}$/i.test(given.currency)) throw new RangeE(`Invalid currency code : ${given.currency}`);
    o.currency = given.currency.toUpperCase();
    o.currencyDisplay = `${given.currencyDisplay ?? "symbol"}`;
  }
  const usual = o.style === "currency" ? (NO_CENTS[o.currency] ?? 2) : undefined;
  let least = digitsOf(given, "minimumFractionDigits", 0, 100), most = digitsOf(given, "maximumFractionDigits", 0, 100);
  if (least !== undefined && most !== undefined && least > most) throw new RangeE("maximumFractionDigits value is out of range.");
  least ??= Math.min(usual ?? 0, most ?? 100);
  most ??= Math.max(usual ?? (o.style === "percent" ? 0 : 3), least);
  o.minimumIntegerDigits = digitsOf(given, "minimumIntegerDigits", 1, 21) ?? 1;
  o.minimumFractionDigits = least;
  o.maximumFractionDigits = most;
  o.useGrouping = given.useGrouping === undefined ? "auto" : given.useGrouping === "false" ? false : given.useGrouping;
  return o;
}

/** The digits of a number that is not negative, rounded half up by its decimal digits. */
function written(value, most) {
  const [, whole, fraction = "", exponent = "0"] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(`${value}`);
  let digits = whole + fraction, point = whole.length + +exponent;
  if (point < 1) {
    digits = "0".repeat(1 - point) + digits;
    point = 1;
  }
  if (digits.length < point) digits += "0".repeat(point - digits.length);
  if (digits.length - point > most) {
    const up = digits[point + most] >= "5" ? 1n : 0n;
    const kept = (BigInt(digits.slice(0, point + most) || "0") + up).toString().padStart(point + most, "0");
    point += kept.length - (point + most);
    digits = kept;
  }
  return [digits.slice(0, point).replace(/^0+(?=\d)/, ""), digits.slice(point).replace(/0+$/, "")];
}

class NumberFormat {
  #locale;
  #options;
  #bound;
  constructor(locales, options) {
    this.#locale = localeOf(locales);
    this.#options = settled(options);
  }
  formatToParts(given) {
    const o = this.#options, { number } = this.#locale, out = [];
    const value = typeof given === "bigint" ? given : Number(given);
    const negative = value < 0 || Object.is(value, -0), size = negative ? (typeof value === "bigint" ? -value : -value) : value;
    const digits = [];
    if (value !== value) digits.push({ type: "nan", value: "NaN" });
    else if (size === Infinity) digits.push({ type: "infinity", value: "∞" });
    else {
      let [whole, fraction] = written(size, o.maximumFractionDigits + (o.style === "percent" ? 2 : 0));
      if (o.style === "percent") {
        const padded = fraction.padEnd(2, "0");
        whole = (whole + padded.slice(0, 2)).replace(/^0+(?=\d)/, "");
        fraction = padded.slice(2);
      }
      this.#whole(whole.padStart(o.minimumIntegerDigits, "0"), digits);
      fraction = fraction.padEnd(o.minimumFractionDigits, "0");
      if (fraction) digits.push({ type: "decimal", value: number.decimal }, { type: "fraction", value: fraction });
    }
    const pattern = o.style === "percent" ? number.percent : o.style === "currency" ? number.currency : "#";
    if (negative) out.push({ type: "minusSign", value: number.minus });
    const symbol = o.currencyDisplay === "code" ? o.currency : (number.symbols[o.currency] ?? o.currency);
    const spaced = /[A-Z]$/.test(symbol) && pattern.startsWith("¤#") ? pattern.replace("¤", "¤\u00a0") : pattern;
    for (const piece of spaced.split(/([#¤%])/)) {
      if (piece === "#") out.push(...digits);
      else if (piece === "¤") out.push({ type: "currency", value: symbol });
      else if (piece === "%") out.push({ type: "percentSign", value: "%" });
      else if (piece) out.push({ type: "literal", value: piece });
    }
    return out;
  }
  #whole(whole, out) {
    const { group, second, least } = this.#locale.number, { useGrouping } = this.#options;
    if (useGrouping === false || whole.length < (useGrouping === true || useGrouping === "always" ? 4 : least)) {
      out.push({ type: "integer", value: whole });
      return;
    }
    const groups = [whole.slice(-3)];
    for (let end = whole.length - 3; end > 0; end -= second) groups.unshift(whole.slice(Math.max(0, end - second), end));
    groups.forEach((value, i) => {
      if (i) out.push({ type: "group", value: group });
      out.push({ type: "integer", value });
    });
  }
  get format() {
    return (this.#bound ??= (value) => {
      let out = "";
      for (const part of this.formatToParts(value)) out += part.value;
      return out;
    });
  }
  resolvedOptions() {
    return { locale: this.#locale.name, numberingSystem: "latn", ...this.#options };
  }
  static supportedLocalesOf(locales) {
    return supported(locales);
  }
  get [Symbol.toStringTag]() {
    return "Intl.NumberFormat";
  }
}

for (const kind of [Number, BigInt])
  define("toLocaleString", function toLocaleString(locales, options) { return new NumberFormat(locales, options).format(kind.prototype.valueOf.call(this)); }, kind.prototype);

export { NumberFormat as numbers };
