import { lazy, Suspense, useState } from "react";
import { Icon } from "../../../components/Icon";

const SetupDialog = lazy(async () => ({ default: (await import("./SetupDialog")).SetupDialog }));

/** The way from the demo to a model of one's own. */
export function ConnectModel({ onConnected }: { onConnected: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="btn btn-outline-secondary" onClick={() => setOpen(true)}>
        <Icon name="key" size={15} /> Connect a model
      </button>
      {open && (
        <Suspense fallback={null}>
          <SetupDialog onClose={() => setOpen(false)} onConnected={onConnected} />
        </Suspense>
      )}
    </>
  );
}
