import { Icon } from "../../../../components/Icon";
import type { Pins } from "./usePins";

/** Pins one tool, or unpins it. */
export function PinButton({ name, pins }: { name: string; pins: Pins }) {
  const pinned = pins.names.includes(name);
  return (
    <button
      type="button"
      className="btn btn-sm studio-pin"
      aria-pressed={pinned}
      aria-label={`Pin ${name}`}
      title={
        pinned ? "Sent to the model with each request. Unpin it" : "Send it to the model with each request"
      }
      disabled={pins.working}
      onClick={() => pins.set(pinned ? pins.names.filter((one) => one !== name) : [...pins.names, name])}
    >
      <Icon name="pin" size={14} />
    </button>
  );
}
