import { useEffect, useRef, useState } from "react";
import { announcement } from "../../fold/announcement";
import type { ChatView } from "../../fold/view";

/** The text for the screen reader's live region, as the chat moves on. */
export function useAnnouncement(view: ChatView | null): string {
  const before = useRef(view);
  const [text, setText] = useState("");
  useEffect(() => {
    const previous = before.current;
    before.current = view;
    const said = previous && view ? announcement(previous, view) : null;
    if (said) setText(said);
  }, [view]);
  return text;
}
