import { useCallback } from "react";
import { Icon } from "../../../../components/Icon";
import { useAction } from "../../../../lib/hooks/useAction";
import { useRead } from "../../../../lib/hooks/useRead";
import { messageOf } from "../../../../lib/problems";
import { chatHref } from "../../../../lib/route";
import { clockTime, dayWords } from "../../../../lib/words";
import { forgetSiteLogin, readSiteLogins } from "../../api/siteLogins";

/** The sites on which the agent's browser is logged in from the start, as a person wanted it. */
export function SiteLogins({ agentId }: { agentId: string }) {
  const read = useRead(useCallback((signal: AbortSignal) => readSiteLogins(agentId, signal), [agentId]));
  const action = useAction();
  const failure = action.failure ?? read.failure;
  return (
    <section className="studio-secrets" aria-label="Logins on sites">
      <h2 className="fs-6">Logins on sites</h2>
      <p className="text-body-secondary">
        Kept when somebody took over the agent's browser and ticked it. Each new browser of the agent has
        them. To end a login on the site itself, log out there.
      </p>
      {failure !== null && (
        <p className="text-problem" role="alert">
          {messageOf(failure)}
        </p>
      )}
      {read.value?.length === 0 && <p role="status">No logins are kept.</p>}
      <ul className="studio-secret-list" aria-label="Kept logins">
        {read.value?.map(({ site, kept_at, session_id }) => (
          <li key={site} className="studio-secret">
            <div className="studio-secret-what">
              <code>{site}</code>
              <span className="studio-item-when">
                kept {dayWords(kept_at, new Date())} {clockTime(kept_at)} in{" "}
                <a href={chatHref(session_id)}>a chat</a>
              </span>
            </div>
            <div className="studio-actions">
              <button
                type="button"
                className="btn btn-sm btn-outline-danger"
                disabled={action.working}
                onClick={() => action.run(() => forgetSiteLogin(agentId, site), read.again)}
              >
                <Icon name="trash" size={14} /> Forget<span className="visually-hidden"> {site}</span>
              </button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
