import type { ReactNode } from "react";
import { clockTime, fullTime } from "../lib/words";
import { Icon } from "./Icon";

const NOTES = {
  queued: "Queued: the agent reads it at its next step",
  refused: "Not delivered: this chat had ended",
};

interface Props {
  text: string;
  time: string | null;
  note?: "queued" | "refused" | null;
  /** The files that came with it. */
  files?: ReactNode;
  /** What can be done with the message. */
  menu?: ReactNode;
}

/** What the user said. */
export function UserMessage({ text, time, note = null, files, menu }: Props) {
  return (
    <article className={`message message-user ${note ? "is-waiting" : ""}`} aria-label="You">
      {text && <div className="bubble">{text}</div>}
      {files}
      <footer className="message-foot">
        {note && (
          <span className={note === "refused" ? "text-problem" : ""}>
            <Icon name={note === "queued" ? "clock" : "ban"} size={13} /> {NOTES[note]}
          </span>
        )}
        {time && (
          <time dateTime={time} title={fullTime(time)}>
            {clockTime(time)}
          </time>
        )}
        {menu}
      </footer>
    </article>
  );
}
