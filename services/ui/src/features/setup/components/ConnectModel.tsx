import { useState } from "react";
import { Icon } from "../../../components/Icon";
import { SetupDialog } from "./SetupDialog";

/** The way from the demo to a model of one's own. */
export function ConnectModel({ onConnected }: { onConnected: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="btn btn-outline-secondary" onClick={() => setOpen(true)}>
        <Icon name="key" size={15} /> Connect a model
      </button>
      {open && <SetupDialog onClose={() => setOpen(false)} onConnected={onConnected} />}
    </>
  );
}
