import { Icon } from "../../../components/Icon";
import { clockTime, dayWords, fullTime } from "../../../lib/words";
import type { WaitingThing } from "../fold/view";
import { aboutOf, headlineOf, iconOf, placeOf, whatItIs } from "../fold/words";
import { ApprovalHere } from "./ApprovalHere";

/** One thing that waits: it leads to where it is done. What needs a yes can be judged here too. */
export function ThingRow({ thing, onChange }: { thing: WaitingThing; onChange: () => void }) {
  const about = aboutOf(thing);
  return (
    <li>
      <a className="attention-thing" href={placeOf(thing)}>
        <Icon name={iconOf(thing)} size={18} />
        <span className="attention-what">
          <strong>{headlineOf(thing)}</strong>
          <span className="attention-kind">{whatItIs(thing)}</span>
          {about && <span className="attention-about">{about}</span>}
        </span>
        <When time={thing.started_at} />
      </a>
      {thing.kind === "approval" && <ApprovalHere thing={thing} onChange={onChange} />}
    </li>
  );
}

/** The time today, else the day too. */
export function When({ time }: { time: string }) {
  const day = dayWords(time, new Date());
  return (
    <time className="attention-when" dateTime={time} title={fullTime(time)}>
      {day === "Today" ? clockTime(time) : `${day}, ${clockTime(time)}`}
    </time>
  );
}
