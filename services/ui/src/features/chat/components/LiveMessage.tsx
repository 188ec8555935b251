import { useDeferredValue } from "react";
import { Icon } from "../../../components/Icon";
import { Markdown } from "../../../components/Markdown";
import { blocks } from "../fold/blocks";
import type { LiveAnswer } from "../fold/view";
import { Elapsed } from "./Elapsed";

type Retrying = NonNullable<LiveAnswer["retrying"]>;

/** The answer as it streams. It is not read out piece by piece: the finished message is. */
export function LiveMessage({ live, since }: { live: LiveAnswer; since: string | null }) {
  const text = useDeferredValue(live.text);
  return (
    <article className="message message-agent is-live" aria-label="Agent, still writing" aria-busy="true">
      {text
        ? blocks(text).map((block, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what was written stays in its place
            <Markdown key={index} text={block} growing />
          ))
        : live.tools.length === 0 && <Dots />}
      {live.tools.map((tool, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same tool may be called twice, and the order never changes
        <div className="preparing" key={index}>
          <Icon name="tool" size={14} /> Preparing <code>{tool}</code>…
        </div>
      ))}
      {live.retrying && <AskingAgain {...live.retrying} />}
      <footer className="message-foot">
        <Elapsed since={since} />
        <span>
          {live.attempt > 1 && !live.retrying && `Attempt ${live.attempt}. `}
          {live.gaps && "Opened in mid-answer: the whole text comes when it is done."}
        </span>
      </footer>
    </article>
  );
}

/** The model gave no answer, and is asked again by itself. */
function AskingAgain({ attempt, attempts, in_s, reason }: Retrying) {
  return (
    <p className="preparing" role="status">
      <Icon name="retry" size={14} /> Asking the model again, {attempt} of {attempts}, in {in_s} s: {reason}
    </p>
  );
}

/** Shown until the first piece arrives. */
export function Thinking({ since }: { since: string | null }) {
  return (
    <div className="message message-agent" role="status" aria-label="The agent is working">
      <Dots /> <Elapsed since={since} />
    </div>
  );
}

function Dots() {
  return (
    <span className="dots" aria-hidden="true">
      <i />
      <i />
      <i />
    </span>
  );
}
