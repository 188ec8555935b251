import { type FormEvent, type PointerEvent, useCallback, useEffect, useRef, useState } from "react";
import type { BrowserInput } from "../../fold/handOver";
import { keyInput } from "../../fold/handOver";
import type { OpenBrowser } from "./useBrowser";

interface Props {
  browser: OpenBrowser;
  leaveKey: string;
  onLeave: () => void;
}

/** CSS pixels: narrower screens have the page laid out for them. */
const NARROW = 700;
const DRAGGED = 8;
const DOUBLE_MS = 400;
const BUTTONS = ["left", "middle", "right"] as const;

/** Where a finger or the mouse went down, and what it was. */
interface Held {
  x: number;
  y: number;
  at: number;
  clicks: number;
  scrolls: boolean;
}

/** The picture of the page, to which clicks, taps, keys and pasted text go, and a field to type on a phone. */
export function BrowserScreen({ browser, leaveKey, onLeave }: Props) {
  const { view, picture, send } = browser;
  const screen = useRef<HTMLDivElement>(null);
  const held = useRef<Held | null>(null);
  const last = useRef<Held | null>(null);
  const seen = useRef({ width: 0, height: 0 });
  if (view) seen.current = { width: view.width, height: view.height };

  /** The place in the page that this place of the picture is. */
  const pointAt = useCallback(({ clientX, clientY }: { clientX: number; clientY: number }) => {
    const box = screen.current?.querySelector("img")?.getBoundingClientRect();
    const { width, height } = seen.current;
    if (!box?.width || !box.height) return { x: 0, y: 0 };
    return { x: ((clientX - box.left) / box.width) * width, y: ((clientY - box.top) / box.height) * height };
  }, []);

  useEffect(() => {
    const element = screen.current;
    if (!element) return;
    if (window.innerWidth < NARROW) {
      const { clientWidth: width, clientHeight: height } = element;
      send({ type: "resize", width, height });
    }
    function onWheel(event: WheelEvent) {
      event.preventDefault();
      send({ type: "wheel", ...pointAt(event), dx: event.deltaX, dy: event.deltaY });
    }
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [send, pointAt]);

  function mouse(action: "move" | "down" | "up", event: PointerEvent, clicks = 1): BrowserInput {
    const button = BUTTONS[Math.max(event.button, 0)] ?? "left";
    return { type: "mouse", action, ...pointAt(event), button, clicks };
  }

  function onPointerDown(event: PointerEvent) {
    screen.current?.focus({ preventScroll: true });
    const { clientX: x, clientY: y, timeStamp: at } = event;
    const before = last.current;
    const again = before && at - before.at < DOUBLE_MS && Math.hypot(x - before.x, y - before.y) < DRAGGED;
    held.current = { x, y, at, clicks: again ? Math.min(before.clicks + 1, 3) : 1, scrolls: false };
    last.current = { ...held.current };
    screen.current?.setPointerCapture(event.pointerId);
    if (event.pointerType !== "touch") send(mouse("down", event, held.current.clicks));
  }

  function onPointerMove(event: PointerEvent) {
    if (event.pointerType !== "touch") {
      send(mouse("move", event));
      return;
    }
    const finger = held.current;
    if (!finger) return;
    const [dx, dy] = [finger.x - event.clientX, finger.y - event.clientY];
    if (!finger.scrolls && Math.hypot(dx, dy) < DRAGGED) return;
    held.current = { ...finger, x: event.clientX, y: event.clientY, scrolls: true };
    send({ type: "wheel", ...pointAt(event), dx, dy });
  }

  function onPointerUp(event: PointerEvent) {
    const finger = held.current;
    held.current = null;
    if (!finger || finger.scrolls) return;
    if (event.pointerType === "touch") send(mouse("down", event, finger.clicks));
    send(mouse("up", event, finger.clicks));
  }

  const label = `The agent's browser: ${view?.title || "a page"}. Keys go to the page; ${leaveKey} leaves it.`;
  return (
    <>
      <div
        ref={screen}
        className="handover-screen"
        role="application"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes keys, as an application does
        tabIndex={0}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onContextMenu={(event) => event.preventDefault()}
        onKeyDown={(event) => {
          if (event.key === leaveKey) {
            event.preventDefault();
            onLeave();
            return;
          }
          const input = keyInput(event);
          if (input === null) return;
          event.preventDefault();
          send(input);
        }}
        onPaste={(event) => {
          event.preventDefault();
          const text = event.clipboardData.getData("text");
          if (text) send({ type: "text", text: text.slice(0, 10_000) });
        }}
      >
        {picture ? (
          <img src={picture} alt="" draggable={false} />
        ) : (
          <p className="handover-waits" role="status">
            Waiting for the first picture…
          </p>
        )}
      </div>
      <Typing secret={view?.secret ?? false} send={send} />
    </>
  );
}

/** For keyboards that have no keys: what is written here is put where the page's cursor is. */
function Typing({ secret, send }: { secret: boolean; send: (input: BrowserInput) => void }) {
  const [text, setText] = useState("");
  function submit(event: FormEvent) {
    event.preventDefault();
    if (text) send({ type: "text", text });
    setText("");
  }
  const press = (key: string) => send({ type: "key", key, ctrl: false, alt: false, shift: false });
  return (
    <form className="handover-typing" onSubmit={submit}>
      <input
        className="form-control form-control-sm"
        aria-label={secret ? "Type a password into the page" : "Type into the page"}
        placeholder={secret ? "Password for the page" : "Text for the page"}
        type={secret ? "password" : "text"}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        maxLength={10_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="btn btn-sm btn-outline-primary">
        Type
      </button>
      <button type="button" className="btn btn-sm btn-outline-secondary" onClick={() => press("Backspace")}>
        ⌫<span className="visually-hidden"> Delete a character</span>
      </button>
      <button type="button" className="btn btn-sm btn-outline-secondary" onClick={() => press("Enter")}>
        Enter
      </button>
    </form>
  );
}
