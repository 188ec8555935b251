import { useEffect, useRef } from "react";
import { Icon } from "../../../components/Icon";
import type { TranscriptItem } from "../fold/transcript";
import { type TranscriptActions, TranscriptEntry } from "./TranscriptEntry";
import { useStickToEnd } from "./useStickToEnd";

interface Props {
  items: readonly TranscriptItem[];
  actions: TranscriptActions;
  /** True while there are earlier messages to load. */
  hasEarlier: boolean;
  earlier: "idle" | "loading" | "failed";
  onLoadEarlier: () => void;
}

/** The conversation: opens at its end, follows it, and loads what came before as the reader scrolls up. */
export function Transcript({ items, actions, hasEarlier, earlier, onLoadEarlier }: Props) {
  const firstMessage = items.find((item) => item.kind !== "day")?.key;
  const { scroller, content, atEnd, toEnd } = useStickToEnd(firstMessage);
  const sentinel = useRef<HTMLDivElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a page that fills less than the screen must load the next one
  useEffect(() => {
    const target = sentinel.current;
    if (!target || !hasEarlier || earlier !== "idle") return;
    const seen = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && onLoadEarlier(),
      { root: scroller.current, rootMargin: "600px 0px 0px 0px" },
    );
    seen.observe(target);
    return () => seen.disconnect();
  }, [hasEarlier, earlier, onLoadEarlier, firstMessage]);

  return (
    <div className="transcript-frame">
      <div
        className="transcript"
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Conversation"
      >
        <div className="transcript-content" ref={content}>
          <div ref={sentinel} className="transcript-start">
            {earlier === "loading" && (
              <span className="text-body-secondary small">Loading earlier messages…</span>
            )}
            {earlier === "failed" && (
              <button type="button" className="btn btn-sm btn-outline-secondary" onClick={onLoadEarlier}>
                Load earlier messages again
              </button>
            )}
          </div>
          {items.map((item) => (
            <TranscriptEntry key={item.key} item={item} actions={actions} />
          ))}
        </div>
      </div>
      {!atEnd && (
        <button type="button" className="btn to-end" onClick={toEnd} aria-label="Go to the newest message">
          <Icon name="down" size={18} />
        </button>
      )}
    </div>
  );
}
