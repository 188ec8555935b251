import { Component, type ErrorInfo, type ReactNode } from "react";
import { tell } from "./shellLink";
import { reportThrown } from "./thrown";

/** Shows nothing where the author's component threw: what it was, the shell says. */
export class PageBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidMount() {
    if (!this.state.failed) tell({ kind: "rendered" });
  }

  override componentDidCatch(error: unknown, info: ErrorInfo) {
    reportThrown(error, info.componentStack ?? "");
  }

  override render() {
    return this.state.failed ? null : this.props.children;
  }
}
