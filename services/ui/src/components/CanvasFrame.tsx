import { type ReactNode, useContext, useEffect, useId, useRef } from "react";
import { CanvasControls } from "./canvasControls";
import { Icon } from "./Icon";

interface Props {
  title: string;
  /** What it is of, in a few words. */
  note?: string | undefined;
  tools?: ReactNode;
  /** Shut it; what it shows stays as it is. */
  onClose: () => void;
  children: ReactNode;
}

/** The canvas beside a chat: its own bar, and what is shown there. */
export function CanvasFrame({ title, note, tools, onClose, children }: Props) {
  const { maximised, toggle } = useContext(CanvasControls);
  const id = useId();
  const box = useRef<HTMLElement>(null);
  const close = useRef(onClose);
  close.current = onClose;

  useEffect(() => {
    const element = box.current;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented) {
        event.preventDefault();
        close.current();
      }
    };
    element?.addEventListener("keydown", onKey);
    return () => element?.removeEventListener("keydown", onKey);
  }, []);

  return (
    <section className="canvas" aria-labelledby={id} ref={box}>
      <header className="canvas-bar">
        <h2 className="canvas-title" id={id}>
          {title}
          {note && <span className="canvas-note">{note}</span>}
        </h2>
        {tools}
        <button
          type="button"
          className="btn btn-link btn-icon canvas-maximise"
          aria-pressed={maximised}
          aria-label="Maximise the canvas"
          title={maximised ? "Show the chat beside it" : "Maximise"}
          onClick={toggle}
        >
          <Icon name={maximised ? "shrink" : "grow"} />
        </button>
        <button
          type="button"
          className="btn btn-link btn-icon"
          aria-label="Close the canvas"
          title="Close"
          onClick={onClose}
        >
          <Icon name="cross" />
        </button>
      </header>
      <div className="canvas-body">{children}</div>
    </section>
  );
}
