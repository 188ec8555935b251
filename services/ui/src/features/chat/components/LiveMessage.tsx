import { useDeferredValue } from "react";
import { Icon } from "../../../components/Icon";
import { Markdown } from "../../../components/Markdown";
import type { LiveAnswer } from "../fold/view";

type Retrying = NonNullable<LiveAnswer["retrying"]>;

/** The answer as it streams. It is not read out piece by piece: the finished message is. */
export function LiveMessage({ live }: { live: LiveAnswer }) {
  const text = useDeferredValue(live.text);
  return (
    <article className="message message-agent is-live" aria-label="Agent, still writing" aria-busy="true">
      {text ? <Markdown text={text} /> : live.tools.length === 0 && <Dots />}
      {live.tools.map((tool, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same tool may be called twice, and the order never changes
        <div className="preparing" key={index}>
          <Icon name="tool" size={14} /> Preparing <code>{tool}</code>…
        </div>
      ))}
      {live.retrying && <AskingAgain {...live.retrying} />}
      <footer className="message-foot">
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
export function Thinking() {
  return (
    <div className="message message-agent" role="status" aria-label="The agent is working">
      <Dots />
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
