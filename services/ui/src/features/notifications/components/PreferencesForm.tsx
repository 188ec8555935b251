import { useId, useState } from "react";
import { useAction } from "../../../lib/hooks/useAction";
import { messageOf } from "../../../lib/problems";
import { type Preferences, writePreferences } from "../api/requests";

/** Where this page is open: that is where links in messages may lead. */
function here(): string {
  return new URL(".", document.baseURI).href;
}

/** What holds for all channels. */
export function PreferencesForm({ preferences }: { preferences: Preferences }) {
  const id = useId();
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
      <div className="form-check">
        <input
          id={`${id}-quiet`}
          className="form-check-input"
          type="checkbox"
          checked={quiet}
          onChange={(event) => setQuiet(event.target.checked)}
        />
        <label className="form-check-label" htmlFor={`${id}-quiet`}>
          Quiet hours: what happens then comes as one message afterwards
        </label>
      </div>
      {quiet && (
        <div className="notify-hours">
          <div>
            <label className="form-label" htmlFor={`${id}-begins`}>
              From
            </label>
            <input
              id={`${id}-begins`}
              className="form-control"
              type="time"
              required
              value={begins}
              onChange={(event) => setBegins(event.target.value)}
            />
          </div>
          <div>
            <label className="form-label" htmlFor={`${id}-ends`}>
              To
            </label>
            <input
              id={`${id}-ends`}
              className="form-control"
              type="time"
              required
              value={ends}
              onChange={(event) => setEnds(event.target.value)}
            />
          </div>
          <div>
            <label className="form-label" htmlFor={`${id}-zone`}>
              Time zone
            </label>
            <input
              id={`${id}-zone`}
              className="form-control"
              required
              value={timezone}
              onChange={(event) => setTimezone(event.target.value)}
            />
          </div>
        </div>
      )}
      <div className="form-check">
        <input
          id={`${id}-text`}
          className="form-check-input"
          type="checkbox"
          checked={showText}
          onChange={(event) => setShowText(event.target.checked)}
        />
        <label className="form-check-label" htmlFor={`${id}-text`}>
          Messages quote titles, questions and answers
        </label>
      </div>
      <div>
        <label className="form-label" htmlFor={`${id}-address`}>
          Links lead to
        </label>
        <div className="input-group">
          <input
            id={`${id}-address`}
            className="form-control"
            type="url"
            value={address}
            placeholder="no links"
            aria-describedby={`${id}-address-help`}
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
        <p className="form-text" id={`${id}-address-help`}>
          Where your phone or mailbox can open this page.
        </p>
      </div>
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
