import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from "react";
import { Icon, type IconName } from "../../../components/Icon";
import { addressOf } from "../../../lib/address";
import { shortThingWords } from "../../../lib/kinds";
import { count } from "../../../lib/words";
import { changesNear, momentAt, moved, type Stops, turnAt, turnBeside } from "../fold/stops";
import type { Known } from "./useStops";
import "../scrubber.css";

const WAITING = { reading: "Reading the events…", unreadable: "The events can't be read.", read: "" };

/** The track's own units: marks are drawn in them. */
const WIDTH = 1000;

interface Props {
  stops: Stops;
  /** Until they are read, nothing can be chosen, and it says so. */
  known: Known;
  /** Where it stands: an index of the stops; the last is now. */
  index: number;
  onMove: (index: number) => void;
}

/** Sets the moment that is looked at: by mouse, finger or keys, by events or by turns. */
export function Scrubber({ stops, known, index, onMove }: Props) {
  const track = useRef<HTMLDivElement>(null);
  /** The stop under a mouse. */
  const [pointed, setPointed] = useState<number | null>(null);
  const last = stops.events.length;
  const at = momentAt(stops, index);
  const turn = turnAt(stops, index);
  const share = (one: number) => (last ? one / last : 1);
  const off = known !== "read";
  const words = off
    ? WAITING[known]
    : at === null
      ? "Now"
      : `Event ${addressOf(at)}${turn ? `, turn ${turn} of ${stops.turns.length}` : ""}`;
  const turns = useMemo(() => path(stops.turns, last, 9, 19), [stops.turns, last]);
  const changes = useMemo(
    () =>
      diamonds(
        stops.changes.map((one) => one.index),
        last,
      ),
    [stops.changes, last],
  );
  const here = stops.changes
    .filter((one) => one.index === index)
    .map(({ mark }) => shortThingWords(mark.kind, mark.name));

  function stopUnder(event: PointerEvent): number | null {
    const box = track.current?.getBoundingClientRect();
    if (off || !box?.width) return null;
    const part = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    return Math.round(part * last);
  }

  function toPointer(event: PointerEvent) {
    const to = stopUnder(event);
    if (to !== null) onMove(to);
  }

  function onKey(event: KeyboardEvent) {
    if (off) return;
    const to = moved(stops, index, event.key);
    if (to === null) return;
    event.preventDefault();
    onMove(to);
  }

  return (
    <div
      className={`scrubber ${off ? "is-off" : ""}`}
      role="group"
      aria-label="Moment"
      aria-busy={known === "reading"}
    >
      <span className="scrub-buttons">
        <Step
          icon="first"
          words="Turn before"
          off={off || index <= 0}
          onStep={() => onMove(turnBeside(stops, index, -1))}
        />
        <Step icon="back" words="Event before" off={off || index <= 0} onStep={() => onMove(index - 1)} />
        <Step
          icon="forward"
          words="Event after"
          off={off || index >= last}
          onStep={() => onMove(index + 1)}
        />
        <Step
          icon="last"
          words="Turn after"
          off={off || index >= last}
          onStep={() => onMove(turnBeside(stops, index, 1))}
        />
      </span>
      <div
        className="scrub-slider"
        role="slider"
        tabIndex={0}
        aria-label="The moment shown"
        aria-disabled={off}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={index}
        aria-valuetext={here.length ? `${words}. Changed: ${here.join(", ")}` : words}
        onKeyDown={onKey}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          toPointer(event);
        }}
        onPointerMove={(event) => {
          if (event.pointerType === "mouse") setPointed(stopUnder(event));
          if (event.currentTarget.hasPointerCapture(event.pointerId)) toPointer(event);
        }}
        onPointerLeave={() => setPointed(null)}
      >
        <div className="scrub-track" ref={track}>
          <svg
            className="scrub-marks"
            viewBox={`0 0 ${WIDTH} 28`}
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            <path className="scrub-turns" d={turns} />
            <path className="scrub-changes" d={changes} />
          </svg>
          <span className="scrub-line" />
          <span className="scrub-past" style={{ width: `${share(index) * 100}%` }} />
          <span className="scrub-handle" style={{ left: `${share(index) * 100}%` }} />
          {pointed !== null && last > 0 && <ScrubHint stops={stops} index={Math.min(pointed, last)} />}
        </div>
      </div>
      <span className="scrub-where">
        {off ? (
          <span role="status">{WAITING[known]}</span>
        ) : (
          <>
            <strong>{at === null ? "Now" : `Event ${addressOf(at)}`}</strong>
            <span>
              {turn > 0 && `turn ${turn} of ${stops.turns.length} · `}
              {count(Math.min(index + 1, last) + stops.leftOut)} of {count(last + stops.leftOut)}
            </span>
          </>
        )}
      </span>
      <button
        type="button"
        className="btn btn-sm btn-outline-secondary scrub-now"
        disabled={off || at === null}
        onClick={() => onMove(last)}
      >
        Now
      </button>
    </div>
  );
}

interface StepProps {
  icon: IconName;
  words: string;
  off: boolean;
  onStep: () => void;
}

function Step({ icon, words, off, onStep }: StepProps) {
  return (
    <button
      type="button"
      className="btn btn-icon"
      aria-label={words}
      title={words}
      disabled={off}
      onClick={onStep}
    >
      <Icon name={icon} size={15} />
    </button>
  );
}

/** A stroke from `top` to `bottom` at each index; those that would fall together are drawn once. */
function path(indices: readonly number[], last: number, top: number, bottom: number): string {
  return places(indices, last)
    .map((x) => `M${x} ${top}V${bottom}`)
    .join("");
}

function diamonds(indices: readonly number[], last: number): string {
  return places(indices, last)
    .map((x) => `M${x} 1V8`)
    .join("");
}

function places(indices: readonly number[], last: number): number[] {
  const found = indices.map((index) => Math.round((index / Math.max(1, last)) * WIDTH));
  return [...new Set(found)];
}

/** How many changes are named. */
const NAMED = 3;

interface ScrubHintProps {
  stops: Stops;
  /** The stop under the pointer. */
  index: number;
}

/** What is under the pointer, before one goes there: which event, in which turn, and what changed of the agent. */
function ScrubHint({ stops, index }: ScrubHintProps) {
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
