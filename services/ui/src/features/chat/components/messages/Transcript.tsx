import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { PartCrash } from "../../../../components/Crash";
import { ErrorBoundary } from "../../../../components/ErrorBoundary";
import { Icon } from "../../../../components/Icon";
import { KeptOpen, type Openness } from "../../../../lib/hooks/useKeptOpen";
import { indexOf, staysMounted } from "../../fold/rows";
import type { TranscriptItem } from "../../fold/transcript";
import { keepInSight } from "./keepInSight";
import { type TranscriptActions, TranscriptEntry } from "./TranscriptEntry";
import { useMarked } from "./useMarked";

const ENTRY = { what: "This part of the conversation", safe: "It is safe in the log: see Raw events." };

/** How near to the end (px) still counts as being there. */
const NEAR = 80;
/** A row's height (px) until it is measured. */
const GUESS = 90;
/** Room (px) above the first row, where is said that earlier ones are loaded. */
const START = 40;
/** So near (rows) to the first one that is loaded, the page before it is fetched. */
const AHEAD = 8;
const OVERSCAN = 5;
/** What a reader does to look elsewhere. */
const GESTURES = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

/** A message to bring into sight. A new object brings it there again. */
export interface Reveal {
  sequence: number;
  /** What was searched for: it is marked. */
  words: string | null;
}

interface Props {
  items: readonly TranscriptItem[];
  /** When (ms) the newest message that isn't sent yet was written; 0: none is. */
  sentAt: number;
  actions: TranscriptActions;
  /** True while there are earlier messages to load. */
  hasEarlier: boolean;
  earlier: "idle" | "loading" | "failed";
  reveal?: Reveal | null;
  onLoadEarlier: () => void;
}

/**
 * The conversation: opens at its end, follows it, and loads what came before as the reader scrolls up. Only what is
 * near the screen is in the document: a conversation may be very long.
 */
export function Transcript(props: Props) {
  const { items, sentAt, actions, hasEarlier, earlier, reveal = null, onLoadEarlier } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const openness = useRef<Openness>(new Map());
  const latest = useRef(items);
  latest.current = items;
  const [atEnd, setAtEnd] = useState(true);
  const sticking = useRef(reveal === null);
  const opened = useRef(false);
  const offset = useRef(0);
  /** What is brought into sight, and kept there while the rows around it get their heights. */
  const aim = useRef<Reveal | null>(null);

  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => GUESS,
    getItemKey: (index) => items[index]?.key ?? index,
    overscan: OVERSCAN,
    paddingStart: START,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: NEAR,
    initialRect: { width: 800, height: 800 },
    // The rows at its beginning are not drawn first: that would load the page before them.
    initialOffset: () => GUESS * (reveal ? Math.max(0, indexOf(items, reveal.sequence)) : items.length),
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) =>
      staysMounted(
        latest.current,
        Math.max(0, startIndex - overscan),
        Math.min(count - 1, endIndex + overscan),
      ),
    onChange: (instance) => {
      // Where it is before it was brought to its end tells nothing.
      if (!instance.scrollElement || !opened.current) return;
      const near = instance.isAtEnd(NEAR);
      const now = instance.scrollOffset ?? 0;
      // Only who screwinds leaves the end: what grows there doesn't.
      if (near) sticking.current = aim.current === null;
      else if (now < offset.current) sticking.current = false;
      offset.current = now;
      setAtEnd(near);
    },
  });
  const { scrollToEnd, scrollToIndex } = virtual;
  const toEnd = useCallback(() => {
    aim.current = null;
    scrollToEnd();
  }, [scrollToEnd]);
  // A reader may have screwound a moment ago, before that was told: they aren't pulled down again.
  const follow = useCallback(() => {
    if (sticking.current && !hasLeft(scroller.current, offset.current)) toEnd();
  }, [toEnd]);

  // It opens at its end, and whoever says something sees it.
  useLayoutEffect(() => {
    opened.current = true;
    if (sticking.current || sentAt > 0) toEnd();
  }, [sentAt, toEnd]);

  // The box below grows as one writes: the end stays in sight.
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const resized = new ResizeObserver(follow);
    resized.observe(element);
    return () => resized.disconnect();
  }, [follow]);

  useLayoutEffect(() => {
    aim.current = reveal;
    const element = scroller.current;
    if (!reveal || !element) return;
    sticking.current = false;
    const letGo = () => {
      aim.current = null;
    };
    for (const gesture of GESTURES) element.addEventListener(gesture, letGo, { passive: true });
    return () => {
      for (const gesture of GESTURES) element.removeEventListener(gesture, letGo);
    };
  }, [reveal]);

  const height = virtual.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each row and each height, its place is another one
  useLayoutEffect(() => {
    if (aim.current)
      return keepInSight(
        scroller,
        () => aim.current && indexOf(latest.current, aim.current.sequence),
        scrollToIndex,
      );
    follow();
  }, [reveal, items, height, scrollToIndex, follow]);

  const shown = virtual.getVirtualItems();
  const first = shown[0];
  const wantsEarlier = hasEarlier && earlier === "idle" && first !== undefined && first.index < AHEAD;
  useEffect(() => {
    if (wantsEarlier) onLoadEarlier();
  }, [wantsEarlier, onLoadEarlier]);
  useMarked(scroller, reveal?.words ?? null, shown);

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
        <div className="transcript-start">
          {earlier === "loading" && (
            <span className="text-body-secondary small">Loading earlier messages…</span>
          )}
          {earlier === "failed" && (
            <button type="button" className="btn btn-sm btn-outline-secondary" onClick={onLoadEarlier}>
              Load earlier messages again
            </button>
          )}
        </div>
        {items.length === 0 && !hasEarlier && (
          <div className="transcript-empty">
            <h2>Nothing has been said in this chat yet</h2>
            <p>
              Write below to begin. Files come along by the paper clip, pasted, or dropped anywhere here.
              <span className="keyboard-only"> Press ? to see what else the keyboard can do.</span>
            </p>
          </div>
        )}
        <div className="transcript-all" style={{ height: height - START }}>
          <KeptOpen value={openness.current}>
            <div className="transcript-content">
              {shown.map(({ index, start, key }, place) => {
                const item = items[index];
                if (!item) return null;
                const end = shown[place - 1]?.end ?? START;
                return (
                  <div
                    key={key}
                    data-index={index}
                    ref={virtual.measureElement}
                    className={`transcript-row ${isRevealed(item, reveal) ? "is-revealed" : ""}`}
                    // What is out of the document before it leaves its room.
                    style={start === end ? undefined : { marginTop: start - end }}
                  >
                    <ErrorBoundary
                      fallback={(error, again) => <PartCrash {...ENTRY} error={error} onAgain={again} />}
                    >
                      <TranscriptEntry item={item} actions={actions} />
                    </ErrorBoundary>
                  </div>
                );
              })}
            </div>
          </KeptOpen>
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

const isRevealed = (item: TranscriptItem, reveal: Reveal | null) =>
  reveal !== null && "message" in item && item.message.sequence === reveal.sequence;

/** Whether it stands before where it last told it was, and not at its end: that is nobody but the reader. */
function hasLeft(scroller: HTMLElement | null, told: number) {
  if (!scroller) return false;
  const { scrollTop, scrollHeight, clientHeight } = scroller;
  return scrollTop < told - 1 && scrollHeight - clientHeight - scrollTop > NEAR;
}
