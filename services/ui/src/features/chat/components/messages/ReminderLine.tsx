import type { ReactNode } from "react";
import { Icon } from "../../../../components/Icon";
import { clockTime, fullTime } from "../../../../lib/words";

interface Props {
  text: string;
  time: string;
  queued: boolean;
  /** What can be done with the message. */
  menu?: ReactNode;
}

/** A reminder that has come due: the session said this to itself, earlier. */
export function ReminderLine({ text, time, queued, menu }: Props) {
  return (
    <article className="reminder-line" aria-label="Reminder">
      <Icon name="bell" size={15} />
      <span className="reminder-words">
        <strong>{queued ? "Reminder, read at the next step:" : "Reminder:"}</strong> {text}
      </span>
      <time dateTime={time} title={fullTime(time)}>
        {clockTime(time)}
      </time>
      {menu}
    </article>
  );
}
