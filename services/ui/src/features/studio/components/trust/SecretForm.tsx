import { useState } from "react";
import { Check } from "../../../../components/Check";
import { Field } from "../../../../components/Field";
import { useAction } from "../../../../lib/hooks/useAction";
import { saveSecret } from "../../api/writes";
import { hostsIn } from "../../fold/hosts";
import type { Item } from "../../fold/view";
import { FormEnd } from "../FormEnd";

interface Props {
  agentId: string;
  /** The secret that gets another value; null: it is a new one. */
  replaces: Item | null;
  onClose: () => void;
}

/** Writes a secret. What is typed here goes to the server and is shown nowhere again. */
export function SecretForm({ agentId, replaces, onClose }: Props) {
  const [name, setName] = useState(replaces?.name ?? "");
  const [value, setValue] = useState("");
  const [hosts, setHosts] = useState(replaces?.hosts.join("\n") ?? "");
  const [reveal, setReveal] = useState(replaces?.reveal ?? false);
  const action = useAction();
  const title = replaces ? `Replace ${replaces.name}` : "New secret";
  return (
    <form
      className="studio-secret-form"
      aria-label={title}
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        action.run(() => saveSecret(agentId, name, { value, hosts: hostsIn(hosts), reveal }), onClose);
      }}
    >
      <h2 className="fs-5">{title}</h2>
      {!replaces && (
        <Field label="Name">
          {(tied) => (
            <input
              {...tied}
              className="form-control"
              value={name}
              required
              pattern="[A-Z][A-Z0-9_]{0,63}"
              title="Capital letters, digits and _, beginning with a letter"
              autoComplete="off"
              spellCheck={false}
              // biome-ignore lint/a11y/noAutofocus: the form appears because the user asked for it
              autoFocus
              onChange={(event) => setName(event.target.value.toUpperCase())}
            />
          )}
        </Field>
      )}
      <Field
        label="Value"
        help={
          <>
            At least 8 characters. It can't be read again.
            {replaces && " The value that it has now is gone once you save. This can't be undone."}
          </>
        }
      >
        {(tied) => (
          <input
            {...tied}
            className="form-control"
            type="password"
            value={value}
            required
            minLength={8}
            autoComplete="new-password"
            onChange={(event) => setValue(event.target.value)}
          />
        )}
      </Field>
      <Field
        label="Hosts"
        help={
          <>
            Where it may be sent, one host per line: <code>api.example.org</code>, or{" "}
            <code>*.example.org</code> for all below it.
          </>
        }
      >
        {(tied) => (
          <textarea
            {...tied}
            className="form-control"
            rows={2}
            value={hosts}
            required
            spellCheck={false}
            onChange={(event) => setHosts(event.target.value)}
          />
        )}
      </Field>
      <Check checked={reveal} onChange={setReveal}>
        The agent's code gets the value itself, to sign requests with
      </Check>
      <FormEnd failure={action.failure} working={action.working} ready onCancel={onClose} />
    </form>
  );
}
