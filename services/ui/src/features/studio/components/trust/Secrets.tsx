import { useState } from "react";
import { Icon } from "../../../../components/Icon";
import { useAction } from "../../../../lib/hooks/useAction";
import { clockTime, dayWords } from "../../../../lib/words";
import { remove } from "../../api/writes";
import { ABOUT } from "../../fold/sections";
import { found, type Item } from "../../fold/view";
import { DeleteDialog } from "../DeleteDialog";
import { SecretForm } from "./SecretForm";

/** The agent's secrets by name; their values can be written, and never read. */
export function Secrets({ agentId, items }: { agentId: string; items: Readonly<Record<string, Item>> }) {
  const [writing, setWriting] = useState<Item | "new" | null>(null);
  const [deleting, setDeleting] = useState<string | null>(null);
  const action = useAction();
  const listed = found(items, "");
  return (
    <div className="studio-secrets">
      <p className="text-body-secondary">
        The agent knows a secret's name, not its value. Foldline puts the value into requests to the hosts
        named here, and removes it from the answers. Values have no versions: a replaced or deleted value is
        gone, and a rewind can't restore it.
      </p>
      {listed.length === 0 && <p role="status">{ABOUT.secrets.none}</p>}
      <ul className="studio-secret-list" aria-label="Secrets">
        {listed.map((item) => (
          <li key={item.name} className="studio-secret">
            <div className="studio-secret-what">
              <code>{item.name}</code>
              {item.reveal && <span className="badge text-bg-warning">code gets the value</span>}
              <span className="studio-secret-hosts">to {item.hosts.join(", ")}</span>
              {item.time && (
                <span className="studio-item-when">
                  {dayWords(item.time, new Date())} {clockTime(item.time)}
                </span>
              )}
            </div>
            <div className="studio-actions">
              <button
                type="button"
                className="btn btn-sm btn-outline-secondary"
                onClick={() => setWriting(item)}
              >
                Replace…<span className="visually-hidden"> {item.name}</span>
              </button>
              <button
                type="button"
                className="btn btn-sm btn-outline-danger"
                onClick={() => {
                  action.forget();
                  setDeleting(item.name);
                }}
              >
                <Icon name="trash" size={14} /> Delete…
                <span className="visually-hidden"> {item.name}</span>
              </button>
            </div>
          </li>
        ))}
      </ul>
      {writing === null ? (
        <button type="button" className="btn btn-primary" onClick={() => setWriting("new")}>
          <Icon name="plus" size={14} /> Add a secret
        </button>
      ) : (
        <SecretForm
          key={writing === "new" ? "" : writing.name}
          agentId={agentId}
          replaces={writing === "new" ? null : writing}
          onClose={() => setWriting(null)}
        />
      )}
      {deleting && (
        <DeleteDialog
          noun="secret"
          name={deleting}
          action={action}
          onDelete={() =>
            action.run(
              () => remove({ agentId, section: "secrets", name: deleting }),
              () => setDeleting(null),
            )
          }
          onClose={() => setDeleting(null)}
        />
      )}
    </div>
  );
}
