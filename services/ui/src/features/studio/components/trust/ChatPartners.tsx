import { useAction } from "../../../../lib/hooks/useAction";
import { useReadOf } from "../../../../lib/hooks/useRead";
import { messageOf } from "../../../../lib/problems";
import { chatHref } from "../../../../lib/route";
import { allowChat, readChats, removeChat } from "../../api/chats";
import { Press } from "../controls";
import { LineRow, whenWords } from "../rows";

/** The people who write to the agent from other programs, and those who want to. Nothing without a channel. */
export function ChatPartners({ agentId }: { agentId: string }) {
  const read = useReadOf(readChats, []);
  const action = useAction();
  const failure = action.failure ?? read.failure;
  if (read.value?.channels.length === 0) return null;
  const shown = read.value?.partners.filter(({ agent_id }) => agent_id === null || agent_id === agentId);
  return (
    <section className="studio-secrets" aria-label="People in other programs">
      <h2 className="fs-6">People who write from other programs</h2>
      <p className="text-body-secondary">
        Somebody unknown gets a code. Allow them only if they gave you the code that you see here.
      </p>
      {failure !== null && (
        <p className="text-problem" role="alert">
          {messageOf(failure)}
        </p>
      )}
      {read.value?.channels.map(({ name, problem, heard }) =>
        problem !== null ? (
          <p key={name} className="text-problem" role="alert">
            {name} doesn't work now: {problem}
          </p>
        ) : (
          !heard && (
            <p key={name} role="status">
              {name}: not heard from since the start
            </p>
          )
        ),
      )}
      {shown?.length === 0 && <p role="status">Nobody writes from another program yet.</p>}
      <ul className="studio-secret-list" aria-label="People in other programs">
        {shown?.map(({ id, name, channel, code, asked_at, session_id }) => (
          <LineRow
            key={id}
            name={name}
            about={code === null ? `by ${channel}` : `by ${channel}, with the code ${code}`}
            when={
              session_id === null ? (
                whenWords(asked_at)
              ) : (
                <a href={chatHref(session_id)} aria-label={`The chat with ${name}`}>
                  a chat
                </a>
              )
            }
          >
            {code !== null && (
              <Press
                look="btn-outline-primary"
                icon="check"
                of={name}
                disabled={action.working}
                onPress={() => action.run(() => allowChat(id, code, agentId), read.again)}
              >
                Allow
              </Press>
            )}
            <Press
              look="btn-outline-danger"
              icon="trash"
              of={name}
              disabled={action.working}
              onPress={() => action.run(() => removeChat(id), read.again)}
            >
              Remove
            </Press>
          </LineRow>
        ))}
      </ul>
    </section>
  );
}
