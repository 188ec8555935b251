import { useState } from "react";
import { count } from "../lib/words";
import { CodeBlock } from "./markdown/CodeBlock";

/** Characters that are shown at first. */
const SHOWN = 10_000;

/** A text of any length: its beginning, and all of it when that is asked for. */
export function LongText({ label, text }: { label: string; text: string }) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > SHOWN;
  return (
    <>
      <CodeBlock label={label}>{cut ? text.slice(0, SHOWN) : text}</CodeBlock>
      {cut && (
        <p className="small text-body-secondary">
          These are the first {count(SHOWN)} of {count(text.length)} characters.{" "}
          <button type="button" className="btn btn-sm btn-link p-0" onClick={() => setWhole(true)}>
            Show all
          </button>
        </p>
      )}
    </>
  );
}
