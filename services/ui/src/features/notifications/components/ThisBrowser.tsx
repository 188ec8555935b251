import { useEffect, useState } from "react";
import { useAction } from "../../../lib/hooks/useAction";
import { messageOf } from "../../../lib/problems";
import { type PushState, pushState, turnOff, turnOn } from "../api/push";

const WORDS: Readonly<Record<PushState, string>> = {
  unsupported:
    "This browser can't get notifications here: it needs web push, and a page served over https or from this machine.",
  denied: "Notifications are blocked for this site. Allow them in your browser's settings.",
  off: "Notifications are off in this browser.",
  on: "Notifications are on in this browser, even while the page is closed.",
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
