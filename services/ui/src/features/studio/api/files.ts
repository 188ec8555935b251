/** The gateway's operations on an agent's files. */
import { answerOf, api, once } from "../../../lib/api";
import { newKey } from "../../../lib/newKey";
import { retrying } from "../../../lib/retrying";
import type { FileFacts, Versions } from "../../../lib/wire";

/** Files per page. */
const PAGE = 100;
/** Characters of a text that are shown. */
const SHOWN = 20_000;

export interface FileList {
  files: readonly FileFacts[];
  /** How many there are in all, and their bytes. */
  count: number;
  bytes: number;
}

/** Files by path, the first `pages` pages of them. */
export async function readFiles(
  agentId: string,
  prefix: string,
  pages: number,
  signal: AbortSignal,
): Promise<FileList> {
  const files: FileFacts[] = [];
  let after: string | null = null;
  for (let page = 0; ; ) {
    const query: { prefix: string; limit: number; after: string | null } = { prefix, limit: PAGE, after };
    const params = { path: { agent_id: agentId }, query };
    const found = await answerOf(api.GET("/agents/{agent_id}/files", { params, signal }));
    files.push(...found.files);
    after = found.after;
    page += 1;
    if (after === null || page >= pages) return { files, count: found.count, bytes: found.bytes };
  }
}

/** Who changed it and when, newest first. */
export function readFileVersions(agentId: string, fileId: string, signal: AbortSignal): Promise<Versions> {
  const params = { path: { agent_id: agentId, file_id: fileId } };
  return answerOf(api.GET("/agents/{agent_id}/files/{file_id}/versions", { params, signal }));
}

/** The beginning of a text file. */
export function readBeginning(file: FileFacts, signal: AbortSignal): Promise<string> {
  const { file_id, version } = file;
  return answerOf(
    api.GET("/files/{file_id}/content", {
      params: { path: { file_id }, query: { version } },
      headers: { Range: `bytes=0-${SHOWN - 1}` },
      parseAs: "text",
      signal,
    }),
  );
}

function written<T>(write: (header: ReturnType<typeof once>) => Promise<T>): Promise<T> {
  const header = once(newKey());
  return retrying(() => write(header));
}

/** Upload files for all sessions of the agent. */
export function uploadForAll(agentId: string, files: readonly File[]): Promise<readonly FileFacts[]> {
  const form = new FormData();
  form.append("agent_id", agentId);
  form.append("scope", "agent");
  for (const file of files) form.append("file", file, file.webkitRelativePath || file.name);
  return written(async (header) => {
    const sent = { body: form as never, bodySerializer: (body: unknown) => body as FormData };
    return (await answerOf(api.POST("/files", { params: { header }, ...sent }))).files;
  });
}

/** Make a session's file one for all sessions. */
export function promote({ agent_id, file_id }: FileFacts): Promise<unknown> {
  return written((header) =>
    answerOf(
      api.POST("/agents/{agent_id}/files/{file_id}/promote", {
        params: { path: { agent_id, file_id }, header },
      }),
    ),
  );
}

/** Make the bytes that event `sequence` wrote the newest ones. */
export function revertFile(agentId: string, fileId: string, sequence: number): Promise<unknown> {
  const path = { agent_id: agentId, file_id: fileId };
  return written((header) =>
    answerOf(
      api.POST("/agents/{agent_id}/files/{file_id}/revert", { params: { path, header }, body: { sequence } }),
    ),
  );
}

export function removeFile({ agent_id, file_id }: FileFacts): Promise<unknown> {
  const path = { agent_id, file_id };
  return written((header) =>
    answerOf(api.DELETE("/agents/{agent_id}/files/{file_id}", { params: { path, header } })),
  );
}
