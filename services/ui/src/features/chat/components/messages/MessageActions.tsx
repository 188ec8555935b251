import { CopyButton } from "../../../../components/CopyButton";
import { Icon, type IconName } from "../../../../components/Icon";
import { chatHref, go } from "../../../../lib/route";
import { revealSoon } from "../../api/revealing";
import type { Variants } from "../../fold/variants";

interface Props {
  variants: Variants | null;
  /** The message's place, to be in sight after another variant was chosen. */
  sequence: number;
  /** What Copy copies; null: it is not offered. */
  text: string | null;
  words: string;
  action: { icon: IconName; words: string; working: boolean; run: () => void } | null;
}

/** The button of a message that edits it, or asks for it again. */
const actionId = (sequence: number) => `action-${sequence}`;

/** Back to the button, once it is there again: what took its place is closed. */
export function focusAction(sequence: number): void {
  requestAnimationFrame(() => document.getElementById(actionId(sequence))?.focus());
}

/** What people do with a message most: go through its variants, copy it, try again or edit it. */
export function MessageActions({ variants, sequence, text, words, action }: Props) {
  return (
    <span className="message-actions">
      {variants && <VariantSwitch variants={variants} sequence={sequence} />}
      {text !== null && <CopyButton className="btn-link btn-icon" words={words} text={() => text} />}
      {action && (
        <button
          type="button"
          id={actionId(sequence)}
          className="btn btn-sm btn-link btn-icon"
          title={action.words}
          aria-label={action.words}
          disabled={action.working}
          onClick={action.run}
        >
          {action.working ? (
            <span className="spinner-border spinner-border-sm" aria-hidden="true" />
          ) : (
            <Icon name={action.icon} size={14} />
          )}
        </button>
      )}
    </span>
  );
}

function VariantSwitch({
  variants: { sessions, current },
  sequence,
}: {
  variants: Variants;
  sequence: number;
}) {
  const step = (by: number) => () => {
    const id = sessions[current + by];
    if (id === undefined) return;
    revealSoon(id, sequence);
    go(chatHref(id));
  };
  const words = `${current + 1} of ${sessions.length}`;
  return (
    <span className="variants" role="group" aria-label={`Variant ${words}`}>
      <button
        type="button"
        className="btn btn-sm btn-link btn-icon"
        aria-label="The variant before"
        disabled={current <= 0}
        onClick={step(-1)}
      >
        ‹
      </button>
      <span aria-hidden="true">
        {current + 1}/{sessions.length}
      </span>
      <button
        type="button"
        className="btn btn-sm btn-link btn-icon"
        aria-label="The next variant"
        disabled={current >= sessions.length - 1}
        onClick={step(1)}
      >
        ›
      </button>
    </span>
  );
}
