import { useCallback, useEffect, useRef, useState } from "react";
import { placeOf } from "../../../../lib/address";
import { onFindInChat } from "../../../../lib/finding";
import type { OpenChat } from "../../api/openChat";
import { revealed } from "../../api/revealing";
import type { ChatView } from "../../fold/view";
import type { Reveal } from "../messages/Transcript";

export interface Found {
  /** Where the messages are, oldest first. */
  places: readonly number[];
  /** There are older ones still. */
  more: boolean;
}

interface Finding {
  reveal: Reveal | null;
  finding: boolean;
  /** Look for words: where they are, and how to have one of these places in sight. */
  find: { look(words: string): Promise<Found>; show(place: number, words: string): Promise<void> };
  closeFind: () => void;
}

/** Search within the open chat, and the message that is to be in sight. */
export function useFinding(chat: OpenChat, view: ChatView): Finding {
  const [reveal, setReveal] = useState<Reveal | null>(() => {
    const from = revealed(view.session.id);
    const first = from === null ? undefined : firstFrom(view, from);
    return first === undefined ? null : { sequence: first, words: null };
  });
  const [finding, setFinding] = useState(false);
  const focusedBefore = useRef<Element | null>(null);
  /** The place that was asked for last: one whose pages come later than a newer one's is shown no more. */
  const wanted = useRef<number | null>(null);
  useEffect(
    () =>
      onFindInChat(() => {
        focusedBefore.current ??= document.activeElement;
        setFinding(true);
      }),
    [],
  );

  const look = useCallback(
    async (words: string) => {
      const { items, next_cursor } = await chat.find(words);
      return { places: items.map(({ address }) => placeOf(address)), more: next_cursor !== null };
    },
    [chat],
  );
  const show = useCallback(
    async (place: number, words: string) => {
      wanted.current = place;
      await chat.loadBackTo(place);
      if (wanted.current === place) setReveal({ sequence: place, words });
    },
    [chat],
  );
  const [find] = useState({ look, show });
  const closeFind = useCallback(() => {
    wanted.current = null;
    setFinding(false);
    setReveal(null);
    if (focusedBefore.current instanceof HTMLElement) focusedBefore.current.focus();
    focusedBefore.current = null;
  }, []);
  return { reveal, finding, find, closeFind };
}

/** The first message of a variant: the one at or after the place, or the last one that is there. */
function firstFrom(view: ChatView, from: number): number | undefined {
  return (view.messages.find(({ sequence }) => sequence >= from) ?? view.messages.at(-1))?.sequence;
}
