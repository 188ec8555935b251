/** Files that are about to go with a message. */
import { bytes } from "../../../lib/words";

/** A file of this computer, and the path that it is to have. */
export interface Picked {
  file: File;
  path: string;
}

export interface Attached {
  key: string;
  path: string;
  size: number;
  mediaType: string;
  /** `held`: it goes when the message goes, since there is no chat yet. */
  state: "held" | "uploading" | "there" | "failed";
  /** null of one that was uploaded before the page was loaded again. */
  file: File | null;
  fileId: string | null;
  problem: string | null;
}

/** Bytes of one file, as the gateway takes it. */
export const LARGEST_FILE = 50_000_000;
/** As many files go with one message. */
export const MOST_FILES = 50;

/** With files that were picked; those that can't go say why. `held` while there is no chat to upload to. */
export function withPicked(
  attached: readonly Attached[],
  picked: readonly (Picked & { key: string })[],
  held: boolean,
): readonly Attached[] {
  const room = Math.max(0, MOST_FILES - attached.length);
  return [
    ...attached,
    ...picked.slice(0, room).map(({ key, file, path }): Attached => {
      const one = { key, path, size: file.size, mediaType: file.type, file, fileId: null };
      return file.size > LARGEST_FILE
        ? { ...one, state: "failed", problem: `Larger than ${bytes(LARGEST_FILE)}: remove it` }
        : { ...one, state: held ? "held" : "uploading", problem: null };
    }),
  ];
}

/** Change one; `null` takes it away. */
export function changed(
  attached: readonly Attached[],
  key: string,
  change: Partial<Attached> | null,
): readonly Attached[] {
  if (change === null) return attached.filter((one) => one.key !== key);
  return attached.map((one) => (one.key === key ? { ...one, ...change } : one));
}

/** The ids of those that are there. */
export function idsOf(attached: readonly Attached[]): string[] {
  return attached.flatMap(({ fileId }) => (fileId === null ? [] : [fileId]));
}

/** Whether all of them may go. */
export function ready(attached: readonly Attached[]): boolean {
  return attached.every(({ state }) => state === "there" || state === "held");
}

/** Whether trying again may help. */
export function retriable({ state, file }: Attached): boolean {
  return state === "failed" && file !== null && file.size <= LARGEST_FILE;
}

/** What was pasted, under names that don't take each other's place. */
export function pasted(files: readonly File[], now: Date): Picked[] {
  const stamp = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  return files.map((file, index) => {
    const [, name, ending] = /^(.*?)(\.[^.]*)?$/.exec(file.name) ?? [];
    const place = index === 0 ? "" : `-${index + 1}`;
    return { file, path: `${name || "pasted"}-${stamp}${place}${ending ?? ""}` };
  });
}
