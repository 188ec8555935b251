/** What is said before chats are deleted. */
import type { Session } from "../../../lib/wire";

export interface Telling {
  title: string;
  /** Each a sentence. */
  erased: string;
  stays: string[];
  action: string;
}

/** `all` are the chats that are known: some may begin with those that are deleted. */
export function telling(chats: readonly Session[], all: readonly Session[]): Telling {
  const many = chats.length > 1;
  const ids = new Set(chats.map(({ id }) => id));
  const forks = all.filter(
    ({ id, forked_from_id: from }) => from !== null && from !== undefined && ids.has(from) && !ids.has(id),
  ).length;
  const working = chats.some(({ status }) => status === "running" || status === "waiting_for_input");
  const stays = [
    `What ${many ? "they" : "it"} changed of the agent stays: its prompt, notes, tools, pages, state, database and the files that all its chats see. So do backups that were made before.`,
  ];
  if (forks > 0) {
    const [who, keep] = forks === 1 ? ["One chat was", "It keeps"] : [`${forks} chats were`, "They keep"];
    const it = many ? "these" : "this one";
    stays.push(
      `${who} forked from ${it}. ${keep} the history ${forks === 1 ? "it shares" : "they share"} with it until the last fork is deleted.`,
    );
  }
  const name = chats[0]?.title ?? "New chat";
  return {
    title: many ? `Delete ${chats.length} chats?` : `Delete “${name}”?`,
    erased: `${working ? "Running work is stopped. " : ""}All messages, sub-sessions, files, notes and reminders of ${many ? "these chats" : "this chat"} are deleted permanently. This can't be undone.`,
    stays,
    action: many ? `Delete ${chats.length} chats` : "Delete",
  };
}
