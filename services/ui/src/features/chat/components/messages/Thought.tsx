import "../../thoughts.css";
import { useId } from "react";
import { Icon } from "../../../../components/Icon";
import { useKeptOpen } from "../../../../lib/hooks/useKeptOpen";
import type { WholeThought } from "../../fold/transcript";
import { AllThoughts } from "./AllThoughts";

/** Characters that are shown of a text that grows: its end. */
const SHOWN = 10_000;

interface Props {
  /** Names it in the conversation. */
  name: string;
  text: string;
  /** The model still thinks. It is not read out then. */
  growing: boolean;
  /** Where all of it is, where `text` has only its beginning and its end. */
  whole: WholeThought | null;
}

/** What the model thought before it answered, folded away: it is no part of the answer. */
export function Thought({ name, text, growing, whole }: Props) {
  const [open, toggle] = useKeptOpen(`thought ${name}`);
  const id = useId();
  const words = growing ? "Thinking" : "Thought for a moment";
  const shown = growing && text.length > SHOWN ? `… ${text.slice(-SHOWN)}` : text;
  return (
    <section className="thought" aria-label="What the model thought" aria-busy={growing}>
      <button
        type="button"
        className="btn btn-sm btn-link thought-head"
        aria-expanded={open}
        aria-controls={id}
        onClick={toggle}
      >
        <Icon name="chevron" size={14} /> {words}
      </button>
      <div id={id} hidden={!open} className="thought-text">
        {open && (whole ? <AllThoughts beginningAndEnd={text} whole={whole} /> : shown)}
      </div>
    </section>
  );
}
