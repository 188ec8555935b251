/** Asking to delete chats, from wherever they are shown: the shell has the dialog. */
import { createContext } from "react";
import type { Session } from "./wire";

/** Opens the dialog that asks whether to delete these. */
export const AskToDelete = createContext<(chats: readonly Session[]) => void>(() => undefined);
