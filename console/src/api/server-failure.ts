/** The request never reached the server, or no server answered it. */
const AWAY_STATUSES: readonly number[] = [0, 502, 503, 504];

/**
 * A request that the server refused or did not answer. The message is the server's, for the person at the page; empty
 * where no server answered.
 */
export class ServerFailure extends Error {
  override readonly name = 'ServerFailure';
  /** The HTTP status; 0: there was no answer. */
  readonly status: number;
  /** Seconds after which to try again, as the server says. */
  readonly retryAfter: number | undefined;
  /** As `realm.unknown`, or `sign-in.refused/password` with the refused credentials; undefined: no server said it. */
  readonly code: string | undefined;

  constructor(
    message: string,
    facts: {
      readonly status: number;
      readonly retryAfter?: number | undefined;
      readonly code?: string | undefined;
    },
  ) {
    super(message);
    this.status = facts.status;
    this.retryAfter = facts.retryAfter;
    this.code = facts.code;
  }

  /** True if the person must first prove to be the one who signed in. */
  get needsConfirmation(): boolean {
    return this.code === 'confirmation.required';
  }

  /** True if the login has ended. */
  get isSignedOut(): boolean {
    return this.status === 401;
  }

  /** True if the same request may pass later: no answer, an overload or a start. */
  get isAway(): boolean {
    return AWAY_STATUSES.includes(this.status);
  }
}
