import { useState } from "react";
import { Checks } from "../../../components/Check";
import { Field } from "../../../components/Field";
import { useAction } from "../../../lib/hooks/useAction";
import { messageOf } from "../../../lib/problems";
import { type Kind, type WriteChannel, type Written, writeChannel } from "../api/requests";
import { KINDS } from "./words";

type Form = "ntfy" | "webhook" | "email";

interface Asked {
  name: string;
  label: string;
  help?: string;
  type?: "password" | "number" | "url" | "email" | "text";
  optional?: true;
  initial?: string;
}

const FIELDS: Readonly<Record<Form, readonly Asked[]>> = {
  ntfy: [
    { name: "server", label: "Server", type: "url", initial: "https://ntfy.sh" },
    {
      name: "topic",
      label: "Topic",
      help: "Anyone who knows the topic can read it: choose a name that is hard to guess.",
    },
    { name: "token", label: "Access token", type: "password", optional: true },
  ],
  webhook: [{ name: "url", label: "Address", type: "url", help: "It gets a signed POST with a CloudEvent." }],
  email: [
    { name: "to", label: "To", type: "email" },
    { name: "sender", label: "From", type: "email" },
    { name: "host", label: "Mail server" },
    { name: "port", label: "Port", type: "number", initial: "587" },
    { name: "username", label: "User name", optional: true },
    { name: "password", label: "Password", type: "password", optional: true },
  ],
};

const LABELS: Readonly<Record<Form, string>> = { ntfy: "ntfy", webhook: "Webhook", email: "Mail" };

function bodyOf(form: Form, values: Readonly<Record<string, string>>, security: Security): WriteChannel {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
  if (form === "ntfy") return { ntfy: { topic: "", ...given } };
  if (form === "webhook") return { webhook: { url: "", ...given } };
  return { email: { host: "", sender: "", to: "", ...given, port: Number(values.port), security } };
}

type Security = "starttls" | "tls" | "none";

/** Makes a channel. What is secret here goes to the server and is shown nowhere again. */
export function ChannelForm({ onDone }: { onDone: (made: Written | null) => void }) {
  const [form, setForm] = useState<Form>("ntfy");
  const [name, setName] = useState("");
  const [typed, setTyped] = useState<Record<string, string>>({});
  const [security, setSecurity] = useState<Security>("starttls");
  const [kinds, setKinds] = useState<Kind[]>(["reminder", "question", "failure"]);
  const action = useAction();
  const fields = FIELDS[form];
  const values = Object.fromEntries(fields.map((one) => [one.name, typed[one.name] ?? one.initial ?? ""]));
  return (
    <form
      className="notify-form"
      aria-label="New channel"
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        action.run(() => writeChannel(name, { ...bodyOf(form, values, security), kinds }), onDone);
      }}
    >
      <Field label="By">
        {(tied) => (
          <select
            {...tied}
            className="form-select"
            value={form}
            onChange={(event) => setForm(event.target.value as Form)}
          >
            {Object.entries(LABELS).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Name">
        {(tied) => (
          <input
            {...tied}
            className="form-control"
            value={name}
            required
            pattern="[a-z0-9][a-z0-9\-]{0,39}"
            title="Small letters, digits and -, such as my-phone"
            spellCheck={false}
            onChange={(event) => setName(event.target.value.toLowerCase())}
          />
        )}
      </Field>
      {fields.map((one) => (
        <Field
          key={`${form} ${one.name}`}
          label={
            <>
              {one.label}
              {one.optional && <span className="text-body-secondary"> (if it needs one)</span>}
            </>
          }
          help={one.help}
        >
          {(tied) => (
            <input
              {...tied}
              className="form-control"
              type={one.type ?? "text"}
              value={values[one.name]}
              required={!one.optional}
              spellCheck={false}
              autoComplete={one.type === "password" ? "new-password" : "off"}
              onChange={(event) => setTyped({ ...typed, [one.name]: event.target.value })}
            />
          )}
        </Field>
      ))}
      {form === "email" && (
        <Field label="Encryption">
          {(tied) => (
            <select
              {...tied}
              className="form-select"
              value={security}
              onChange={(event) => setSecurity(event.target.value as Security)}
            >
              <option value="starttls">STARTTLS (port 587)</option>
              <option value="tls">TLS (port 465)</option>
              <option value="none">none, in your own network</option>
            </select>
          )}
        </Field>
      )}
      <Checks legend="Tell me of" words={KINDS} ticked={kinds} onChange={setKinds} inline />
      {action.failure !== null && (
        <div className="alert alert-danger" role="alert">
          {messageOf(action.failure)}
        </div>
      )}
      <div className="notify-actions">
        <button type="submit" className="btn btn-primary" disabled={action.working || kinds.length === 0}>
          {action.working ? "Saving…" : "Save"}
        </button>
        <button type="button" className="btn btn-outline-secondary" onClick={() => onDone(null)}>
          Cancel
        </button>
      </div>
    </form>
  );
}
