import { Component, type ReactNode } from "react";

interface Props {
  /** What stands in place of what failed; `again` draws it once more. */
  fallback: (error: Error, again: () => void) => ReactNode;
  /** What is shown, by name: with another one it is drawn again. */
  shown?: string;
  children: ReactNode;
}

interface State {
  error: Error | null;
  shown: string | undefined;
}

/** A fault inside stays inside: what is around it goes on. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, shown: this.props.shown };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps({ shown }: Props, state: State): State | null {
    return shown === state.shown ? null : { error: null, shown };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return this.props.fallback(error, () => this.setState({ error: null }));
  }
}
