import { type KeyboardEvent, useRef, useState } from "react";

interface Props {
  title: string;
  /** The new title; null: it stays. */
  onDone: (title: string | null) => void;
}

/** A chat's title in the list, to be changed: Enter keeps it, Escape forgets it. */
export function RowTitle({ title, onDone }: Props) {
  const [text, setText] = useState(title);
  const done = useRef(false);

  function finish(keep: boolean) {
    if (done.current) return;
    done.current = true;
    const words = text.trim();
    onDone(keep && words && words !== title ? words : null);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter") finish(true);
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    finish(false);
  }

  return (
    <input
      className="form-control form-control-sm"
      aria-label="Title of the chat"
      value={text}
      maxLength={200}
      // biome-ignore lint/a11y/noAutofocus: the user has just asked to edit it
      autoFocus
      onFocus={({ target }) => target.select()}
      onChange={({ target }) => setText(target.value)}
      onBlur={() => finish(true)}
      onKeyDown={onKeyDown}
    />
  );
}
