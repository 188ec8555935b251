/** The files that tool calls made or changed, as their results tell. */
import { isMembers, list } from "../../../lib/shape";
import type { FileFacts, ToolCall } from "../../../lib/wire";

export type MadeFile = Pick<FileFacts, "file_id" | "path" | "media_type" | "size" | "version"> & {
  /** What a call that hands the file over says of it, in place of its name. */
  title?: string;
  about?: string;
};

/** What a call made: its result is a file, or lists some, as what a browser downloaded. A call that only reads makes none. */
export function filesOf({ effect, status, result }: ToolCall): MadeFile[] {
  if (status !== "completed" || effect === "pure" || !isMembers(result)) return [];
  const found = [result, result.file, ...list(result.files), ...list(result.downloads)];
  return found.filter(isFile).map((file) => ({
    ...{ file_id: file.file_id, path: file.path, size: file.size, version: file.version },
    media_type: file.media_type ?? drawnAs(file.path),
    ...saidOf(file),
  }));
}

function saidOf({ display_name, description }: Told): Pick<MadeFile, "title" | "about"> {
  return {
    ...(typeof display_name === "string" && display_name ? { title: display_name } : {}),
    ...(typeof description === "string" && description ? { about: description } : {}),
  };
}

/** The type of a picture that the page can draw, by its path; of anything else, that of bytes. */
function drawnAs(path: string): string {
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  const drawn = ["png", "jpeg", "gif", "webp"].find((one) => one === (ending === "jpg" ? "jpeg" : ending));
  return drawn ? `image/${drawn}` : "application/octet-stream";
}

/** By call key, the files to show beneath it: of each file its last version within the messages of one turn. */
export function madeIn(turn: readonly { key: string; call: ToolCall }[]): Map<string, MadeFile[]> {
  const last = new Map<string, { key: string; file: MadeFile }>();
  for (const { key, call } of turn) for (const file of filesOf(call)) last.set(file.file_id, { key, file });
  const shown = new Map<string, MadeFile[]>();
  for (const { key, file } of last.values()) shown.set(key, [...(shown.get(key) ?? []), file]);
  return shown;
}

interface Told {
  display_name?: unknown;
  description?: unknown;
}

function isFile(value: unknown): value is Omit<MadeFile, "media_type"> & { media_type?: string } & Told {
  return (
    isMembers(value) &&
    typeof value.file_id === "string" &&
    typeof value.path === "string" &&
    typeof value.size === "number" &&
    typeof value.version === "number"
  );
}
