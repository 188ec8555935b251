/** Text that was written and not sent, one per chat. It survives a reload of the page. */
import { recall, remember } from "../../../lib/browserStorage";

const name = (chat: string) => `foldline.draft.${chat}`;

export const readDraft = (chat: string): string => recall(sessionStorage, name(chat));
export const keepDraft = (chat: string, text: string): void => remember(sessionStorage, name(chat), text);
