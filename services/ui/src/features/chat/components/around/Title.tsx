import { type KeyboardEvent, useRef, useState } from "react";

interface Props {
  title: string;
  onRename: (title: string) => void;
}

/** The chat's title. A click makes it editable: Enter keeps, Escape forgets. */
export function Title({ title, onRename }: Props) {
  const [editing, setEditing] = useState(false);
  const [text, setText] = useState(title);
  const button = useRef<HTMLButtonElement>(null);

  function finish(keep: boolean) {
    if (!editing) return;
    setEditing(false);
    const renamed = text.trim();
    if (keep && renamed && renamed !== title) onRename(renamed);
    requestAnimationFrame(() => button.current?.focus());
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter") finish(true);
    if (event.key !== "Escape") return;
    event.preventDefault();
    finish(false);
  }

  if (editing) {
    return (
      <input
        className="form-control form-control-sm title-input"
        aria-label="Title"
        value={text}
        maxLength={200}
        // biome-ignore lint/a11y/noAutofocus: the user has just asked to edit it
        autoFocus
        onFocus={(event) => event.target.select()}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => finish(true)}
        onKeyDown={onKeyDown}
      />
    );
  }
  return (
    <h1 className="title">
      <button
        type="button"
        ref={button}
        title="Rename"
        onClick={() => {
          setText(title);
          setEditing(true);
        }}
      >
        <span>{title}</span>
        <span className="visually-hidden">, rename</span>
      </button>
    </h1>
  );
}
