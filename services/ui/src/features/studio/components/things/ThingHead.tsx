import { useState } from "react";
import { Icon } from "../../../../components/Icon";
import { OutsideLine } from "../../../../components/OutsideLine";
import { useAction } from "../../../../lib/hooks/useAction";
import type { Version } from "../../../../lib/wire";
import type { Place, Thing } from "../../api/requests";
import { remove, switchTo } from "../../api/writes";
import { partsOf } from "../../fold/parts";
import { ABOUT, isText } from "../../fold/sections";
import { DeleteDialog } from "../DeleteDialog";
import { Failure } from "../Failure";
import { Author } from "../versions/Author";

interface Props {
  place: Place;
  thing: Thing | null;
  newest: Version | null;
  titleOf: (sessionId: string) => string | null;
  /** null: it is being edited. */
  onEdit: (() => void) | null;
}

/** A thing's name, what it is for, who made it as it is, and what can be done with it. */
export function ThingHead({ place, thing, newest, titleOf, onEdit }: Props) {
  const { agentId, section, name } = place;
  const { title, noun, switchable } = ABOUT[section];
  const [deleting, setDeleting] = useState(false);
  const action = useAction();
  const enabled = (thing?.value as { enabled?: boolean } | undefined)?.enabled ?? true;
  const lines = partsOf(section, thing?.value).filter((part) => part.language === "line" && part.text);
  return (
    <header className="studio-head">
      <div className="studio-title">
        <h2>{isText(section) ? title : <code>{name}</code>}</h2>
        {thing && thing.version > 0 && <span className="badge studio-badge">version {thing.version}</span>}
        {thing && !enabled && <span className="badge text-bg-secondary">disabled</span>}
        {thing && onEdit && (
          <div className="studio-actions">
            <button type="button" className="btn btn-sm btn-outline-secondary" onClick={onEdit}>
              <Icon name="pencil" size={14} /> Edit
            </button>
            {switchable && (
              <button
                type="button"
                className="btn btn-sm btn-outline-secondary"
                disabled={action.working}
                onClick={() => action.run(() => switchTo(place, !enabled))}
              >
                {enabled ? "Disable" : "Enable"}
              </button>
            )}
            {!isText(section) && (
              <button
                type="button"
                className="btn btn-sm btn-outline-danger"
                onClick={() => setDeleting(true)}
              >
                <Icon name="trash" size={14} /> Delete…
              </button>
            )}
          </div>
        )}
      </div>
      {thing === null && (
        <p className="alert alert-warning">
          {newest
            ? `The ${noun} is deleted. Reverting to one of its versions brings it back.`
            : `No ${noun} has this name.`}
        </p>
      )}
      {lines.map(({ id, label, text }) => (
        <p key={id} className="studio-line">
          {id === "description" ? text : `${label}: ${text}`}
        </p>
      ))}
      {newest && (
        <p className="studio-made">
          {newest.deleted ? "Deleted " : newest.version === 1 ? "Made " : "Changed "}
          <Author agentId={agentId} version={newest} titleOf={titleOf} />
        </p>
      )}
      {newest && <OutsideLine sources={newest.outside ?? []} words="Written with material from" />}
      <Failure failure={action.failure} />
      {deleting && (
        <DeleteDialog
          noun={noun}
          name={name}
          action={action}
          onDelete={() =>
            action.run(
              () => remove(place),
              () => setDeleting(false),
            )
          }
          onClose={() => setDeleting(false)}
        />
      )}
    </header>
  );
}
