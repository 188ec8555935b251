import { useState } from "react";
import { Icon } from "../../../components/Icon";
import { useAction } from "../../../lib/hooks/useAction";
import { messageOf } from "../../../lib/problems";
import { type Channel, deleteChannel, testChannel, writeChannel } from "../api/requests";
import { howItDoes, KINDS, leadsTo } from "./words";

/** One way to be reached: where it leads, how it does, and what can be done with it. */
export function ChannelRow({ channel, onChange }: { channel: Channel; onChange: () => void }) {
  const [tested, setTested] = useState<string | null>(null);
  const action = useAction();
  const { text, trouble } = howItDoes(channel, new Date());
  const of = <span className="visually-hidden"> {channel.name}</span>;
  return (
    <li className="notify-channel">
      <div className="notify-what">
        <strong>{channel.name}</strong>
        <span className="notify-where">{leadsTo(channel)}</span>
        <span className="text-body-secondary">{channel.kinds.map((kind) => KINDS[kind]).join(", ")}</span>
        <span className={trouble ? "text-danger-emphasis" : "text-body-secondary"}>{text}</span>
        <span role="status">{tested}</span>
        {action.failure !== null && (
          <span className="text-danger-emphasis" role="alert">
            {messageOf(action.failure)}
          </span>
        )}
      </div>
      <div className="notify-actions">
        <button
          type="button"
          className="btn btn-sm btn-outline-secondary"
          disabled={action.working}
          onClick={() => {
            setTested(null);
            action.run(
              () => testChannel(channel.name),
              ({ delivered }) => {
                setTested(delivered ? "The test message was taken." : null);
                onChange();
              },
            );
          }}
        >
          {action.working ? "Working…" : "Send a test"}
          {of}
        </button>
        {channel.readable && (
          <button
            type="button"
            className="btn btn-sm btn-outline-secondary"
            disabled={action.working}
            onClick={() =>
              action.run(
                () => writeChannel(channel.name, { kinds: channel.kinds, enabled: !channel.enabled }),
                onChange,
              )
            }
          >
            {channel.enabled ? "Turn off" : "Turn on"}
            {of}
          </button>
        )}
        <button
          type="button"
          className="btn btn-sm btn-outline-danger"
          disabled={action.working}
          onClick={() => action.run(() => deleteChannel(channel.name), onChange)}
        >
          <Icon name="trash" size={14} /> Delete
          {of}
        </button>
      </div>
    </li>
  );
}
