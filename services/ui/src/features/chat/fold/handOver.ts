/** A browser in a person's hands: what its card says, and what a key or a move of theirs is to the page. */
import type { components } from "../../../contracts/api";
import type { ToolCall } from "../../../lib/wire";

/** What a person does in the picture of a page. */
export type BrowserInput = components["schemas"]["PostBrowserInputs"]["inputs"][number];

export interface Asked {
  reason: string;
  instructions: string | null;
}

/** Why the agent hands its browser over. */
export function askedBy(call: ToolCall): Asked {
  const { reason, instructions } = call.show ?? {};
  return {
    reason: typeof reason === "string" ? reason : "",
    instructions: typeof instructions === "string" ? instructions : null,
  };
}

/** How it ended, in words; null while it is open. */
export function endedAs(call: ToolCall): string | null {
  if (call.status === "cancelled" || call.status === "failed") return `Closed. ${call.error?.message ?? ""}`;
  if (call.status !== "completed" || typeof call.result !== "object" || call.result === null) return null;
  const { ended, url, reason, login_kept } = call.result as Record<string, unknown>;
  if (ended === "declined") return "You did not want to.";
  if (ended === "context_lost") return `The browser was lost: ${String(reason)}.`;
  const where = typeof url === "string" ? ` at ${addressParts(url).host}` : "";
  return `You gave the browser back${where}.${login_kept ? " The login is kept for this agent." : ""}`;
}

export interface AddressParts {
  before: string;
  host: string;
  after: string;
  secure: boolean;
}

/** An address with its host apart: that says whose page it is. */
export function addressParts(url: string): AddressParts {
  try {
    const { protocol, host, pathname, search, hash } = new URL(url);
    if (host) {
      return {
        before: `${protocol}//`,
        host,
        after: `${pathname}${search}${hash}`,
        secure: protocol === "https:",
      };
    }
  } catch {
    // shown as it is
  }
  return { before: url, host: "", after: "", secure: false };
}

const NAMED = new Set([
  "Enter",
  "Tab",
  "Backspace",
  "Delete",
  "Escape",
  "ArrowUp",
  "ArrowDown",
  "ArrowLeft",
  "ArrowRight",
  "Home",
  "End",
  "PageUp",
  "PageDown",
]);

interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/** What a key is to the page; null for those that stay with this browser, as copying and pasting do. */
export function keyInput({ key, ctrlKey, metaKey, altKey, shiftKey }: Pressed): BrowserInput | null {
  const ctrl = ctrlKey || metaKey;
  const isCharacter = [...key].length === 1;
  if (!isCharacter && !NAMED.has(key)) return null;
  if (ctrl && !altKey && "cvx".includes(key.toLowerCase())) return null;
  return { type: "key", key, ctrl, alt: altKey, shift: shiftKey };
}

/** Inputs that wait, with one more: of moves only the last counts, turns of the wheel add up. */
export function withInput(waiting: readonly BrowserInput[], next: BrowserInput): BrowserInput[] {
  const last = waiting.at(-1);
  if (last?.type === "mouse" && last.action === "move" && next.type === "mouse" && next.action === "move") {
    return [...waiting.slice(0, -1), next];
  }
  if (last?.type === "wheel" && next.type === "wheel") {
    return [...waiting.slice(0, -1), { ...next, dx: last.dx + next.dx, dy: last.dy + next.dy }];
  }
  return [...waiting, next];
}
