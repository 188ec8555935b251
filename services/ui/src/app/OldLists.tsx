import { useSyncExternalStore } from "react";
import { age } from "../lib/age";
import { count, secondsTime } from "../lib/words";

/** Says so where what the page shows is older than the log. */
export function OldLists() {
  const behind = useSyncExternalStore(age.subscribe, age.get);
  return (
    <div role="status">
      {behind && (
        <p className="old-lists">
          Lists are {behind.asOf ? `as of ${secondsTime(behind.asOf)}` : "old"}:{" "}
          {behind.events === 1 ? "one event is" : `${count(behind.events)} events are`} not in them yet. What
          was stored is safe. <code>foldline doctor</code> says what is wrong.
        </p>
      )}
    </div>
  );
}
