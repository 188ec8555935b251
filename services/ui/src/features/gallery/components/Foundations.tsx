import { ICONS, Icon, type IconName } from "../../../components/Icon";
import { Logo } from "../../../components/Logo";
import { StatusDot } from "../../../components/StatusDot";
import type { SessionStatus } from "../../../lib/wire";
import { Shelf } from "./Shelf";

const MEANINGS = [
  ["accent", "can be pressed, is chosen, has the focus"],
  ["running", "works now"],
  ["waiting", "waits for you, or wants to be looked at"],
  ["error", "failed, or can't be taken back"],
  ["ok", "succeeded, was added"],
  ["past", "the past, and what an event changed"],
  ["chart-1", "what a figure measures"],
] as const;
const SURFACES = ["paper", "side", "card", "hover", "current", "user", "line", "edge"] as const;
const TYPE = ["show", "head", "body", "ui", "small", "note", "tiny"] as const;
const ROOM = [2, 4, 6, 8, 12, 16, 20, 24, 32, 48] as const;
const STATUSES: SessionStatus[] = [
  "idle",
  "running",
  "waiting_for_input",
  "token_limit_reached",
  "completed",
  "error",
];

/** Colours, type, room and signs. */
export function Foundations() {
  return (
    <>
      <Shelf
        title="Colours"
        use="One meaning a colour, one colour a meaning. No colour is alone: whatever it says is also said in words."
      >
        <ul className="gallery-grid">
          {MEANINGS.map(([name, meaning]) => (
            <li key={name} className="gallery-colour">
              <span className="gallery-swatch" style={{ background: `var(--fl-${name})` }} />
              <span>
                <strong style={{ color: `var(--fl-${name})` }}>{name}</strong>
                <small>{meaning}</small>
              </span>
            </li>
          ))}
          {SURFACES.map((name) => (
            <li key={name} className="gallery-colour">
              <span className="gallery-swatch" style={{ background: `var(--fl-${name})` }} />
              <span>{name}</span>
            </li>
          ))}
        </ul>
      </Shelf>
      <Shelf title="Type">
        <ul className="gallery-list">
          {TYPE.map((name) => (
            <li key={name} style={{ fontSize: `var(--fl-text-${name})` }}>
              {name}: every step can be looked at again
            </li>
          ))}
        </ul>
      </Shelf>
      <Shelf title="Room">
        <ul className="gallery-row">
          {ROOM.map((size) => (
            <li key={size} className="gallery-room">
              <span style={{ width: `var(--fl-s${size})`, height: `var(--fl-s${size})` }} />
              <small>{size}</small>
            </li>
          ))}
        </ul>
      </Shelf>
      <Shelf title="Status">
        <ul className="gallery-row">
          {STATUSES.map((status) => (
            <li key={status} className="gallery-sign">
              <StatusDot status={status} /> <small>{status.replaceAll("_", " ")}</small>
            </li>
          ))}
        </ul>
      </Shelf>
      <Shelf title="Signs" use="Decoration: what they stand for is said in words, or in the control's name.">
        <ul className="gallery-row">
          <li>
            <Logo size={32} />
          </li>
          {ICONS.map((name: IconName) => (
            <li key={name} className="gallery-sign">
              <Icon name={name} size={18} /> <small>{name}</small>
            </li>
          ))}
        </ul>
      </Shelf>
    </>
  );
}
