import { Fragment, memo, useState } from "react";
import { Icon } from "../../../components/Icon";
import { StatusDot } from "../../../components/StatusDot";
import { plainLine } from "../../../lib/plainText";
import type { Session, SessionMatch } from "../../../lib/wire";
import { ago, fullTime } from "../../../lib/words";
import type { RowAction } from "../api/openSessionList";
import { RowMenu } from "./RowMenu";
import { RowTitle } from "./RowTitle";

export interface RowActions {
  act: (action: RowAction, ids: readonly string[]) => void;
  rename: (id: string, title: string) => void;
  /** Choose it among several, or no more. */
  select: (id: string) => void;
  /** The user has chosen where to go. */
  go: () => void;
}

interface Props {
  session: Session;
  href: string;
  current: boolean;
  /** The minute it is now. */
  now: Date;
  /** What a search found here. */
  found: SessionMatch | null;
  /** Null unless several are being chosen. */
  selected: boolean | null;
  actions: RowActions;
}

/** One chat in the list. */
export const SessionRow = memo(function SessionRow(props: Props) {
  const { session, href, current, now, found, selected, actions } = props;
  const [renaming, setRenaming] = useState(false);
  const title = session.title ?? "New chat";
  if (renaming)
    return (
      <RowTitle
        title={session.title ?? ""}
        onDone={(words) => {
          setRenaming(false);
          if (words !== null) actions.rename(session.id, words);
        }}
      />
    );
  return (
    <div className={`session-row ${current ? "is-current" : ""}`}>
      {selected !== null && (
        <input
          type="checkbox"
          className="form-check-input"
          aria-label={`Select ${title}`}
          checked={selected}
          onChange={() => actions.select(session.id)}
        />
      )}
      <a
        className="session-link"
        href={href}
        aria-current={current ? "page" : undefined}
        title={`${title}\n${fullTime(session.active_at)}`}
        onClick={actions.go}
      >
        <StatusDot status={session.status} failed={Boolean(session.failed_turn)} />
        {session.forked_from_id && <Icon name="fork" size={13} />}
        <span className="session-title">{title}</span>
        {session.status === "waiting_for_input" && (
          <span className="badge rounded-pill attention" aria-hidden="true">
            ?
          </span>
        )}
        <time className="session-time" dateTime={session.active_at}>
          {ago(session.active_at, now)}
        </time>
        {found?.snippet && (
          <span className="session-found">
            <Snippet parts={found.snippet} />
          </span>
        )}
      </a>
      <RowMenu
        session={session}
        onAct={(action) => actions.act(action, [session.id])}
        onRename={() => setRenaming(true)}
        onSelect={() => actions.select(session.id)}
      />
    </div>
  );
});

/** A piece of a message, without Markdown's marks, and what was searched for marked in it. */
function Snippet({ parts }: { parts: NonNullable<SessionMatch["snippet"]> }) {
  const told = parts.map(({ text, match }) => (match ? BEGIN + text + END : text)).join("");
  const [before = "", ...marked] = plainLine(told).split(BEGIN);
  return (
    <>
      {before}
      {marked.map((one, at) => {
        const [words = "", after = ""] = one.split(END);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a snippet's parts don't move
          <Fragment key={at}>
            <mark>{words}</mark>
            {after}
          </Fragment>
        );
      })}
    </>
  );
}

/** Around what was found: no text has these, and Markdown's marks may stand on either side. */
const BEGIN = "\ue000";
const END = "\ue001";
