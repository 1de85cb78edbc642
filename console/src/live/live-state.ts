import type { paths } from '../api/interface.d.ts';

type Answer = paths['/admin/overview']['post']['responses'][200]['content']['application/json'];

/** The value of the overview. */
export type Overview = Extract<Answer, { readonly result: { readonly status: true } }>['result']['value'];

/** The state that the pages of a browser know from its stream. */
export interface LiveState {
  /** Undefined: nothing has arrived yet. */
  readonly overview: Overview | undefined;
  /**
   * `connecting`: for the first time; `live`; `lost`: the server does not answer; `unavailable`: it answers, but cannot
   * read its state.
   */
  readonly connection: 'connecting' | 'live' | 'lost' | 'unavailable';
  /** Milliseconds since 1970 at which it became lost or unavailable; undefined in other states. */
  readonly since: number | undefined;
  /** True if the login has ended. */
  readonly isSignedOut: boolean;
}

/** An event of a stream. */
export type LiveEvent =
  | { readonly kind: 'overview'; readonly overview: Overview }
  | { readonly kind: 'unavailable' | 'lost'; readonly at: number }
  | { readonly kind: 'signed out' };

export const FIRST_STATE: LiveState = {
  overview: undefined,
  connection: 'connecting',
  since: undefined,
  isSignedOut: false,
};

/** @returns the state after the event. The last overview stays, with the time since when it is not the present one */
export function afterEvent(state: LiveState, event: LiveEvent): LiveState {
  switch (event.kind) {
    case 'overview':
      return { overview: event.overview, connection: 'live', since: undefined, isSignedOut: false };
    case 'unavailable':
    case 'lost':
      return { ...state, connection: event.kind, since: state.since ?? event.at };
    case 'signed out':
      return { ...FIRST_STATE, isSignedOut: true };
  }
}
