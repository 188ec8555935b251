/** Prices by model as lines that people write: `model  input  output  cached input  cache written`. */

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
