import { useState } from "react";
import { plainLine } from "../../../lib/plainText";
import type { RewindPreview } from "../../../lib/wire";

/** As many are shown at first. */
const FIRST = 4;

interface Props {
  /** What becomes of them. */
  words: string;
  sign: string;
  messages: RewindPreview["hidden"];
}

/** Messages that a rewind takes out or brings back, in short. */
export function MessageList({ words, sign, messages }: Props) {
  const [all, setAll] = useState(false);
  const said = messages.filter((message) => message.text.trim());
  const rest = messages.length - said.length;
  if (!messages.length) return null;
  const shown = all ? said : said.slice(0, FIRST);
  return (
    <>
      <ul className="rewind-messages" aria-label={words}>
        {shown.map((message) => (
          <li key={`${message.sequence}-${message.role}`}>
            <span aria-hidden="true">{sign}</span>
            <span className="visually-hidden">{words}: </span>
            <strong>{message.role === "user" ? "You" : "Agent"}</strong>{" "}
            <span>{plainLine(message.text)}</span>
          </li>
        ))}
        {rest > 0 && (all || said.length <= FIRST) && (
          <li>
            <span aria-hidden="true">{sign}</span>
            {rest === 1 ? "1 step with tools" : `${rest} steps with tools`}
          </li>
        )}
      </ul>
      {said.length > FIRST && !all && (
        <button type="button" className="btn btn-sm btn-link" onClick={() => setAll(true)}>
          All {messages.length} messages
        </button>
      )}
    </>
  );
}
