import type { Sealed } from '../keys/vault.ts';
import type { Owner } from '../users/user.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { TokenUse } from './token-use.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    /** The login of the user who has no such token; absent if the token was named by its serial. */
    'token.unknown': { readonly login?: string };
    'token.exists': NoPayload;
    /** The login of the user who has several such tokens, and their serials. */
    'token.ambiguous': { readonly login: string; readonly serials: readonly string[] };
    'token.not-ocra': NoPayload;
    'token.not-ready': NoPayload;
    'token.state': NoPayload;
  }
}

/**
 * The phase of a QR-TAN token's roll-out: `phase1` the shared secret is issued, `phase2` the nonce is issued and the
 * first response is awaited, `complete` ready (plain tokens always are).
 */
export type Rollout = 'phase1' | 'phase2' | 'complete';

/** The largest counter of the database. */
export const MAX_STORED_COUNTER = 2n ** 63n - 1n;

/** The secrets of a token, each sealed. */
export interface TokenSecrets {
  /** The OCRA key; in `phase1` the shared secret itself. */
  readonly seed: Sealed | null;
  /** The shared secret of roll-out phase 1, until the roll-out is complete. */
  readonly sharedSecret: Sealed | null;
  /** The nonce of roll-out phase 2, until the roll-out is complete. */
  readonly nonce: Sealed | null;
  /** The verifier of the token PIN (see `pin.ts`); null: there is none, an empty one matches. */
  readonly pin: Sealed | null;
  /** The OCRA PIN in clear, for suites with P (RFC 6287 §6.3); null: empty. */
  readonly ocraPin: Sealed | null;
}

/** The fields of a token except its identity, its owner and its realms. */
interface TokenState {
  /** Lower-case: `ocra`, `ocra2`, `hmac`, … Only the first two are served; others are counted and administered. */
  readonly type: string;
  readonly description: string;
  readonly active: boolean;
  readonly failCount: number;
  /** Locked when `failCount >= maxFail`. */
  readonly maxFail: number;
  /** The next counter expected (RFC 6287 C); for time suites the second after the last matched step's beginning. */
  readonly counter: bigint;
  readonly counterWindow: number;
  readonly syncWindow: number;
  /** Seconds that the device's clock is ahead of the server's. */
  readonly timeShift: number;
  readonly ocraSuite: string | null;
  readonly rollout: Rollout;
  /**
   * Markers of the responses accepted last (see `challenges/accepted-position.ts`), so that none is accepted again for
   * another transaction with the same question while its counter or time step is still within the window.
   */
  readonly replayMarkers: readonly string[];
  readonly secrets: TokenSecrets;
}

/** A token as it is stored. */
export interface Token extends TokenState {
  readonly id: string;
  /** Another one after each write of the token, and of one of its challenges. */
  readonly version: string;
  /** Unique, also without regard to case; case is kept. */
  readonly serial: string;
  readonly owner: Owner | null;
  /** Names of the token's realms, sorted; empty: in no realm. */
  readonly realms: readonly string[];
  /** True if an administrator signs in with it. */
  readonly isSecondFactor: boolean;
  readonly use: TokenUse;
  readonly createdAt: Date;
  readonly lastSuccessAt: Date | null;
  /**
   * The marker (as in `replayMarkers`) of the last response that was right but too far ahead: the first half of an
   * automatic resynchronisation. null: there is none.
   */
  readonly syncMarker: string | null;
}

/** A token to insert; the other fields have defaults in the database. */
export interface NewToken extends TokenState {
  readonly serial: string;
  readonly owner: Owner | null;
  readonly realms: readonly string[];
  /** Default: no bounds. */
  readonly use?: Partial<TokenUse>;
}

/** A change by a response; an absent field stays as it is. */
export interface TokenStateChange extends Partial<Omit<TokenState, 'secrets' | 'type'>> {
  readonly lastSuccessAt?: Date;
  readonly syncMarker?: string | null;
  readonly secrets?: Partial<TokenSecrets>;
  readonly use?: Partial<TokenUse>;
}

/** A change of a token; an absent field stays as it is. */
export interface TokenChange extends TokenStateChange {
  /** True where the device is lost: its finder must not answer open challenges, also not once it is enabled again. */
  readonly isLost?: true;
  readonly owner?: Owner | null;
  readonly realms?: readonly string[];
}

/**
 * Decides on a token while it is locked; what was read before the lock may be out of date.
 * @returns a further change
 * @throws an error that prevents the whole change
 */
export type LockedDecision = (token: Token) => TokenStateChange;

/** A serial is `given` if a client chose it, `generated` if this server has made it at random. */
export type SerialOrigin = 'given' | 'generated';

/** The types of tokens that answer OCRA challenges. */
export const OCRA_TYPES: readonly string[] = ['ocra', 'ocra2'];

/** @returns true if the token is of a type that answers OCRA challenges */
export function isOcraToken(token: Pick<Token, 'type'>): boolean {
  return OCRA_TYPES.includes(token.type);
}

/** @returns true if too many wrong responses have locked the token */
export function isLocked(token: Pick<Token, 'failCount' | 'maxFail'>): boolean {
  return token.failCount >= token.maxFail;
}

/** @returns true if a token can have this serial: printable ASCII, 1 to 64 characters, no blank, no asterisk */
export function isSerial(text: string): boolean {
  return /^[\x21-\x29\x2b-\x7e]{1,64}$/.test(text);
}

/** @returns the value, a whole number from 1 to `most`. @throws ServiceError 'parameter.invalid' */
export function wholeWithin(value: number, what: string, most: number): number {
  if (!Number.isSafeInteger(value) || value < 1 || value > most) {
    throw new ServiceError('parameter.invalid', `The ${what} must be a whole number from 1 to ${most}`);
  }
  return value;
}
