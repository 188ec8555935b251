import { Icon } from "../../../components/Icon";
import { addressOf } from "../../../lib/address";
import { shortThingWords } from "../../../lib/kinds";
import { changesNear, momentAt, type Stops, turnAt } from "../fold/stops";

/** How many changes are named. */
const NAMED = 3;

interface Props {
  stops: Stops;
  /** The stop under the pointer. */
  index: number;
}

/** What is under the pointer, before one goes there: which event, in which turn, and what changed of the agent. */
export function ScrubHint({ stops, index }: Props) {
  const last = stops.events.length;
  const at = momentAt(stops, index);
  const turn = turnAt(stops, index);
  const changed = [
    ...new Set(changesNear(stops, index).map(({ mark }) => shortThingWords(mark.kind, mark.name))),
  ];
  // Beyond the middle it stands to the left of the pointer: it stays within the page.
  const side =
    index > last / 2 ? { right: `${(1 - index / last) * 100}%` } : { left: `${(index / last) * 100}%` };
  return (
    <span className="scrub-hint" style={side} aria-hidden="true">
      <strong>{at === null ? "Now" : `Event ${addressOf(at)}`}</strong>
      {at !== null && turn > 0 && ` · turn ${turn}`}
      {changed.length > 0 && (
        <span className="scrub-hint-changed">
          <Icon name="delta" size={10} /> {changed.slice(0, NAMED).join(", ")}
          {changed.length > NAMED && ` and ${changed.length - NAMED} more`}
        </span>
      )}
    </span>
  );
}
