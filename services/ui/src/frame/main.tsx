import "bootstrap/dist/css/bootstrap.min.css";
import "../app/tokens.css";
import "../app/theme.css";
import "../app/buttons.css";
import "../components/markdown.css";
import "./frame.css";
import { createRoot } from "react-dom/client";
import type { FrameMode, ToFrame } from "../lib/pageMessages";
import { guardComposition } from "../lib/typing";
import { compile } from "./compile";
import { submitByScript } from "./forms";
import { INJECTED } from "./injected";
import { librariesOf } from "./libraries";
import { PageBoundary } from "./PageBoundary";
import { ask, heard, tell } from "./shellLink";
import { reportThrown } from "./thrown";

// The one way to the network that no content security policy closes. It goes before any code of an author runs.
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCIceGatherer", "RTCDataChannel"]) {
  Reflect.deleteProperty(window, name);
}

const element = document.getElementById("page");
if (!element) throw new Error("page-frame.html has no #page");
const root = createRoot(element);
guardComposition(window);
submitByScript(document);

window.addEventListener("error", (event) => reportThrown(event.error ?? event.message));
window.addEventListener("unhandledrejection", (event) => reportThrown(event.reason));
window.addEventListener("message", (event: MessageEvent<ToFrame>) => {
  // Other frames can reach this one, but only the shell is its parent.
  if (event.source === window.parent) obey(event.data);
});
tell({ kind: "ready" });

function obey(said: ToFrame): void {
  switch (said.kind) {
    case "render":
      show(said.mode);
      render(said).catch(reportThrown);
      break;
    case "mode":
      show(said.mode);
      break;
    case "ping":
      tell({ kind: "alive" });
      break;
    default:
      heard(said);
  }
}

function show(mode: FrameMode): void {
  document.documentElement.dataset.bsTheme = mode;
}

async function render({ name, code, props }: Extract<ToFrame, { kind: "render" }>): Promise<void> {
  document.title = name;
  const importModule = await librariesOf(code, async (library) =>
    String(await ask({ kind: "library", name: library })),
  );
  const Page = compile(code, { ...INJECTED, importModule });
  root.render(
    <PageBoundary>
      <Page {...props} />
    </PageBoundary>,
  );
}
