import type { ReactNode } from "react";
import type { ChosenPrompt } from "../lib/wire";
import { clockTime, fullTime } from "../lib/words";
import { Icon } from "./Icon";
import { PromptName } from "./PromptName";

const NOTES = {
  queued: "Queued: the agent reads it at its next step",
  refused: "Not delivered: this chat had ended",
};

interface Props {
  text: string;
  time: string | null;
  /** The other service that said it, if it wasn't the user. */
  wokenBy?: string | null;
  /** The program that said it, in the user's name. */
  client?: string | null;
  /** For whom it says so, by the name that the program told. */
  speaker?: string | null;
  /** A person chose this prompt of an MCP server, which said the words. */
  prompt?: ChosenPrompt | null;
  /** The type of that service's event. */
  wakeType?: string | null;
  note?: "queued" | "refused" | null;
  /** The files that came with it. */
  files?: ReactNode;
  /** What can be done with the message. */
  menu?: ReactNode;
}

/** What the user said, another service, a program in the user's name, or a server whose prompt the user chose. */
export function UserMessage({
  text,
  time,
  wokenBy = null,
  client = null,
  speaker = null,
  prompt = null,
  wakeType = null,
  note = null,
  files,
  menu,
}: Props) {
  const other = client === null ? null : speaker === null ? `Program ${client}` : `${speaker} via ${client}`;
  const who = wokenBy === null ? (other ?? "You") : `Service ${wokenBy}`;
  return (
    <article
      className={`message message-user ${note ? "is-waiting" : ""} ${wokenBy === null && prompt === null ? "" : "is-outside"}`}
      aria-label={who}
    >
      {wokenBy === null && other !== null && (
        <header className="message-foot">
          <span
            title={
              speaker === null
                ? "A program said this, in your name. What it changes for good is asked for."
                : "A program said this for somebody who calls themselves so. What it changes for good is asked for."
            }
          >
            <Icon name="broadcast" size={13} /> {who}
          </span>
        </header>
      )}
      {prompt !== null && (
        <header className="message-foot">
          <PromptName prompt={prompt} />
          <span title="The server wrote this. The agent does what it asks for, and you are asked as after any material from outside.">
            from outside
          </span>
        </header>
      )}
      {wokenBy !== null && (
        <header className="message-foot">
          <span>
            <Icon name="broadcast" size={13} /> {who}
          </span>
          {wakeType && <code className="wake-type">{wakeType}</code>}
          <span title="Another service wrote this. The agent treats it as material, not as your words.">
            from outside
          </span>
        </header>
      )}
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
