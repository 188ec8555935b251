import { type ReactNode, useDeferredValue } from "react";
import { drawnParts } from "../lib/blocks";
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
  /** It is still being written. It is not read out piece by piece then: the finished message is. */
  growing?: boolean;
  /** What else it comes with. */
  children?: ReactNode;
}

function spentWords({ input, output, cached_input = 0, cost_micros }: TokenUsage): string {
  const read = `${count(input)} tokens read (${count(cached_input)} of them cached)`;
  const cost = cost_micros === null || cost_micros === undefined ? "" : `, ${money(cost_micros)}`;
  return `${read}, ${count(output)} written${cost}`;
}

/**
 * What the agent says: the model's answer, or a message sent in the middle of its work. Its parts are drawn once, also
 * where it is finished in the place in which it was written.
 */
export function AgentMessage({ text, time, model, usage, menu, growing = false, children }: Props) {
  const parts = drawnParts(useDeferredValue(text), growing);
  return (
    <article
      className={`message message-agent ${growing ? "is-live" : ""}`}
      aria-label={growing ? "Agent, still writing" : "Agent"}
      aria-busy={growing}
    >
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what was written stays in its place
        <Markdown key={index} text={part} growing={growing && index === parts.length - 1} />
      ))}
      {children}
      <footer className="message-foot">
        {time && (
          <time dateTime={time} title={fullTime(time)}>
            {clockTime(time)}
          </time>
        )}
        {model && (
          <span className="message-model" title={model}>
            {model}
          </span>
        )}
        {usage && (
          <span className="text-nowrap" title={spentWords(usage)}>
            {count(usage.input + usage.output)} tokens
          </span>
        )}
        {menu}
      </footer>
    </article>
  );
}
