import { useState } from "react";
import { Check } from "../../../../components/Check";
import { useAction } from "../../../../lib/hooks/useAction";
import { useReadOf } from "../../../../lib/hooks/useRead";
import { messageOf } from "../../../../lib/problems";
import { chatHref } from "../../../../lib/route";
import { forgetSiteLogin, readSiteLogins } from "../../api/settings";
import { remove, save } from "../../api/things";
import { pagedKind } from "../../fold/shelves";
import { found, type Item, type Items } from "../../fold/view";
import { Form, FormEnd, Press, TextField } from "../controls";
import { Delete } from "../deleting";
import { LineRow, whenWords } from "../rows";

/** The agent's secrets by name; their values can be written, and never read. */
export function Secrets({ agentId, items }: { agentId: string; items: Items }) {
  const [writing, setWriting] = useState<Item | "new" | null>(null);
  const kind = pagedKind("secret");
  const listed = found(items, "");
  return (
    <div className="studio-secrets">
      <p className="text-body-secondary">
        The agent knows a secret's name, not its value. Foldline puts the value into requests to the hosts
        named here, and removes it from the answers. Values have no versions: a replaced or deleted value is
        gone, and a rewind can't restore it.
      </p>
      {listed.length === 0 && <p role="status">{kind.page.none}</p>}
      <ul className="studio-secret-list" aria-label="Secrets">
        {listed.map((item) => (
          <LineRow
            key={item.name}
            name={
              <>
                <code>{item.name}</code>
                {item.reveal && <span className="badge text-bg-warning">code gets the value</span>}
              </>
            }
            about={`to ${item.hosts.join(", ")}`}
            when={item.written_at && whenWords(item.written_at)}
          >
            <Press of={item.name} onPress={() => setWriting(item)}>
              Replace…
            </Press>
            <Delete
              {...{ kind, name: item.name, of: item.name }}
              remove={() => remove({ agentId, kind, name: item.name })}
            />
          </LineRow>
        ))}
      </ul>
      {writing === null ? (
        <Press large look="btn-primary" icon="plus" onPress={() => setWriting("new")}>
          Add a secret
        </Press>
      ) : (
        <SecretForm
          key={writing === "new" ? "" : writing.name}
          agentId={agentId}
          replaces={writing === "new" ? null : writing}
          onClose={() => setWriting(null)}
        />
      )}
    </div>
  );
}

interface FormProps {
  agentId: string;
  /** The secret that gets another value; null: it is a new one. */
  replaces: Item | null;
  onClose: () => void;
}

/** Writes a secret. What is typed here goes to the server and is shown nowhere again. */
export function SecretForm({ agentId, replaces, onClose }: FormProps) {
  const [name, setName] = useState(replaces?.name ?? "");
  const [value, setValue] = useState("");
  const [typed, setTyped] = useState(replaces?.hosts.join("\n") ?? "");
  const [reveal, setReveal] = useState(replaces?.reveal ?? false);
  const action = useAction();
  const title = replaces ? `Replace ${replaces.name}` : "New secret";
  const place = { agentId, kind: pagedKind("secret"), name };
  const hosts = typed.split(/[\s,]+/).filter(Boolean);
  return (
    <Form
      label={title}
      onSubmit={() => action.run(() => save(place, { value, hosts, reveal }, null), onClose)}
    >
      <h2 className="fs-5">{title}</h2>
      {!replaces && (
        <TextField
          label="Name"
          value={name}
          required
          pattern="[A-Z][A-Z0-9_]{0,63}"
          title="Capital letters, digits and _, beginning with a letter"
          autoFocus
          onText={(text) => setName(text.toUpperCase())}
        />
      )}
      <TextField
        label="Value"
        help={
          <>
            At least 8 characters. It can't be read again.
            {replaces && " The value that it has now is gone once you save. This can't be undone."}
          </>
        }
        type="password"
        value={value}
        required
        minLength={8}
        autoComplete="new-password"
        onText={setValue}
      />
      <TextField
        label="Hosts"
        help={
          <>
            Where it may be sent, one host per line: <code>api.example.org</code>, or{" "}
            <code>*.example.org</code> for all below it.
          </>
        }
        rows={2}
        value={typed}
        required
        onText={setTyped}
      />
      <Check checked={reveal} onChange={setReveal}>
        The agent's code gets the value itself, to sign requests with
      </Check>
      <FormEnd failure={action.failure} working={action.working} onCancel={onClose} />
    </Form>
  );
}

/** The sites on which the agent's browser is logged in from the start, as a person wanted it. */
export function SiteLogins({ agentId }: { agentId: string }) {
  const read = useReadOf(readSiteLogins, [agentId]);
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
          <LineRow
            key={site}
            name={<code>{site}</code>}
            when={
              <>
                kept {whenWords(kept_at)} in <a href={chatHref(session_id)}>a chat</a>
              </>
            }
          >
            <Press
              look="btn-outline-danger"
              icon="trash"
              of={site}
              disabled={action.working}
              onPress={() => action.run(() => forgetSiteLogin(agentId, site), read.again)}
            >
              Forget
            </Press>
          </LineRow>
        ))}
      </ul>
    </section>
  );
}
