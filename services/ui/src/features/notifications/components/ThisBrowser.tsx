import { useEffect, useState } from "react";
import { useAction } from "../../../lib/hooks/useAction";
import { messageOf } from "../../../lib/problems";
import { type PushState, pushState, turnOff, turnOn } from "../api/push";

const WORDS: Readonly<Record<PushState, string>> = {
  unsupported:
    "This browser can't get messages here: it needs web push, and the page has to come over https or from this machine.",
  denied: "This browser was told to allow no notifications of this page. Change that in its settings.",
  off: "This browser gets no messages.",
  on: "This browser gets messages, also while the page is closed.",
};

/** Messages to the browser in which the page is open. */
export function ThisBrowser({ onChange }: { onChange: () => void }) {
  const [state, setState] = useState<PushState | null>(null);
  const action = useAction();
  useEffect(() => {
    void pushState().then(setState);
  }, []);
  if (state === null) return null;
  const change = () =>
    action.run(
      async () => {
        await (state === "on" ? turnOff() : turnOn());
        return pushState();
      },
      (now) => {
        setState(now);
        onChange();
      },
    );
  return (
    <section aria-labelledby="this-browser">
      <h2 className="fs-5" id="this-browser">
        This browser
      </h2>
      <p>{WORDS[state]}</p>
      {(state === "off" || state === "on") && (
        <button
          type="button"
          className={state === "on" ? "btn btn-outline-secondary" : "btn btn-primary"}
          disabled={action.working}
          onClick={change}
        >
          {state === "on" ? "Turn off" : "Turn on"}
        </button>
      )}
      {action.failure !== null && (
        <div className="alert alert-danger mt-2" role="alert">
          {messageOf(action.failure)}
        </div>
      )}
    </section>
  );
}
