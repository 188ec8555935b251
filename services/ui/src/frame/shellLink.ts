/** The frame's end of the talk with the shell. */
import { type FromFrame, parseFromFrame, type ToFrame } from "../lib/pageMessages";

type Asked = { resolve(value: unknown): void; reject(error: Error): void };
type Question = Extract<FromFrame, { id: number }>;
type WithoutId<T> = T extends unknown ? Omit<T, "id"> : never;

const asked = new Map<number, Asked>();
const stateListeners = new Map<string, (value: unknown, present: boolean) => void>();
// Taken before an author's code could replace them.
const { parent } = window;
const post = parent.postMessage.bind(parent);
const stringify = JSON.stringify;
let last = 0;

/** Say something to the shell. Throws where it is more than the shell takes: it would end the page. */
export function tell(said: FromFrame): void {
  const text = stringify(said);
  if (!parseFromFrame(text))
    throw new Error(`This is too large, empty, or no plain data: ${text.slice(0, 100)}`);
  post(text, "*");
}

/** Ask the shell for something. Rejects with its words. */
export function ask(question: WithoutId<Question>): Promise<unknown> {
  last += 1;
  const id = last;
  return new Promise((resolve, reject) => {
    tell({ ...question, id } as Question);
    asked.set(id, { resolve, reject });
  });
}

/** Hear of a state key's value, now and whenever it changes. */
export function watchState(key: string, listener: (value: unknown, present: boolean) => void): void {
  stateListeners.set(key, listener);
  tell({ kind: "watch", key });
}

/** What the shell said, passed to whoever waits for it. */
export function heard(said: ToFrame): void {
  if (said.kind === "state") stateListeners.get(said.key)?.(said.value, said.present);
  if (said.kind !== "answer") return;
  const waiting = asked.get(said.id);
  asked.delete(said.id);
  if (said.ok) waiting?.resolve(said.value);
  else waiting?.reject(new Error(said.message));
}
