/** Figures and times as people read them, in the browser's language settings. */

const TIME = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const SECONDS = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DATE = new Intl.DateTimeFormat("en-GB", {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
});
const SHORT_DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const NUMBER = new Intl.NumberFormat("en");
const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const clockTime = (time: string): string => TIME.format(new Date(time));
/** For a moment that is near. */
export const secondsTime = (time: string): string => SECONDS.format(new Date(time));
export const fullTime = (time: string): string => FULL.format(new Date(time));
export const count = (value: number): string => NUMBER.format(value);
export const compactCount = (value: number): string => COMPACT.format(value).toLowerCase();

/** "Today", "Yesterday", or the date, seen from `now`. */
export function dayWords(time: string, now: Date): string {
  const day = new Date(time);
  const days = Math.round((startOfDay(now) - startOfDay(day)) / 86_400_000);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return DATE.format(day);
}

/** How long ago, in short, seen from `now`: "now", "5 min", "3 h", "2 d", or the date. */
export function ago(time: string, now: Date): string {
  const minutes = Math.floor((now.getTime() - new Date(time).getTime()) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`;
  if (minutes < 7 * 24 * 60) return `${Math.floor(minutes / (24 * 60))} d`;
  return SHORT_DATE.format(new Date(time));
}

/** A span of milliseconds: "420 ms", "3.2 s", "2 min 5 s". */
export function span(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** A count of bytes: "640 B", "12 kB", "3.4 MB", "1.1 GB". */
export function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  if (size < 1_000_000) return `${Math.round(size / 1000)} kB`;
  if (size < 1_000_000_000) return `${(size / 1_000_000).toFixed(1)} MB`;
  return `${(size / 1_000_000_000).toFixed(1)} GB`;
}

/** Millionths of a US dollar: "$1.24", "$0.0031"; `complete`: whether all of it has a known price. */
export function money(micros: number | null | undefined, complete = true): string {
  if (micros === null || micros === undefined) return "no price known";
  const small = micros > 0 && micros < 10_000;
  const said = `$${(micros / 1_000_000).toFixed(small ? 4 : 2)}`;
  return complete ? said : `at least ${said}`;
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** Said where a read failed for a reason that may pass. */
export const BY_ITSELF = "Foldline retries automatically.";

/** Of a call that waited for a person, and waits no more. */
export const ANSWERED = "This was already answered or closed.";
