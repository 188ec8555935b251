import type { ReactNode } from "react";
import type { TokenUsage } from "../lib/wire";
import { clockTime, count, fullTime, money } from "../lib/words";
import { Markdown } from "./Markdown";

interface Props {
  text: string;
  time: string | null;
  model?: string | null;
  usage?: TokenUsage | null;
  /** What can be done with the message. */
  menu?: ReactNode;
}

function spentWords({ input, output, cached_input = 0, cost_micros }: TokenUsage): string {
  const read = `${count(input)} tokens read (${count(cached_input)} of them cached)`;
  const cost = cost_micros === null || cost_micros === undefined ? "" : `, ${money(cost_micros)}`;
  return `${read}, ${count(output)} written${cost}`;
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
        {usage && <span title={spentWords(usage)}>{count(usage.input + usage.output)} tokens</span>}
        {menu}
      </footer>
    </article>
  );
}
