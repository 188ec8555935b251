import type { ReactNode } from "react";
import type { TokenUsage } from "../lib/wire";
import { clockTime, count, fullTime } from "../lib/words";
import { Markdown } from "./Markdown";

interface Props {
  text: string;
  time: string | null;
  model?: string | null;
  usage?: TokenUsage | null;
  /** What can be done with the message. */
  menu?: ReactNode;
}

/** What the agent said: the model's answer, or a message sent in the middle of its work. */
export function AgentMessage({ text, time, model, usage, menu }: Props) {
  return (
    <article className="message message-agent" aria-label="Agent">
      <Markdown text={text} />
      <footer className="message-foot">
        {time && (
          <time dateTime={time} title={fullTime(time)}>
            {clockTime(time)}
          </time>
        )}
        {model && <span>{model}</span>}
        {usage && (
          <span title={`${count(usage.input)} tokens read, ${count(usage.output)} written`}>
            {count(usage.input + usage.output)} tokens
          </span>
        )}
        {menu}
      </footer>
    </article>
  );
}
