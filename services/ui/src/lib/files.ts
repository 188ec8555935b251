/** Files: what is known of one, how they are uploaded, and where their bytes are. */
import { address, answerOf, api } from "./api";
import type { FileFacts } from "./wire";

/** A picture larger than this is not drawn as a thumbnail (bytes). */
const LARGEST_THUMBNAIL = 10_000_000;

/** No SVG: it is a document, which may hold very much in few bytes. */
const DRAWN = /^image\/(png|jpeg|gif|webp|avif)$/;

/** Where a file's bytes are: a link to them downloads it. */
export function contentHref(fileId: string, version: number | null = null): string {
  return address(`/files/${encodeURIComponent(fileId)}/content`, { version });
}

/** Whether the file can be drawn as a small picture. */
export function hasThumbnail({ media_type, size }: Pick<FileFacts, "media_type" | "size">): boolean {
  return DRAWN.test(media_type) && size <= LARGEST_THUMBNAIL;
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Where a file of this computer will be: below its folder, if it came with one. */
export function pathOf(file: File): string {
  return file.webkitRelativePath || file.name;
}

/** Upload one file into a session's workspace. */
export async function upload(
  { file, path }: { file: File; path: string },
  sessionId: string,
  signal?: AbortSignal,
): Promise<FileFacts> {
  const form = new FormData();
  // Before the file: the gateway reads the parts as they come.
  form.append("session_id", sessionId);
  form.append("scope", "session");
  form.append("path", path);
  form.append("file", file, file.name);
  const { items: files } = await answerOf(
    api.POST("/files", {
      body: form as never,
      bodySerializer: (body: unknown) => body as FormData,
      ...(signal && { signal }),
    }),
  );
  const [stored] = files;
  if (!stored) throw new Error("The gateway stored no file");
  return stored;
}

/** What is known of a file now. */
export function readFile(agentId: string, fileId: string, signal: AbortSignal): Promise<FileFacts> {
  const params = { path: { agent_id: agentId, file_id: fileId } };
  return answerOf(api.GET("/agents/{agent_id}/files/{file_id}", { params, signal }));
}
