import { useEffect, useRef } from "react";
import { PartCrash } from "../../../components/Crash";
import { ErrorBoundary } from "../../../components/ErrorBoundary";
import { Icon } from "../../../components/Icon";
import type { TranscriptItem } from "../fold/transcript";
import { type TranscriptActions, TranscriptEntry } from "./TranscriptEntry";
import { useStickToEnd } from "./useStickToEnd";

const ENTRY = { what: "This part of the conversation", safe: "It is safe in the log: see Raw events." };

interface Props {
  items: readonly TranscriptItem[];
  /** When (ms) the newest message that isn't sent yet was written; 0: there is none. */
  sentAt: number;
  actions: TranscriptActions;
  /** True while there are earlier messages to load. */
  hasEarlier: boolean;
  earlier: "idle" | "loading" | "failed";
  onLoadEarlier: () => void;
}

/** The conversation: opens at its end, follows it, and loads what came before as the reader scrolls up. */
export function Transcript({ items, sentAt, actions, hasEarlier, earlier, onLoadEarlier }: Props) {
  const firstMessage = items.find((item) => item.kind !== "day")?.key;
  const { scroller, content, atEnd, toEnd } = useStickToEnd(firstMessage, sentAt);
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
            <ErrorBoundary
              key={item.key}
              fallback={(error, again) => <PartCrash {...ENTRY} error={error} onAgain={again} />}
            >
              <TranscriptEntry item={item} actions={actions} />
            </ErrorBoundary>
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
