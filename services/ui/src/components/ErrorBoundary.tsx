import { Component, type ReactNode } from "react";

interface Props {
  children: ReactNode;
}

/** Shows what went wrong instead of an empty page; nothing is lost, since the log has it all. */
export class ErrorBoundary extends Component<Props, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="container py-5" role="alert">
        <h1 className="h4">This page stopped working</h1>
        <p>This is a fault of the page. Your chats are safe in the log. Reload to go on.</p>
        <pre className="small text-body-secondary">{error.message}</pre>
        <button type="button" className="btn btn-primary" onClick={() => window.location.reload()}>
          Reload
        </button>
      </div>
    );
  }
}
