import { type ReactNode, useId } from "react";
import { Icon, type IconName } from "../../../../components/Icon";
import { Markdown } from "../../../../components/markdown/Markdown";
import { useKeptOpen } from "../../../../lib/hooks/useKeptOpen";
import { chatHref } from "../../../../lib/route";

interface FoldedProps {
  icon: IconName;
  /** Among those of the conversation. */
  name: string;
  words: string;
  count: number;
  className: string;
  /** What stands beside the words. */
  action?: ReactNode;
  /** What is to be seen even while it is folded. */
  lead?: ReactNode;
  children: ReactNode;
}

/** Messages that are out of sight, and can be unfolded: nothing is lost. */
function Folded({ icon, name, words, count, className, action, lead, children }: FoldedProps) {
  const [open, toggle] = useKeptOpen(`folded ${name}`);
  const id = useId();
  const amount = count === 1 ? "1 message" : `${count} messages`;
  return (
    <section className={`folded ${className}`} aria-label={words}>
      <div className="folded-head">
        <Icon name={icon} size={15} />
        <span className="folded-words">{words}</span>
        {count > 0 && (
          <button
            type="button"
            className="btn btn-sm btn-link"
            aria-expanded={open}
            aria-controls={id}
            onClick={toggle}
          >
            {open ? "Hide" : "Show"} {amount}
          </button>
        )}
        {action}
      </div>
      {lead}
      <div id={id} hidden={!open} className="folded-body">
        {open && children}
      </div>
    </section>
  );
}

interface RewoundProps {
  /** Names it in the conversation. */
  name: string;
  count: number;
  /** Null where it can't be undone. */
  onUndo: (() => void) | null;
  children: ReactNode;
}

/** What a rewind took out of the conversation. */
export function Rewound({ name, count, onUndo, children }: RewoundProps) {
  const undo = onUndo && (
    <button type="button" className="btn btn-sm btn-outline-secondary" onClick={onUndo}>
      Undo…
    </button>
  );
  return (
    <Folded name={name} icon="rewind" words="Rewound" count={count} className="is-rewound" action={undo}>
      {children}
    </Folded>
  );
}

interface SummaryProps {
  name: string;
  text: string;
  count: number;
  children: ReactNode;
}

/** What stands before the model in place of older messages, and those messages. */
export function Summary({ name, text, count, children }: SummaryProps) {
  return (
    <Folded
      name={name}
      icon="archive"
      words="Summary: the model sees this in place of what came before"
      count={count}
      className="is-summary"
      lead={
        <div className="folded-lead">
          <Markdown text={text} />
        </div>
      }
    >
      {children}
    </Folded>
  );
}

/** Where a fork's own part begins. */
export function Origin({ id, at, title }: { id: string; at: number; title: string | null }) {
  return (
    <div className="day-line origin-line">
      <span>
        <Icon name="fork" size={13} /> Forked from <a href={chatHref(id)}>{title ?? "another chat"}</a> after
        event {at}
      </span>
    </div>
  );
}
