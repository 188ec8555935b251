import "bootstrap/dist/css/bootstrap.min.css";
import "./app/tokens.css";
import "./app/theme.css";
import "./app/buttons.css";
import "./app/shell.css";
import "./components/layout.css";
import "./components/parts.css";
import "./components/messages.css";
import "./components/tools.css";
import "./components/markdown.css";
import "./components/diff.css";
import "./components/codeEditor.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { guardComposition } from "./lib/typing";

guardComposition(window);
const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
