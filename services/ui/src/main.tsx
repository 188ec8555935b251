import "bootstrap/dist/css/bootstrap.min.css";
import "./app/theme.css";
import "./app/shell.css";
import "./app/chat.css";
import "./app/messages.css";
import "./app/calls.css";
import "./app/markdown.css";
import "./app/rewind.css";
import "./app/history.css";
import "./app/studio.css";
import "./app/pages.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
