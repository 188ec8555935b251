/**
 * The shell's end of the talk with one page. Whatever comes out of the frame is taken for hostile: its shape and
 * size are checked, it is counted, and it can ask for nothing but what is answered here.
 */

import { newKey } from "../../../lib/newKey";
import {
  type FrameMode,
  type FromFrame,
  type PageError,
  parseFromFrame,
  type ToFrame,
} from "../../../lib/pageMessages";
import { messageOf } from "../../../lib/problems";
import { retrying } from "../../../lib/retrying";
import { type Allowance, full, type Rate, spend } from "../fold/allowance";
import { type Answer, type AskedOfPerson, askedIn } from "../fold/asked";
import { closed, hidden, isOfNotebook, type Sharing, sharedBy } from "../fold/sharing";
import type { Page, PageRequests } from "./requests";
import { openState } from "./stateLink";

/** Messages of any kind: more than that is a page that runs wild, and is stopped. */
const MESSAGES: Rate = { burst: 500, perSecond: 100 };
const CALLS: Rate = { burst: 30, perSecond: 5 };
const SAYINGS: Rate = { burst: 5, perSecond: 0.2 };
const MOST_AT_ONCE = 8;
const MOST_LIBRARIES = 50;

/** What a page's surroundings show of it. */
export interface PageShown {
  onRendered(): void;
  onThrown(error: PageError): void;
  /** It does what no page may: it was cut off. */
  onOutlaw(why: string): void;
  onAlive(): void;
  /** Say this to the agent: resolves when it is said, rejects with why it is not. */
  onSay(text: string): Promise<void>;
  /** A function that it calls wants to send something: what the person says to that. */
  onAsk(asked: AskedOfPerson): Promise<Answer>;
  /** It wants to turn on what the agent may do with a tab of notes: whether the person lets it. */
  onShare(sharing: Sharing): Promise<boolean>;
  /** Answer the call that waits for this page; absent where none does. */
  readonly onAct?: ((action: string, payload: Record<string, unknown>) => void) | undefined;
}

export interface PageHost {
  /** A message event that came from the frame's window. */
  receive(data: unknown): void;
  ping(): void;
  mode(mode: FrameMode): void;
  close(): void;
}

export function openPageHost(
  agentId: string,
  page: Page,
  mode: FrameMode,
  requests: PageRequests,
  post: (message: ToFrame) => void,
  shown: PageShown,
): PageHost {
  let messages: Allowance | null = full(MESSAGES);
  let calls: Allowance = full(CALLS);
  let sayings: Allowance = full(SAYINGS);
  let libraries = 0;
  let running = 0;
  let started = false;
  let current = mode;
  /** The agent may have written it: it may do no more than the agent. */
  const isOwn = !page.broughtBy;
  const failure = (message: string) => shown.onThrown({ message, line: null, column: null, stack: "" });
  const state = openState(
    agentId,
    requests,
    (key, { value, present }) => {
      const why = isOwn && present ? hidden(key, value) : null;
      if (why) failure(why);
      post(
        why ? { kind: "state", key, value: null, present: false } : { kind: "state", key, value, present },
      );
    },
    failure,
  );

  function answer(id: number, action: Promise<unknown>): void {
    action.then(
      (value) => post({ kind: "answer", id, ok: true, value: value ?? null }),
      (error) => post({ kind: "answer", id, ok: false, message: messageOf(error) }),
    );
  }

  async function call({ name, args }: Extract<FromFrame, { kind: "call" }>): Promise<unknown> {
    const left = spend(calls, CALLS, performance.now());
    if (!left || running >= MOST_AT_ONCE)
      throw new Error("The page calls too much at once: try again in a moment.");
    calls = left;
    running += 1;
    try {
      const key = newKey();
      return await retrying(() => requests.call(name, args, key)).catch((error: unknown) =>
        askedFor(name, args, error),
      );
    } finally {
      running -= 1;
    }
  }

  /** It was stopped by what it wanted to send: a yes is for another call, never for a second run of this one. */
  async function askedFor(name: string, args: Record<string, unknown>, error: unknown): Promise<unknown> {
    const asked = askedIn(name, error);
    if (!asked) throw error;
    const answer = await shown.onAsk(asked);
    if (answer === "refuse") throw new Error(`The user didn't allow it to send something to ${asked.host}.`);
    const key = newKey();
    const allowed = { allow: asked.covers, always: answer === "always" };
    return await retrying(() => requests.call(name, args, key, allowed));
  }

  async function write({ key, value }: Extract<FromFrame, { kind: "write" }>): Promise<void> {
    if (isOfNotebook(key)) {
      const before = await retrying(() => requests.readState(key));
      const why = isOwn ? closed(key, before.present ? before.value : undefined) : null;
      if (why) throw new Error(why);
      const sharing = before.present ? sharedBy(key, before.value, value) : null;
      if (sharing && !(await shown.onShare(sharing)))
        throw new Error(`The user didn't let the agent ${sharing.may} "${sharing.tab}".`);
    }
    await state.write(key, value);
  }

  async function say(text: string): Promise<void> {
    const left = spend(sayings, SAYINGS, performance.now());
    if (!left) throw new Error("The page says too much: try again in a moment.");
    sayings = left;
    await shown.onSay(text);
  }

  async function act({ action, payload }: Extract<FromFrame, { kind: "act" }>): Promise<void> {
    if (!shown.onAct)
      throw new Error("Nothing waits for an answer of this component: use sendMessage or callBackend.");
    shown.onAct(action, payload);
  }

  async function library({ name }: Extract<FromFrame, { kind: "library" }>): Promise<string> {
    libraries += 1;
    if (libraries > MOST_LIBRARIES) throw new Error(`A page may use at most ${MOST_LIBRARIES} libraries.`);
    return retrying(() => requests.library(name, page.at));
  }

  function obey(said: FromFrame): void {
    switch (said.kind) {
      case "ready":
        if (started) return;
        started = true;
        post({ kind: "render", name: page.name, code: page.code, props: { ...page.props }, mode: current });
        break;
      case "rendered":
        shown.onRendered();
        break;
      case "alive":
        break;
      case "thrown":
        shown.onThrown(said);
        break;
      case "watch":
        state.watch(said.key);
        break;
      case "write":
        answer(said.id, write(said));
        break;
      case "call":
        answer(said.id, call(said));
        break;
      case "say":
        answer(said.id, say(said.text));
        break;
      case "act":
        answer(said.id, act(said));
        break;
      case "library":
        answer(said.id, library(said));
        break;
    }
  }

  return {
    receive(data) {
      if (!messages) return;
      messages = spend(messages, MESSAGES, performance.now());
      const said = messages && parseFromFrame(data);
      if (!messages) shown.onOutlaw("It sent more messages than any page needs.");
      else if (!said) {
        messages = null;
        shown.onOutlaw("It sent a message that no page sends.");
      } else {
        shown.onAlive();
        obey(said);
      }
    },
    ping: () => post({ kind: "ping" }),
    mode(next) {
      current = next;
      post({ kind: "mode", mode: next });
    },
    close: state.close,
  };
}
