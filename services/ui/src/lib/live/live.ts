import { type Live, openLive } from "./openLive";
import { openShared } from "./shared";
import { whileVisible } from "./whileVisible";

/** The one connection, which all tabs share. */
export const live: Live = openLive(whileVisible(openShared));
