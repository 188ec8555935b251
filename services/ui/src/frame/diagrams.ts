/** Draws diagrams for the shell: the source comes in, SVG goes out. Nothing else is said or fetched here. */
import mermaid from "mermaid";
import type { Drawn, Wanted } from "../lib/diagrams";

const tell = (drawn: Drawn) => window.parent.postMessage(drawn, "*");

async function drawn({ id, source, dark }: Wanted): Promise<Drawn> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    // What the source may not say otherwise.
    secure: [
      "secure",
      "securityLevel",
      "startOnLoad",
      "maxTextSize",
      "maxEdges",
      "suppressErrorRendering",
      "htmlLabels",
    ],
    suppressErrorRendering: true,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    theme: dark ? "dark" : "default",
    fontFamily: "system-ui, sans-serif",
  });
  try {
    const { svg } = await mermaid.render(`diagram-${id}`, source);
    return { id, svg };
  } catch (error) {
    return { id, problem: error instanceof Error ? error.message.slice(0, 1_000) : "It can't be read." };
  } finally {
    document.body.replaceChildren();
  }
}

// One after the other: each is measured in the same document.
let tail: Promise<void> = Promise.resolve();
window.addEventListener("message", ({ source, data }: MessageEvent<Wanted>) => {
  if (source !== window.parent) return;
  tail = tail.then(async () => tell(await drawn(data)));
});
tell({ ready: true });
