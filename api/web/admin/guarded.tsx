import { Component, type ReactNode } from "react";
import { Failure } from "./parts/async.tsx";

/** Shows the error of a page in its place. */
export class Guarded extends Component<{ readonly children: ReactNode }, { readonly error?: Error }> {
  override state: { readonly error?: Error } = {};
  static getDerivedStateFromError(error: Error) {
    return { error };
  }
  override render() {
    const { error } = this.state;
    return error ? (
      <Failure error={error} onRetry={() => this.setState({ error: undefined as never })} />
    ) : (
      this.props.children
    );
  }
}
