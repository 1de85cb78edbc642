import { Component, type ReactNode } from 'react';

interface BoundaryProps {
  /** What is shown in place of what has failed. */
  readonly fallback: (failure: unknown) => ReactNode;
  readonly children: ReactNode;
}

interface BoundaryState {
  /** In an object, as anything may be thrown; undefined: nothing has failed. */
  readonly thrown?: { readonly failure: unknown };
}

/** Keeps a failure while something is shown from what stands around it. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = {};

  static getDerivedStateFromError(failure: unknown): BoundaryState {
    return { thrown: { failure } };
  }

  override render(): ReactNode {
    const { thrown } = this.state;
    if (thrown === undefined) {
      return this.props.children;
    }
    // Where the fallback fails too, Preact would have this boundary show it again and again.
    return <Boundary fallback={() => String(thrown.failure)}>{this.props.fallback(thrown.failure)}</Boundary>;
  }
}
