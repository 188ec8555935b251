/** The agent's state for one page: reads what it watches, follows it, and writes one value after another. */
import { live } from "../../../lib/live/live";
import { newKey } from "../../../lib/newKey";
import { messageOf } from "../../../lib/problems";
import { retrying } from "../../../lib/retrying";
import { isEntityEvent, type LogEvent } from "../../../lib/wire";
import type { PageRequests, Stored } from "./requests";

export const MOST_KEYS = 200;
/** Between two writes (ms): each is an event that stays for ever. What is written faster, only its last value is. */
const BETWEEN_WRITES_MS = 200;

/** A hidden page goes without live events after this long (ms). */
const HIDDEN_MS = 5_000;

export interface StateLink {
  watch(key: string): void;
  /** Resolves when this value, or a later one, is stored. */
  write(key: string, value: unknown): Promise<void>;
  close(): void;
}

type Waiting = { resolve(): void; reject(error: Error): void };

export function openState(
  agentId: string,
  requests: PageRequests,
  changed: (key: string, stored: Stored) => void,
  failed: (message: string) => void,
): StateLink {
  const watched = new Map<string, number>();
  const next = new Map<string, { value: unknown; waiting: Waiting[] }>();
  let writing = false;
  let closed = false;

  function onEvent(event: LogEvent): void {
    if (!isEntityEvent(event) || event.body.kind !== "state") return;
    const { name } = event.body;
    const present = event.type === "foldline.agent.entity_written.v1";
    const value = event.type === "foldline.agent.entity_written.v1" ? event.body.value : null;
    learn(name, { value, present, sequence: event.sequence });
  }

  const subscription = requests.follows
    ? live.subscribe({ agentId, whenHidden: HIDDEN_MS }, { onEvent })
    : null;
  subscription?.followOn();

  /** Pass on what is newer than what was passed on before. */
  function learn(key: string, stored: Stored): void {
    const known = watched.get(key);
    if (closed || known === undefined || (stored.sequence <= known && known > 0)) return;
    watched.set(key, stored.sequence);
    changed(key, stored);
  }

  async function writeAll(): Promise<void> {
    if (writing) return;
    writing = true;
    for (;;) {
      const [first] = next;
      if (!first || closed) break;
      const [key, { value, waiting }] = first;
      next.delete(key);
      try {
        const idempotencyKey = newKey();
        learn(key, await retrying(() => requests.writeState(key, value, idempotencyKey)));
        for (const { resolve } of waiting) resolve();
      } catch (error) {
        for (const { reject } of waiting) reject(new Error(messageOf(error)));
      }
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_WRITES_MS));
    }
    writing = false;
  }

  return {
    watch(key) {
      if (watched.has(key)) return;
      if (watched.size >= MOST_KEYS) {
        failed(`A page may use at most ${MOST_KEYS} keys of the state.`);
        return;
      }
      watched.set(key, 0);
      retrying(() => requests.readState(key)).then(
        (stored) => learn(key, stored),
        (error) => failed(`The state "${key}" can't be read: ${messageOf(error)}`),
      );
    },
    write(key, value) {
      return new Promise((resolve, reject) => {
        const waiting = [...(next.get(key)?.waiting ?? []), { resolve, reject }];
        next.set(key, { value, waiting });
        void writeAll();
      });
    },
    close() {
      closed = true;
      subscription?.close();
    },
  };
}
