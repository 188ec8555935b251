import { type ReactNode, useMemo } from "react";
import { usePaced } from "../lib/hooks/usePaced";
import { partsOf } from "../lib/parts";
import type { TokenUsage } from "../lib/wire";
import { clockTime, count, fullTime, money } from "../lib/words";
import { MarkdownPart } from "./markdown/Markdown";

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
 * What the agent says: the model's answer, or a message sent in the middle of its work. It is drawn part by part, each
 * once, and what comes fast in several steps: the page answers in between.
 */
export function AgentMessage({ text, time, model, usage, menu, growing = false, children }: Props) {
  const drawn = usePaced(text, growing);
  const more = growing || drawn.length < text.length;
  const parts = useMemo(() => partsOf(drawn, more), [drawn, more]);
  return (
    <article
      className={`message message-agent ${growing ? "is-live" : ""}`}
      aria-label={growing ? "Agent, still writing" : "Agent"}
      aria-busy={growing}
    >
      {/* Parts are put at the end of a box of their own: before something else each would have all styles found anew. */}
      <div className="message-parts">
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: what was written stays in its place
          <MarkdownPart key={index} part={part} growing={more && index === parts.length - 1} />
        ))}
      </div>
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
            {count(usage.tokens)} tokens
          </span>
        )}
        {menu}
      </footer>
    </article>
  );
}
