import { clockTime, dayWords, fullTime } from "../../../../lib/words";
import type { Item } from "../../fold/view";
import { by } from "../../fold/words";
import { PinButton } from "./PinButton";
import type { Pins } from "./usePins";

interface Props {
  item: Item;
  href: string;
  current: boolean;
  onGo: () => void;
  /** Somebody wrote something here and did not save it. */
  unsaved: boolean;
  /** null: nothing is pinned here. */
  pins: Pins | null;
}

/** One thing in its list: its name, what it is for, its version, who changed it last. */
export function ItemRow({ item, href, current, onGo, unsaved, pins }: Props) {
  const { name, description, enabled, quarantined, version, time, actor } = item;
  return (
    <li>
      <a className="studio-item" href={href} aria-current={current ? "true" : undefined} onClick={onGo}>
        <span className="studio-item-head">
          <code className="studio-item-name">{name}</code>
          {!enabled && <span className="badge text-bg-secondary">disabled</span>}
          {unsaved && <span className="badge studio-badge">not saved</span>}
          {quarantined && (
            <span className="badge text-bg-warning" title={quarantined}>
              in quarantine
            </span>
          )}
          <span className="studio-item-version">v{version}</span>
        </span>
        {description && <span className="studio-item-about">{description}</span>}
        {time && (
          <span className="studio-item-when" title={fullTime(time)}>
            by {by(actor)}, {dayWords(time, new Date())} {clockTime(time)}
          </span>
        )}
      </a>
      {pins && <PinButton name={name} pins={pins} />}
    </li>
  );
}
