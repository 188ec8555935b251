import { timeIn, viewersTime } from "../../fold/times";

/** A time by the clocks of a zone and, where they say something else, by the viewer's. */
export function Moment({ time, zone }: { time: string; zone: string }) {
  const yours = viewersTime(time, zone);
  return (
    <time dateTime={time} className="timed-moment">
      {timeIn(time, zone)}
      {yours && <span className="text-body-secondary"> · {yours} your time</span>}
    </time>
  );
}
