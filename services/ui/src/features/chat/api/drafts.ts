/** Text that was written and not sent, and files that go with it, one per chat. They survive a reload of the page. */
import { recall, remember } from "../../../lib/browserStorage";
import type { Attached } from "../fold/attached";

const name = (chat: string) => `foldline.draft.${chat}`;
const filesName = (chat: string) => `foldline.attached.${chat}`;

export const readDraft = (chat: string): string => recall(sessionStorage, name(chat));
export const keepDraft = (chat: string, text: string): void => remember(sessionStorage, name(chat), text);

/** The files that were uploaded; what had not arrived is still on the person's computer alone. */
export function readAttached(chat: string): readonly Attached[] {
  const kept = recall(sessionStorage, filesName(chat));
  return kept ? (JSON.parse(kept) as Attached[]) : [];
}

export function keepAttached(chat: string, attached: readonly Attached[]): void {
  const there = attached.filter(({ state }) => state === "there").map((one) => ({ ...one, file: null }));
  remember(sessionStorage, filesName(chat), there.length ? JSON.stringify(there) : null);
}
