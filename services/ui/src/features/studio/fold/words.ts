/** Versions and their authors in words. */
import type { Version } from "../../../lib/wire";
import { ABOUT } from "./sections";
import type { LiveChange } from "./view";

const BY: Record<string, string> = { user: "you", agent: "the agent", service: "Foldline" };

/** Who it was, after "by". */
export function by(actor: string | null): string {
  return actor === null ? "nobody" : (BY[actor] ?? actor);
}

/** A version's name in a list where numbers may come again after a deletion. */
export function versionName({
  version,
  deleted,
  sequence,
}: Pick<Version, "version" | "deleted" | "sequence">): string {
  return deleted ? `Deleted (event ${sequence})` : `Version ${version} (event ${sequence})`;
}

/** What is told to a screen reader when something changes by itself. */
export function told(change: LiveChange | null): string {
  if (!change) return "";
  const { section, name, version } = change;
  const who = by(change.by);
  const one = section === name ? `the ${ABOUT[section].noun}` : `the ${ABOUT[section].noun} ${name}`;
  const what =
    version === null
      ? `deleted ${one}`
      : version === 1
        ? `made ${one}`
        : `changed ${one}: version ${version}`;
  return `${who.slice(0, 1).toUpperCase()}${who.slice(1)} ${what}.`;
}
