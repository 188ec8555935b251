import { chatHref } from "../../../lib/route";
import type { AgentRewindPreview } from "../../../lib/wire";

/** The chats that used what goes back: they stay as they are. */
export function UsedBy({ sessions }: { sessions: AgentRewindPreview["used_by"] }) {
  if (!sessions.length) return null;
  return (
    <details className="rewind-part">
      <summary>
        {sessions.length === 1 ? "1 chat" : `${sessions.length} chats`} called tools that go back. They stay
        as they are.
      </summary>
      <ul>
        {sessions.map(({ session_id: id, title, tools }) => (
          <li key={id}>
            <a href={chatHref(id)}>{title ?? id}</a> called {tools.join(", ")}
          </li>
        ))}
      </ul>
    </details>
  );
}
