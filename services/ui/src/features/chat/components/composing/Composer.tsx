import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Icon } from "../../../../components/Icon";
import { isTypingSomewhere } from "../../../../lib/typing";
import type { ChosenPrompt, McpPrompt } from "../../../../lib/wire";
import { keepDraft, readDraft } from "../../api/drafts";
import { type Attached, pasted, ready } from "../../fold/attached";
import { AttachedFiles } from "./AttachedFiles";
import { AttachMenu } from "./AttachMenu";
import { PromptForm } from "./PromptForm";
import { MENU_ID, optionId, PromptMenu } from "./PromptMenu";
import { useAttached } from "./useAttached";
import { useDrop } from "./useDrop";
import { usePrompts } from "./usePrompts";
import "../../composer.css";

/** The box for new chats and old ones has the same id, so that the skip link finds it. */
export const COMPOSER_ID = "composer";

interface Props {
  /** Names the draft that survives a reload: the session's id, or "new". */
  draftKey: string;
  /** Where files are uploaded to; null while there is no chat: they are held until it begins. */
  sessionId: string | null;
  /** Whose MCP servers' prompts are offered after a `/`. */
  agentId: string;
  placeholder: string;
  /** True while the agent works: Stop is offered beside Send. */
  working?: boolean;
  stopping?: boolean;
  busy?: boolean;
  /** Leave what was written when it is sent: whoever sends it forgets the draft once it has arrived. */
  keepsText?: boolean;
  autoFocus: boolean;
  /** With a prompt there is neither text nor files. */
  onSend: (text: string, files: readonly Attached[], prompt: ChosenPrompt | null) => void;
  onStop?: () => void;
  /** Text put into the box from outside; a new object puts it again. */
  offered?: { text: string } | null;
}

/** Where the user writes. Enter sends, Shift+Enter makes a new line; unsent text survives a reload. */
export function Composer(props: Props) {
  const { draftKey, sessionId, agentId, placeholder, working, stopping, busy, keepsText, autoFocus } = props;
  const { onSend, onStop, offered } = props;
  const [text, setText] = useState(() => readDraft(draftKey));
  const box = useRef<HTMLTextAreaElement>(null);
  const attaching = useAttached(draftKey, sessionId);
  const { attached } = attaching;
  const over = useDrop(attaching.add);
  const [prompt, setPrompt] = useState<McpPrompt | null>(null);
  const choose = useCallback((chosen: McpPrompt) => {
    setPrompt(chosen);
    setText("");
  }, []);
  const menu = usePrompts(agentId, text, choose);
  // The form's place is the box's, which has the focus again after it.
  const leave = () => {
    flushSync(() => setPrompt(null));
    box.current?.focus();
  };

  useEffect(() => keepDraft(draftKey, text), [draftKey, text]);

  useEffect(() => {
    // A chat that took a while to load leaves the focus to what was opened above it meanwhile, and to a person who
    // already types elsewhere.
    const above = document.querySelector(".modal.show");
    if (autoFocus && !above && !isTypingSomewhere()) box.current?.focus({ preventScroll: true });
  }, [autoFocus]);

  useEffect(() => {
    if (!offered) return;
    setText(offered.text);
    box.current?.focus();
  }, [offered]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the box grows with its text
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [text, placeholder]);

  const sendable = (text.trim() !== "" || attached.length > 0) && ready(attached);

  function send() {
    const message = text.trim();
    if (!sendable || busy) return;
    onSend(message, attached, null);
    if (!keepsText) {
      setText("");
      attaching.clear();
    }
    box.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (menu.onKeyDown(event)) return;
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    send();
  }

  if (prompt)
    return (
      <PromptForm
        prompt={prompt}
        busy={Boolean(busy)}
        onSend={(chosen) => {
          leave();
          onSend("", [], chosen);
        }}
        onClose={leave}
      />
    );
  return (
    <form
      className={`composer ${over ? "is-over" : ""}`}
      aria-label="New message"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label className="visually-hidden" htmlFor={COMPOSER_ID}>
        Message
      </label>
      <PromptMenu menu={menu} onChoose={choose} />
      <AttachedFiles attached={attached} onRetry={attaching.retry} onRemove={attaching.remove} />
      <AttachMenu onPicked={attaching.add} />
      <textarea
        id={COMPOSER_ID}
        ref={box}
        rows={1}
        value={text}
        placeholder={placeholder}
        aria-describedby="composer-keys"
        {...(menu.offered?.length
          ? {
              "aria-autocomplete": "list",
              "aria-controls": MENU_ID,
              "aria-activedescendant": optionId(menu.at),
            }
          : {})}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          const files = [...event.clipboardData.files];
          if (files.length === 0) return;
          event.preventDefault();
          attaching.add(pasted(files, new Date()));
        }}
      />
      <span id="composer-keys" className="visually-hidden">
        Enter sends, Shift and Enter makes a new line{working ? ", Escape stops the agent" : ""}.
      </span>
      {working && (
        <button
          type="button"
          className="btn btn-round btn-stop"
          onClick={onStop}
          disabled={stopping}
          aria-label={stopping ? "Stopping" : "Stop"}
          title="Stop (Esc)"
        >
          <Icon name="stop" size={18} />
        </button>
      )}
      <button
        type="submit"
        className="btn btn-round btn-send"
        disabled={!sendable || busy}
        aria-label={busy ? "Sending" : "Send"}
        title="Send (Enter)"
      >
        {busy ? (
          <span className="spinner-border spinner-border-sm" aria-hidden="true" />
        ) : (
          <Icon name="send" size={18} />
        )}
      </button>
    </form>
  );
}
