/** Begins a chat with what a person says: with files or a prompt, the chat is made first, then they go into it. */
import { upload } from "../../../lib/files";
import { newKey } from "../../../lib/newKey";
import { retrying } from "../../../lib/retrying";
import type { ChosenPrompt, FileFacts, Session } from "../../../lib/wire";
import type { Picked } from "../fold/attached";
import type { Choice } from "../fold/choosing";
import { chatRequests, createSession } from "./requests";

/** One beginning, however often it is tried: what was done of it is not done again. */
export interface Beginning {
  text: string;
  picked: readonly Picked[];
  prompt: ChosenPrompt | null;
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
  prompt: ChosenPrompt | null = null,
): Beginning {
  const same =
    before?.text === text &&
    before.prompt === prompt &&
    before.choice.agentId === choice.agentId &&
    before.choice.model === choice.model &&
    before.choice.thinking === choice.thinking &&
    before.picked.length === picked.length &&
    before.picked.every(({ file }, index) => file === picked[index]?.file);
  return same ? before : { text, picked, prompt, choice, key: newKey(), uploaded: new Map() };
}

export async function beginChat(beginning: Beginning): Promise<Session> {
  const { text, picked, prompt, choice, key, uploaded } = beginning;
  if (picked.length === 0 && !prompt) return retrying(() => createSession(text, choice, key));
  const session = await retrying(() => createSession(null, choice, key));
  for (const one of picked)
    if (!uploaded.has(one.file)) uploaded.set(one.file, await retrying(() => upload(one, session.id)));
  const files = picked.flatMap(({ file }) => uploaded.get(file)?.file_id ?? []);
  await retrying(() => chatRequests(session.id).send({ text, files, prompt }, `${key}-said`));
  return session;
}
