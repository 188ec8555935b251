/** Diagrams, drawn in a frame that has no origin and no network: what they are drawn from may be anybody's. */

/** The document that the gateway serves for it, with a policy of its own (gateway/page_frame.py). */
const DOCUMENT = "diagram-frame.html";
const PATIENCE_MS = 20_000;
export const LONGEST_DIAGRAM = 20_000;

/** What the frame is asked, and what it answers. */
export interface Wanted {
  id: number;
  source: string;
  dark: boolean;
}
export type Drawn = { ready: true } | { id: number; svg: string } | { id: number; problem: string };

interface Open {
  element: HTMLIFrameElement;
  ready: Promise<void>;
  waiting: Map<number, (drawn: Drawn) => void>;
}

let open: Open | null = null;
let last = 0;

/** The diagram as SVG, to be shown as a picture: it is not safe as part of the page. Rejects with what is wrong. */
export async function draw(source: string, dark: boolean): Promise<string> {
  if (source.length > LONGEST_DIAGRAM) throw new Error("The diagram is too long to be drawn.");
  open ??= begin();
  const { element, ready, waiting } = open;
  last += 1;
  const id = last;
  const answer = new Promise<Drawn>((resolve) => waiting.set(id, resolve));
  const late = setTimeout(() => {
    // Whatever keeps it busy ends with it; those that wait behind ask again.
    end(element, waiting, "Drawing the diagram took too long.");
  }, PATIENCE_MS);
  try {
    await Promise.race([ready, answer]);
    element.contentWindow?.postMessage({ id, source, dark } satisfies Wanted, "*");
    const drawn = await answer;
    if ("svg" in drawn) return drawn.svg;
    throw new Error("problem" in drawn ? drawn.problem : "The diagram was not drawn.");
  } finally {
    clearTimeout(late);
    waiting.delete(id);
  }
}

function begin(): Open {
  const element = document.createElement("iframe");
  element.setAttribute("sandbox", "allow-scripts");
  element.title = "Draws diagrams";
  element.className = "diagram-frame";
  element.setAttribute("aria-hidden", "true");
  element.tabIndex = -1;
  const waiting: Open["waiting"] = new Map();
  const ready = new Promise<void>((resolve) => {
    window.addEventListener("message", ({ source, data }: MessageEvent<Drawn>) => {
      if (!source || source !== element.contentWindow || typeof data !== "object" || data === null) return;
      if ("ready" in data) resolve();
      else waiting.get(data.id)?.(data);
    });
  });
  element.src = DOCUMENT;
  document.body.append(element);
  return { element, ready, waiting };
}

function end(element: HTMLIFrameElement, waiting: Open["waiting"], problem: string): void {
  element.remove();
  if (open?.element === element) open = null;
  for (const [id, answer] of waiting) answer({ id, problem });
}

/** An SVG as the address of a picture, and the width (px) that it was drawn for. */
export function pictureOf(svg: string): { src: string; width: number | undefined } {
  const box = /\bviewBox="\s*[-\d.e]+[ ,]+[-\d.e]+[ ,]+([\d.]+)/.exec(svg)?.[1];
  return {
    src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`,
    width: box ? Number(box) : undefined,
  };
}
