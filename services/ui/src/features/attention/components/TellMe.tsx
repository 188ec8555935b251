import { useState } from "react";
import { NOTIFICATIONS } from "../../../lib/route";
import { askPermission, type Permission, permission } from "../api/notify";

/** Whether this browser shows a notice when something comes while the page is open behind others. */
export function TellMe() {
  const [state, setState] = useState<Permission>(permission);
  const away = (
    <>
      To be reached while the page is closed, see <a href={NOTIFICATIONS}>Notifications</a>.
    </>
  );
  if (state === "granted")
    return <p className="attention-tell">This browser tells you of what comes. {away}</p>;
  if (state !== "default") return <p className="attention-tell">{away}</p>;
  return (
    <p className="attention-tell">
      <button
        type="button"
        className="btn btn-sm btn-outline-secondary"
        onClick={() => void askPermission().then(setState)}
      >
        Tell me in this browser
      </button>{" "}
      {away}
    </p>
  );
}
