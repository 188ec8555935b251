import { useId, useRef, useState } from "react";
import { Icon } from "../../../../components/Icon";
import type { Action } from "../../../../lib/hooks/useAction";
import { messageOf } from "../../../../lib/problems";
import type { Rating } from "../../fold/view";
import "../../ratings.css";

const VALUES = [
  { value: "up", icon: "thumbUp", words: "Good answer" },
  { value: "down", icon: "thumbDown", words: "Bad answer" },
] as const;
/** As many characters as the gateway takes. */
const MOST = 4_000;

interface Props {
  rating: Rating | null;
  saving: Action;
  onRate: (rating: Rating | null) => Promise<unknown>;
}

/** Thumbs below an answer. The pressed one takes the rating back. */
export function Thumbs({ rating, saving, onRate }: Props) {
  return (
    <span className="message-actions" role="group" aria-label="Rate this answer">
      {VALUES.map(({ value, icon, words }) => (
        <button
          key={value}
          type="button"
          className="btn btn-sm btn-link btn-icon thumb"
          title={words}
          aria-label={words}
          aria-pressed={rating?.value === value}
          onClick={() => saving.run(() => onRate(rating?.value === value ? null : { value, text: null }))}
        >
          <Icon name={icon} size={14} />
        </button>
      ))}
    </span>
  );
}

/** What a person said about an answer that they rated, and where they say it. */
export function WhyRated({ rating, saving, onRate }: Props) {
  const [open, setOpen] = useState(false);
  const field = useId();
  const again = useRef<HTMLButtonElement>(null);
  const failure = saving.failure !== null && (
    <span className="text-problem" role="alert">
      Your rating was not saved: {messageOf(saving.failure)}
    </span>
  );
  if (rating === null) return failure || null;
  const close = () => {
    setOpen(false);
    requestAnimationFrame(() => again.current?.focus());
  };
  const { value, text } = rating;
  if (!open)
    return (
      <p className="rated">
        {text && <span>You said about it: {text}</span>}
        <button ref={again} type="button" className="btn btn-sm btn-link" onClick={() => setOpen(true)}>
          {text ? "Edit" : "Say why"}
        </button>
        {failure}
      </p>
    );
  return (
    <form
      className="rated"
      onSubmit={(event) => {
        event.preventDefault();
        const said = String(new FormData(event.currentTarget).get("why") ?? "").trim();
        saving.run(() => onRate({ value, text: said || null }), close);
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      }}
    >
      <label htmlFor={field}>Why is it {value === "up" ? "good" : "bad"}? The agent doesn't see it.</label>
      <input
        id={field}
        name="why"
        className="form-control form-control-sm"
        maxLength={MOST}
        defaultValue={text ?? ""}
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for the field
        autoFocus
      />
      <button type="submit" className="btn btn-sm btn-primary" disabled={saving.working}>
        Save
      </button>
      <button type="button" className="btn btn-sm btn-link" onClick={close}>
        Cancel
      </button>
      {failure}
    </form>
  );
}
