/** A person's settings as a form: what is typed, and what of it is to be sent. */
import type { Setting } from "../../../lib/wire";

/** What was typed, by the setting's name. What isn't here is as it was read. */
export type Drafts = Readonly<Record<string, string>>;

/** Values to send, by name; null resets one. */
export type Values = Readonly<Record<string, unknown>>;

/** What stands in a setting's field as it was read: this level's own value, else nothing. */
export function ownText({ own, form }: Setting): string {
  if (form === "secret" || own === null) return "";
  return textOf(own.value, form);
}

/** A value as it is typed. */
export function textOf(value: unknown, form: Setting["form"]): string {
  if (value === null || value === undefined) return "";
  return form === "prices" ? pricesText(value) : String(value);
}

export function typed(setting: Setting, drafts: Drafts): string {
  return drafts[setting.name] ?? ownText(setting);
}

/** Whether a field has something to send. */
export function changed(setting: Setting, drafts: Drafts): boolean {
  const draft = drafts[setting.name];
  return draft !== undefined && draft.trim() !== ownText(setting).trim();
}

/** All that has to be sent. An empty field takes back what this level had. */
export function valuesOf(settings: readonly Setting[], drafts: Drafts): Values {
  const found = settings.filter((one) => !one.locked && changed(one, drafts));
  return Object.fromEntries(found.map((one) => [one.name, valueIn(one, drafts[one.name] ?? "")]));
}

/** The version that each setting had when somebody began to type over it. */
export type Bases = Readonly<Record<string, number>>;

export const versionOf = ({ own }: Setting): number => own?.version ?? 0;

/** The versions that what is sent was typed over: what changed meanwhile isn't overwritten unseen. */
export function versionsOf(
  settings: readonly Setting[],
  values: Values,
  bases: Bases,
): Record<string, number> {
  const found = settings.filter((one) => one.name in values);
  return Object.fromEntries(found.map((one) => [one.name, bases[one.name] ?? versionOf(one)]));
}

function valueIn({ form }: Setting, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  if (form === "prices") return pricesIn(trimmed);
  const number = Number(trimmed);
  return form === "number" && Number.isFinite(number) ? number : trimmed;
}

/** Prices by model are lines that people write: `model  input  output  cached input  cache written`. */
const FIGURES = ["input", "output", "cached_input", "cache_written"] as const;

/** One line for each model. */
export function pricesText(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(([model, price]) => [model, ...figuresOf(price)].join(" "))
    .join("\n");
}

function figuresOf(price: Record<string, number | null>): (number | string)[] {
  const known = FIGURES.map((one) => price[one] ?? null);
  while (known.at(-1) === null) known.pop();
  return known.map((one) => one ?? price.input ?? ""); // what isn't said costs as other input
}

/** The prices in such lines. What is no number stays text, so that the server says where it is wrong. */
export function pricesIn(text: string): Record<string, Record<string, number | string>> {
  const lines = text.split("\n").map((line) => line.trim().split(/\s+/));
  const found = lines.filter(([model]) => model);
  return Object.fromEntries(found.map(([model, ...figures]) => [model, priceOf(figures)]));
}

function priceOf(figures: readonly string[]): Record<string, number | string> {
  const named = figures.map((one, at) => [FIGURES[at] ?? `figure_${at + 1}`, numberIn(one)] as const);
  return Object.fromEntries(named);
}

function numberIn(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}
