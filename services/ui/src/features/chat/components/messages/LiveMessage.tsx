import "../../live.css";
import { useEffect, useState } from "react";
import { Icon } from "../../../../components/Icon";
import type { LiveAnswer } from "../../fold/view";
import { Elapsed } from "./Elapsed";

type Retrying = NonNullable<LiveAnswer["retrying"]>;
/** A prompt that is read at once needs no bar. */
const QUICK_MS = 1_000;

/** What comes with an answer while it streams, beside its text. */
export function StillToCome({ live }: { live: LiveAnswer }) {
  return (
    <>
      {!live.text && live.tools.length === 0 && <BeforeFirstWord read={live.promptRead} />}
      {live.tools.map((tool, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same tool may be called twice, and the order never changes
        <div className="preparing" key={index}>
          <Icon name="tool" size={14} /> Preparing <code>{tool}</code>…
        </div>
      ))}
      {live.retrying && <AskingAgain {...live.retrying} />}
    </>
  );
}

/** Dots; or how much of a long prompt the model's server has read, where it tells. */
function BeforeFirstWord({ read }: { read: number | null }) {
  const [slow, setSlow] = useState(false);
  const reads = read !== null;
  useEffect(() => {
    setSlow(false);
    if (!reads) return;
    const timer = setTimeout(() => setSlow(true), QUICK_MS);
    return () => clearTimeout(timer);
  }, [reads]);
  if (!reads || !slow) return <Dots />;
  return (
    <label className="preparing prompt-read">
      Reading the prompt, {read} % <progress value={read} max={100} />
    </label>
  );
}

/** How the writing goes. */
export function Writing({ live, since }: { live: LiveAnswer; since: string | null }) {
  return (
    <>
      <Elapsed since={since} />
      <span>
        {live.attempt > 1 && !live.retrying && `Attempt ${live.attempt}. `}
        {live.gaps && "Opened in mid-answer: the whole text comes when it is done."}
      </span>
    </>
  );
}

/** The model gave no answer, and is asked again by itself. */
function AskingAgain({ attempt, attempts, in_s, reason, model }: Retrying) {
  if (model) {
    return (
      <p className="preparing" role="status">
        <Icon name="retry" size={14} /> Asking {model}, since the model before it gave no answer: {reason}
      </p>
    );
  }
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
