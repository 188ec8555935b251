import { useCallback, useState } from "react";
import { Icon } from "../../../components/Icon";
import { appOf } from "../../../lib/apps";
import { useUnhurried } from "../../../lib/hooks/useUnhurried";
import { newKey } from "../../../lib/newKey";
import { retrying } from "../../../lib/retrying";
import type { Shown } from "../../../lib/shown";
import { pageRequests } from "../api/requests";
import { callToolResult } from "../fold/appResult";
import { AppCalls } from "./AppCalls";
import { AppFrame } from "./AppFrame";
import { useAppCalls } from "./useAppCalls";
import { type Deciding, useDeciding } from "./useDeciding";
import "../pages.css";

/** The app of a foreign tool's call, with what the shell has to say about it: the app itself can't be trusted with it. */
export function AppView({ call, sessionId, agentId, past = false }: Shown) {
  const [open, setOpen] = useState(true);
  const [stopped, setStopped] = useState<string | null>(null);
  const [start, setStart] = useState(0);
  const deciding = useDeciding();
  const [server = ""] = call.tool.split("__");
  const fileId = appOf(call);
  const calling = useAppCalls(sessionId, call.call_id, deciding);
  const onSay = useCallback(
    async (text: string) => {
      await deciding.decide({ say: text });
      const key = newKey();
      await retrying(() => pageRequests(agentId).say(sessionId, text, key));
    },
    [deciding.decide, agentId, sessionId],
  );
  const onOpen = useCallback((url: URL) => deciding.decide({ open: url }), [deciding.decide]);
  if (fileId === null) return null;
  return (
    <section className="app-view" aria-label={`App of the MCP server ${server}`}>
      <header className="message-foot">
        <span>
          <Icon name="broadcast" size={13} /> App of {server}
        </span>
        <button
          type="button"
          className="btn btn-sm btn-link"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? "Hide" : "Show"}
        </button>
      </header>
      {open && stopped !== null && (
        <div className="alert alert-warning" role="alert">
          <strong>The app was stopped.</strong> {stopped}{" "}
          <button
            type="button"
            className="btn btn-sm btn-outline-secondary"
            onClick={() => {
              setStopped(null);
              setStart(start + 1);
            }}
          >
            Start again
          </button>
        </div>
      )}
      <Wish server={server} deciding={deciding} />
      {open && stopped === null && (
        <AppFrame
          key={start}
          fileId={fileId}
          title={`App of ${server}`}
          call={{ arguments: call.arguments, result: callToolResult(call) }}
          onSay={onSay}
          onOpen={onOpen}
          onCall={past ? null : calling.call}
          onRead={past ? null : calling.read}
          onOutlaw={(why) => {
            deciding.settle(false);
            setStopped(why);
          }}
        />
      )}
      <AppCalls sessionId={sessionId} callId={call.call_id} agentId={agentId} made={calling.made} />
    </section>
  );
}

/** What the app wants, whole, for the person to decide on. */
function Wish({ server, deciding: { wish, settle } }: { server: string; deciding: Deciding }) {
  const unhurried = useUnhurried(wish);
  if (wish === null) return null;
  const yes = { type: "button", className: "btn btn-sm btn-primary", disabled: !unhurried } as const;
  if ("say" in wish)
    return (
      <div className="alert alert-info" role="alertdialog" aria-label="The app wants to say something">
        The app of {server} wants to say to the agent, as you:
        <blockquote className="page-wish">{wish.say}</blockquote>
        <button {...yes} onClick={() => settle(true)}>
          Send
        </button>{" "}
        <button type="button" className="btn btn-sm btn-outline-secondary" onClick={() => settle(false)}>
          Don't
        </button>
      </div>
    );
  if ("call" in wish)
    return (
      <div className="alert alert-info" role="alertdialog" aria-label="The app wants to call a tool">
        The app of {server} wants to call <strong>{wish.call.tool}</strong> with exactly this (
        {wish.call.rule}):
        <pre className="page-wish">{JSON.stringify(wish.call.args, null, 2)}</pre>
        <button {...yes} onClick={() => settle(true)}>
          Call it once
        </button>{" "}
        <button type="button" className="btn btn-sm btn-outline-secondary" onClick={() => settle(false)}>
          Don't
        </button>
      </div>
    );
  return (
    <div className="alert alert-info" role="alertdialog" aria-label="The app wants to open an address">
      The app of {server} wants you to open an address at <strong>{wish.open.host}</strong>:
      <code className="page-wish d-block">{wish.open.href}</code>
      {unhurried ? (
        <a
          className="btn btn-sm btn-primary"
          href={wish.open.href}
          target="_blank"
          rel="noopener noreferrer"
          onClick={() => settle(true)}
        >
          Open it in a new tab
        </a>
      ) : (
        <button {...yes}>Open it in a new tab</button>
      )}{" "}
      <button type="button" className="btn btn-sm btn-outline-secondary" onClick={() => settle(false)}>
        Don't
      </button>
    </div>
  );
}
