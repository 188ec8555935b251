import { useId, useState } from "react";
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
  const id = useId();
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
        <div>
          <label className="form-label" htmlFor={`${id}-name`}>
            Name
          </label>
          <input
            id={`${id}-name`}
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
        </div>
      )}
      <div>
        <label className="form-label" htmlFor={`${id}-value`}>
          Value
        </label>
        <input
          id={`${id}-value`}
          className="form-control"
          type="password"
          value={value}
          required
          minLength={8}
          autoComplete="new-password"
          aria-describedby={`${id}-value-help`}
          onChange={(event) => setValue(event.target.value)}
        />
        <p className="form-text" id={`${id}-value-help`}>
          At least 8 characters. It can't be read again.
          {replaces && " The value that it has now is gone once you save. This can't be undone."}
        </p>
      </div>
      <div>
        <label className="form-label" htmlFor={`${id}-hosts`}>
          Hosts
        </label>
        <textarea
          id={`${id}-hosts`}
          className="form-control"
          rows={2}
          value={hosts}
          required
          spellCheck={false}
          aria-describedby={`${id}-hosts-help`}
          onChange={(event) => setHosts(event.target.value)}
        />
        <p className="form-text" id={`${id}-hosts-help`}>
          Where it may be sent, one host per line: <code>api.example.org</code>, or <code>*.example.org</code>{" "}
          for all below it.
        </p>
      </div>
      <div className="form-check">
        <input
          id={`${id}-reveal`}
          className="form-check-input"
          type="checkbox"
          checked={reveal}
          onChange={(event) => setReveal(event.target.checked)}
        />
        <label className="form-check-label" htmlFor={`${id}-reveal`}>
          The agent's code gets the value itself, to sign requests with
        </label>
      </div>
      <FormEnd failure={action.failure} working={action.working} ready onCancel={onClose} />
    </form>
  );
}
