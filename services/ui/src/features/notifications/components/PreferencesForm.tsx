import { useState } from "react";
import { Check } from "../../../components/Check";
import { Field, type Tied } from "../../../components/Field";
import { useAction } from "../../../lib/hooks/useAction";
import { messageOf } from "../../../lib/problems";
import { type Preferences, writePreferences } from "../api/requests";

/** Where this page is open: that is where links in messages may lead. */
function here(): string {
  return new URL(".", document.baseURI).href;
}

/** What holds for all channels. */
export function PreferencesForm({ preferences }: { preferences: Preferences }) {
  const [quiet, setQuiet] = useState(preferences.quiet !== null);
  const [begins, setBegins] = useState(preferences.quiet?.begins ?? "22:00");
  const [ends, setEnds] = useState(preferences.quiet?.ends ?? "07:00");
  const [timezone, setTimezone] = useState(
    preferences.quiet?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  );
  const [showText, setShowText] = useState(preferences.show_text);
  const [address, setAddress] = useState(preferences.address ?? "");
  const [saved, setSaved] = useState(false);
  const action = useAction();
  const changing = () => setSaved(false);
  return (
    <form
      className="notify-form"
      aria-label="When and how"
      onChange={changing}
      onSubmit={(event) => {
        event.preventDefault();
        const body: Preferences = {
          show_text: showText,
          quiet: quiet ? { begins, ends, timezone } : null,
          address: address || null,
        };
        action.run(
          () => writePreferences(body),
          () => setSaved(true),
        );
      }}
    >
      <Check checked={quiet} onChange={setQuiet}>
        Quiet hours: what happens then comes as one message afterwards
      </Check>
      {quiet && (
        <div className="notify-hours">
          <Field label="From">{(tied) => <Hour tied={tied} value={begins} onChange={setBegins} />}</Field>
          <Field label="To">{(tied) => <Hour tied={tied} value={ends} onChange={setEnds} />}</Field>
          <Field label="Time zone">
            {(tied) => (
              <input
                {...tied}
                className="form-control"
                required
                value={timezone}
                onChange={(event) => setTimezone(event.target.value)}
              />
            )}
          </Field>
        </div>
      )}
      <Check checked={showText} onChange={setShowText}>
        Messages quote titles, questions and answers
      </Check>
      <Field label="Links lead to" help="Where your phone or mailbox can open this page.">
        {(tied) => (
          <div className="input-group">
            <input
              {...tied}
              className="form-control"
              type="url"
              value={address}
              placeholder="no links"
              onChange={(event) => setAddress(event.target.value)}
            />
            <button
              type="button"
              className="btn btn-outline-secondary"
              onClick={() => {
                changing();
                setAddress(here());
              }}
            >
              This page
            </button>
          </div>
        )}
      </Field>
      {action.failure !== null && (
        <div className="alert alert-danger" role="alert">
          {messageOf(action.failure)}
        </div>
      )}
      <div className="notify-actions">
        <button type="submit" className="btn btn-primary" disabled={action.working}>
          {action.working ? "Saving…" : "Save"}
        </button>
        <span role="status">{saved && "Saved"}</span>
      </div>
    </form>
  );
}

interface HourProps {
  tied: Tied;
  value: string;
  onChange: (value: string) => void;
}

function Hour({ tied, value, onChange }: HourProps) {
  return (
    <input
      {...tied}
      className="form-control"
      type="time"
      required
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
