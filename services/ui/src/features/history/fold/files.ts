/** Files as they were, beside what they are now. */
import type { FileFacts } from "../../../lib/wire";

export interface PastFile {
  file: FileFacts;
  /** What has become of it; null: nothing. */
  since: string | null;
}

export function sinceThen(then: readonly FileFacts[], now: readonly FileFacts[]): PastFile[] {
  const current = new Map(now.map((file) => [file.file_id, file]));
  return then.map((file) => ({ file, since: change(file, current.get(file.file_id)) }));
}

function change(then: FileFacts, now: FileFacts | undefined): string | null {
  if (!now) return "deleted";
  if (now.path !== then.path) return `renamed to ${now.path}`;
  return now.version === then.version ? null : `changed: version ${now.version} now`;
}
