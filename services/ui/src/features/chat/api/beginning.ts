/** Begins a chat with what a person says: with files, the chat is made first, then they are uploaded into it. */
import { upload } from "../../../lib/files";
import { newKey } from "../../../lib/newKey";
import { retrying } from "../../../lib/retrying";
import type { FileFacts, Session } from "../../../lib/wire";
import type { Picked } from "../fold/attached";
import type { Choice } from "../fold/choosing";
import { chatRequests, createSession } from "./requests";

/** One beginning, however often it is tried: what was done of it is not done again. */
export interface Beginning {
  text: string;
  picked: readonly Picked[];
  choice: Choice;
  key: string;
  uploaded: Map<File, FileFacts>;
}

/** The beginning that was tried before, if it says the same, else a new one. */
export function sameBeginning(
  before: Beginning | null,
  text: string,
  picked: readonly Picked[],
  choice: Choice,
): Beginning {
  const same =
    before?.text === text &&
    before.choice.agentId === choice.agentId &&
    before.choice.model === choice.model &&
    before.picked.length === picked.length &&
    before.picked.every(({ file }, index) => file === picked[index]?.file);
  return same ? before : { text, picked, choice, key: newKey(), uploaded: new Map() };
}

export async function beginChat({ text, picked, choice, key, uploaded }: Beginning): Promise<Session> {
  if (picked.length === 0) return retrying(() => createSession(text, choice, key));
  const session = await retrying(() => createSession(null, choice, key));
  for (const one of picked)
    if (!uploaded.has(one.file)) uploaded.set(one.file, await retrying(() => upload(one, session.id)));
  const files = picked.flatMap(({ file }) => uploaded.get(file)?.file_id ?? []);
  await retrying(() => chatRequests(session.id).send({ text, files }, `${key}-said`));
  return session;
}
