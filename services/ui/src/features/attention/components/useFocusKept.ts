import { type FocusEvent, useLayoutEffect, useRef } from "react";

/** A row that had the focus and is done goes away: the row that comes in its place gets it, or the last, or the list. */
export function useFocusKept(rows: unknown) {
  const list = useRef<HTMLDivElement>(null);
  const held = useRef<{ element: Element; place: number } | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: with each change of the rows one may be gone
  useLayoutEffect(() => {
    const { current: before } = held;
    if (!before || before.element.isConnected || document.activeElement !== document.body) return;
    const items = itemsOf(list.current);
    const next = items[Math.min(before.place, items.length - 1)]?.querySelector<HTMLElement>("a, button");
    (next ?? list.current)?.focus();
  }, [rows]);

  return {
    ref: list,
    tabIndex: -1,
    onFocus({ target }: FocusEvent) {
      const place = itemsOf(list.current).findIndex((item) => item.contains(target));
      held.current = place < 0 ? null : { element: target, place };
    },
  };
}

const itemsOf = (list: Element | null) => [...(list?.querySelectorAll("li") ?? [])];
