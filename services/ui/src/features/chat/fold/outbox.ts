/** Messages on their way: shown at once, kept until the log has them. */
import { includes, recordOf } from "../../../lib/address";
import type { ChosenPrompt } from "../../../lib/wire";
import type { ChatMessage, ChatView } from "./view";

export interface Outgoing {
  /** The Idempotency-Key: sending again under it never makes a second message. */
  key: string;
  text: string;
  /** Ids of the files that go with it. */
  files: readonly string[];
  /** The prompt that is sent in place of a text. */
  prompt?: ChosenPrompt | null;
  state: "sending" | "accepted" | "failed";
  /** Where the log has it, once accepted. */
  sequence: number | null;
  problem: string | null;
  /** The session's last sequence when it was sent: its event comes later. */
  after: number;
  /** When it was written, in Unix milliseconds: the order to send in. */
  at: number;
}

/** What a person says: a text or a prompt, ids of files, or both. */
export interface Said {
  text: string;
  files: readonly string[];
  prompt?: ChosenPrompt | null;
}

/** A message to be sent. */
export function outgoing(
  key: string,
  { text, files, prompt = null }: Said,
  after: number,
  at: number,
): Outgoing {
  return { key, text, files, prompt, state: "sending", sequence: null, problem: null, after, at };
}

/** Change one message on its way; `null` takes it away. */
export function changed(
  outbox: readonly Outgoing[],
  key: string,
  change: Partial<Outgoing> | null,
): readonly Outgoing[] {
  if (change === null) return outbox.filter((entry) => entry.key !== key);
  return outbox.map((entry) => (entry.key === key ? { ...entry, ...change } : entry));
}

/** Without those whose event the view has seen, or that are among its messages. */
export function delivered(outbox: readonly Outgoing[], view: ChatView): readonly Outgoing[] {
  if (outbox.length === 0) return outbox;
  const said = new Set(view.messages.map((message) => recordOf(message.sequence)));
  const open = outbox.filter(
    ({ sequence }) =>
      sequence === null || !(includes(view.session.last_sequence, sequence) || said.has(sequence)),
  );
  return open.length === outbox.length ? outbox : open;
}

/**
 * Those to show. A message's event may overtake the answer to its request; until that answer tells the sequence, a
 * newer message of the same text, or prompt, is taken for it.
 */
export function visible(outbox: readonly Outgoing[], view: ChatView): Outgoing[] {
  const taken = new Set<number>();
  return outbox.filter((entry) => {
    if (entry.state !== "sending") return true;
    const echo = view.messages.find(
      (message) =>
        isEcho(message, entry) && !includes(entry.after, message.sequence) && !taken.has(message.sequence),
    );
    if (echo) taken.add(echo.sequence);
    return !echo;
  });
}

function isEcho({ role, text, prompt }: ChatMessage, entry: Outgoing): boolean {
  if (role !== "user") return false;
  if (!entry.prompt) return prompt === null && text === entry.text;
  return prompt?.server === entry.prompt.server && prompt.name === entry.prompt.name;
}
