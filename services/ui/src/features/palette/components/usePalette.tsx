import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from "react";
import { recall, remember } from "../../../lib/browserStorage";
import { findInChat } from "../../../lib/finding";
import { ATTENTION, chatHref, go, NEW_CHAT, studioHref } from "../../../lib/route";
import { isTyping } from "../../../lib/typing";
import type { Session } from "../../../lib/wire";
import { type Asked, askedBy, besides } from "../fold/keys";
import type { PaletteProps } from "./Palette";
import { ShortcutSheet } from "./ShortcutSheet";

/** With what it is made of: fetched when it is first opened. */
const Palette = lazy(async () => ({ default: (await import("./Palette")).Palette }));

const OFF = "foldline.no-single-keys";
const MAC = /Mac|iPhone|iPad/.test(navigator.platform);
/** What is open above the page has its own keys. */
const ABOVE = ".modal.show, .offcanvas.show, .dropdown-menu.show";

type Open = "palette" | "sheet";

type Wanted = Omit<PaletteProps, "sessions" | "onClose" | "onSheet"> & {
  /** The sessions that the list shows, in its order: asked for when they are needed. */
  listed: () => readonly Session[];
};

/** The keys that work everywhere, and what they open. `openPalette` is for those who have no keyboard. */
export function usePalette({ listed, ...offered }: Wanted): { openPalette: () => void; palette: ReactNode } {
  const [open, setOpen] = useState<Open | null>(null);
  const [single, setSingle] = useState(() => !recall(localStorage, OFF));
  const { session, agentId } = offered;
  const openPalette = useCallback(() => setOpen("palette"), []);

  const act = useCallback(
    (asked: Asked) => {
      const beside = (step: 1 | -1) => {
        const ids = listed().map(({ id }) => id);
        const id = besides(ids, session?.id ?? null, step);
        if (id !== null) go(chatHref(id));
      };
      const actions: Record<Asked, () => void> = {
        palette: () => setOpen((now) => (now === "palette" ? null : "palette")),
        sheet: () => setOpen("sheet"),
        new: () => go(NEW_CHAT),
        inbox: () => go(ATTENTION),
        studio: () => go(studioHref(agentId)),
        search: () => focusOn(".chats input[type=search]") || setOpen("palette"),
        find: findInChat,
        write: () => void focusOn("#composer"),
        later: () => beside(-1),
        earlier: () => beside(1),
      };
      actions[asked]();
    },
    [listed, session, agentId],
  );

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.repeat) return;
      const asked = askedBy(event, MAC, single && !isElsewhere(event));
      if (asked === null) return;
      if (asked === "palette" && open !== "palette" && document.querySelector(".modal.show")) return;
      event.preventDefault();
      act(asked);
    }
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [act, single, open]);

  const close = useCallback(() => setOpen(null), []);
  const palette = (
    <>
      {open === "palette" && (
        <Suspense>
          <Palette {...offered} sessions={listed()} onClose={close} onSheet={() => setOpen("sheet")} />
        </Suspense>
      )}
      {open === "sheet" && (
        <ShortcutSheet
          mac={MAC}
          single={single}
          onSingle={(on) => {
            remember(localStorage, OFF, on ? null : "off");
            setSingle(on);
          }}
          onClose={close}
        />
      )}
    </>
  );
  return { openPalette, palette };
}

/** Whether a key alone is for somebody else: one writes there, or something is open above the page. */
function isElsewhere(event: KeyboardEvent): boolean {
  return isTyping(event) || document.querySelector(ABOVE) !== null;
}

/** Move the focus there; false where it can't be seen. */
function focusOn(selector: string): boolean {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found?.checkVisibility()) return false;
  found.focus();
  return true;
}
