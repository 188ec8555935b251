import { Icon } from "../../../components/Icon";
import { clockTime, fullTime } from "../../../lib/words";
import type { ChatMessage } from "../fold/view";

/** Why the chat ended, in the words of whoever failed. */
export function ErrorMessage({ message }: { message: ChatMessage }) {
  return (
    <article className="message message-error" aria-label="Error">
      <Icon name="warning" />
      <div className="message-error-text">{message.text}</div>
      <time dateTime={message.time} title={fullTime(message.time)}>
        {clockTime(message.time)}
      </time>
    </article>
  );
}
