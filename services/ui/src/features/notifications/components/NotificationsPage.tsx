import { useState } from "react";
import { Icon } from "../../../components/Icon";
import { PageLayout } from "../../../components/PageLayout";
import { Reading } from "../../../components/Reading";
import { useRead } from "../../../lib/hooks/useRead";
import { readNotifications, type Written } from "../api/requests";
import { ChannelForm } from "./ChannelForm";
import { ChannelRow } from "./ChannelRow";
import { PreferencesForm } from "./PreferencesForm";
import { ThisBrowser } from "./ThisBrowser";
import "../notifications.css";

/** How a person is reached away from the page. */
export function NotificationsPage() {
  const [revision, setRevision] = useState(0);
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<Written | null>(null);
  const read = useRead(readNotifications, revision);
  const changed = () => setRevision((count) => count + 1);
  return (
    <PageLayout label="Notifications" heading="Notifications" className="notify">
      <div className="notify-page">
        <p className="text-body-secondary">
          Get questions, reminders and failures when you are away from this page. Nothing is sent while you
          have the chat open.
        </p>
        <ThisBrowser onChange={changed} />
        <Reading read={read}>
          {({ channels, preferences, offered }) => (
            <>
              <section aria-labelledby="channels">
                <h2 className="fs-5" id="channels">
                  Channels
                </h2>
                {channels.length === 0 && <p role="status">No channels yet.</p>}
                <ul className="notify-channels" aria-label="Channels">
                  {channels.map((one) => (
                    <ChannelRow key={one.name} channel={one} onChange={changed} />
                  ))}
                </ul>
                {made?.secret && (
                  <div className="alert alert-info" role="status">
                    Messages to {made.name} are signed with this secret. Copy it now: it isn't shown again.{" "}
                    <code className="notify-secret">{made.secret}</code>
                  </div>
                )}
                {adding ? (
                  <ChannelForm
                    offered={offered}
                    onDone={(written) => {
                      setAdding(false);
                      setMade(written);
                      changed();
                    }}
                  />
                ) : (
                  <button type="button" className="btn btn-primary" onClick={() => setAdding(true)}>
                    <Icon name="plus" size={14} /> Add a channel
                  </button>
                )}
              </section>
              <section aria-labelledby="when">
                <h2 className="fs-5" id="when">
                  When and how
                </h2>
                <PreferencesForm preferences={preferences} />
              </section>
            </>
          )}
        </Reading>
      </div>
    </PageLayout>
  );
}
