import type { Sealed } from '../keys/vault.ts';
import type { Owner, OwnerId } from '../users/user.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Grant } from '../policy/access-control.ts';
import { readOtpAlgorithm } from '../ocra/otp.ts';

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
    /** It was reported lost, and nobody says that it was found again. */
    'token.lost': NoPayload;
    /** It is not the token that the caller has read: somebody has changed it since then. */
    'token.changed': NoPayload;
    /** It would change the key or the PIN of a token with which an administrator signs in, or remove it. */
    'token.second-factor': NoPayload;
  }
}

/**
 * The phase of a QR-TAN token's roll-out: `phase1` the shared secret is issued, `phase2` the nonce is issued and the
 * first response is awaited, `complete` ready (plain tokens always are). One of TOTP that its owner enrols is in `phase1`
 * until its first response.
 */
export type Rollout = 'phase1' | 'phase2' | 'complete';

/** The time window of a TOTP token without one of its own, in seconds: LinOTP's. */
export const TOTP_TIME_WINDOW = 300;

/** The largest counter of the database. */
export const MAX_STORED_COUNTER = 2n ** 63n - 1n;

/** The secrets of a token, each sealed. */
export interface TokenSecrets {
  /** The OCRA key; null in `phase1`, where the token computes with the shared secret. */
  readonly seed: Sealed | null;
  /** The shared secret of roll-out phase 1, until the roll-out is complete. */
  readonly sharedSecret: Sealed | null;
  /** The nonce of roll-out phase 2, until the roll-out is complete. */
  readonly nonce: Sealed | null;
  /** The verifier of the token PIN (see `pinVerifier`); null: there is none, an empty one matches. */
  readonly pin: Sealed | null;
  /** The OCRA PIN in clear, for suites with P (RFC 6287 §6.3); null: empty. */
  readonly ocraPin: Sealed | null;
}

/** The fields of a token except its identity, its owner and its realms. */
interface TokenState {
  /** Lower-case: `ocra`, `ocra2`, `hmac`, `totp`, `pw`, `spass`; others are counted and administered, not checked. */
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
  /** The maximum deviation of a TOTP token's clock, in seconds; null: 300. Of OCRA tokens a setting says it. */
  readonly timeWindow?: number | null;
  /** An OCRA suite, or HOTP or TOTP as `otpAlgorithmText` writes it; null: neither. */
  readonly algorithm: string | null;
  readonly rollout: Rollout;
  /**
   * Markers of the responses accepted last (see `challenges/accepted-position.ts`), so that none is accepted again for
   * another transaction with the same question while its counter or time step is still within the window.
   */
  readonly replayMarkers: readonly string[];
  readonly secrets: TokenSecrets;
  /** True where its owner began the enrolment, at the account page. Default: false. */
  readonly selfEnrolled?: boolean;
}

export interface Token extends TokenState {
  readonly id: string;
  /** Another one after each write of the token, and of one of its challenges. */
  readonly version: string;
  /** Raised by one by each change by people. */
  readonly revision: string;
  /** Who has raised the revision last; empty: nobody. */
  readonly changedBy: string;
  /** When its device was reported lost; null: it was not, or was found again. It is then switched off. */
  readonly lostAt: Date | null;
  readonly lostBy: string | null;
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
   * automatic resynchronisation; of HOTP and TOTP with the second at which its time ends (`…@1795843593`). null: none.
   */
  readonly syncMarker: string | null;
}

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
  /**
   * True where the device is lost: its finder must not answer open challenges, also not once it is enabled again. False
   * where it was found again.
   */
  readonly isLost?: boolean;
  /** True where the caller may weaken a token with which an administrator signs in, see `weakensFactor`. */
  readonly mayChangeFactor?: boolean;
  readonly owner?: Owner | null;
  readonly realms?: readonly string[];
}

/** @returns true if somebody else could then answer for the token: by key, PIN or owner, or by guesses that are lifted */
export function weakensFactor(change: TokenChange): boolean {
  const { secrets, algorithm, owner, failCount, maxFail, counterWindow, syncWindow, timeWindow } = change;
  const weakening = [secrets, algorithm, owner, failCount, maxFail, counterWindow, syncWindow, timeWindow];
  return weakening.some((value) => value !== undefined);
}

/** What weakens a token with which an administrator signs in is not for all who may change tokens. */
export function assertNoFactor(
  { serial, isSecondFactor }: Pick<Token, 'serial' | 'isSecondFactor'>,
  mayChange: boolean | undefined,
): void {
  if (isSecondFactor && mayChange !== true) {
    throw new ServiceError(
      'token.second-factor',
      `An administrator signs in with the token '${serial}': its key, PIN, owner and limits are changed with system:write`,
    );
  }
}

/**
 * Decides on a token while it is locked; what was read before the lock may be out of date.
 * @returns a further change
 * @throws an error that prevents the whole change
 */
export type LockedDecision = (token: Token) => TokenStateChange & Pick<TokenChange, 'isLost'>;

/** A serial is `given` if a client chose it, `generated` if this server has made it at random. */
export type SerialOrigin = 'given' | 'generated';

export const OCRA_TYPES: readonly string[] = ['ocra', 'ocra2'];

export function isOcraToken(token: Pick<Token, 'type'>): boolean {
  return OCRA_TYPES.includes(token.type);
}

/** @returns true for a token of HOTP or TOTP that has what it is checked with */
export function isOtpToken({
  type,
  algorithm,
  secrets,
}: Pick<Token, 'type' | 'algorithm' | 'secrets'>): boolean {
  const isOtp = type === 'hmac' || type === 'totp';
  return isOtp && secrets.seed !== null && readOtpAlgorithm(algorithm) !== undefined;
}

/**
 * @returns true for a token of TOTP whose owner has begun to enrol it, and not given its first response yet: its key is
 *   still the shared secret of phase 1, with which it is checked nowhere else. A lost one is never proven
 */
export function isUnproven({
  type,
  rollout,
  selfEnrolled,
  lostAt,
}: Pick<Token, 'type' | 'rollout' | 'selfEnrolled' | 'lostAt'>): boolean {
  return type === 'totp' && rollout === 'phase1' && selfEnrolled === true && lostAt === null;
}

/**
 * @returns true for a token that gives responses without a challenge, and has what they are checked with: HOTP, TOTP, a
 *   fixed text (pw), the PIN alone (spass)
 */
export function isPassToken(token: Pick<Token, 'type' | 'algorithm' | 'secrets'>): boolean {
  const { type, secrets } = token;
  return isOtpToken(token) || type === 'spass' || (type === 'pw' && secrets.seed !== null);
}

const HASHED_TEXT = /^CRYPT-(\d+)$/;

/**
 * @param length of the text in characters
 * @returns what stands for an algorithm where a pw token has a SHA-crypt hash for its text
 */
export function hashedTextForm(length: number): string {
  return `CRYPT-${length}`;
}

/** @returns the length of the text of which a pw token has a SHA-crypt hash; undefined: it has the text itself */
export function hashedTextLength({ type, algorithm }: Pick<Token, 'type' | 'algorithm'>): number | undefined {
  const [, length] = type === 'pw' ? (HASHED_TEXT.exec(algorithm ?? '') ?? []) : [];
  return length === undefined ? undefined : Number(length);
}

/** @returns true for a token that may sign people in beside a password: a fixed text and a PIN alone are passwords, too */
export function isFactorToken(token: Pick<Token, 'type' | 'algorithm' | 'secrets'>): boolean {
  return isOcraToken(token) || isOtpToken(token);
}

/** @returns true if too many wrong responses have locked the token */
export function isLocked(token: Pick<Token, 'failCount' | 'maxFail'>): boolean {
  return token.failCount >= token.maxFail;
}

/**
 * The later half of the wrong responses that lock a token is for what it was given out for: who knows the password of
 * its owner could otherwise lock it by sign-ins. That of an administrator's second factor was given out for them.
 * @returns true if challenges of sign-ins take no response of the token, until another one is right or it is reset
 */
export function isReserved({
  failCount,
  maxFail,
  isSecondFactor,
}: Pick<Token, 'failCount' | 'maxFail' | 'isSecondFactor'>): boolean {
  return !isSecondFactor && failCount >= Math.floor(maxFail / 2);
}

/** @returns true if a token can have this serial: printable ASCII, 1 to 64 characters, no blank, no asterisk */
export function isSerial(text: string): boolean {
  return /^[\x21-\x29\x2b-\x7e]{1,64}$/.test(text);
}

/** @throws ServiceError 'parameter.invalid' for a serial that people cannot type or distinguish */
export function assertSerial(serial: string): void {
  if (!isSerial(serial)) {
    throw new ServiceError(
      'parameter.invalid',
      'A serial has 1 to 64 printable ASCII characters, no blank and no *',
      { parameter: 'serial' },
    );
  }
}

/** @returns the value, a whole number from 1 to `most`. @throws ServiceError 'parameter.invalid' */
export function wholeWithin(value: number, what: string, most: number): number {
  if (!Number.isSafeInteger(value) || value < 1 || value > most) {
    throw new ServiceError('parameter.invalid', `The ${what} must be a whole number from 1 to ${most}`);
  }
  return value;
}

/** A token without its secrets. */
export interface DescribedToken extends Omit<
  Token,
  'version' | 'changedBy' | 'secrets' | 'replayMarkers' | 'syncMarker' | 'isSecondFactor'
> {
  /** True if there is a token PIN. */
  readonly hasPin: boolean;
}

/** The state of a token, or the first reason for which it takes no responses. */
export type TokenCondition = 'active' | 'lost' | 'disabled' | 'locked' | 'phase1' | 'phase2' | UseBound;

/** @returns the state of the token; a loss comes first, then an unfinished roll-out, the lock, being switched off */
export function conditionOf(
  token: Pick<Token, 'lostAt' | 'rollout' | 'active' | 'failCount' | 'maxFail' | 'use'>,
  now: Date,
): TokenCondition {
  if (token.lostAt !== null) {
    return 'lost';
  }
  if (token.rollout !== 'complete') {
    return token.rollout;
  }
  if (isLocked(token)) {
    return 'locked';
  }
  return token.active ? (boundOf(token.use, now) ?? 'active') : 'disabled';
}

/**
 * Lists each public field, so that a field that is added to tokens later stays private.
 * @returns the token without its secrets, not even sealed
 */
export function describeToken(token: Token): DescribedToken {
  return {
    id: token.id,
    serial: token.serial,
    type: token.type,
    description: token.description,
    owner: token.owner,
    realms: token.realms,
    active: token.active,
    failCount: token.failCount,
    maxFail: token.maxFail,
    counter: token.counter,
    counterWindow: token.counterWindow,
    syncWindow: token.syncWindow,
    timeShift: token.timeShift,
    timeWindow: token.timeWindow ?? null,
    algorithm: token.algorithm,
    rollout: token.rollout,
    hasPin: token.secrets.pin !== null,
    use: token.use,
    createdAt: token.createdAt,
    lastSuccessAt: token.lastSuccessAt,
    selfEnrolled: token.selfEnrolled === true,
    revision: token.revision,
    lostAt: token.lostAt,
    lostBy: token.lostBy,
  };
}

export function isOwnedBy({ owner }: Pick<Token, 'owner'>, { resolverId, userId }: OwnerId): boolean {
  return owner?.resolverId === resolverId && owner.userId === userId;
}

/** @throws ServiceError 'token.lost' */
export function assertNotLost({ serial, lostAt, lostBy }: Pick<Token, 'serial' | 'lostAt' | 'lostBy'>): void {
  if (lostAt !== null) {
    throw new ServiceError(
      'token.lost',
      `The token '${serial}' was reported lost on ${lostAt.toISOString()} by ${lostBy ?? ''}: it is only enabled with 'found_again'`,
    );
  }
}

/**
 * Keeps a change from a token that is not the one that was read.
 * @param revision that was read; undefined: any
 * @throws ServiceError 'token.changed'
 */
export function assertTokenUnchanged(
  token: Pick<Token, 'serial' | 'revision' | 'changedBy'>,
  revision: string | undefined,
): void {
  if (revision !== undefined && token.revision !== revision) {
    throw new ServiceError(
      'token.changed',
      `The token '${token.serial}' was changed by ${token.changedBy} meanwhile; nothing was changed now`,
    );
  }
}

/** @returns the refusal of a serial that no token has, or none that the caller may see */
export function unknownSerial(serial: string): ServiceError {
  return new ServiceError('token.unknown', `No token found with the serial '${serial.slice(0, 64)}'`);
}

/** @returns true if one of the token's realms is granted; a token in no realm needs a grant for all */
export function isVisible(token: Pick<Token, 'realms'>, { realms: allowed }: Grant): boolean {
  return allowed === 'all' || token.realms.some((name) => allowed.includes(name));
}

/**
 * Portals ask tokens in no realm, too, under policies that name realms, as recorded of LinOTP 2.12.6.
 * @returns true if a grant of the scope ocra covers the token: one of its realms is granted, or it has none
 */
export function isCovered(token: Pick<Token, 'realms'>, grant: Grant): boolean {
  return token.realms.length === 0 || isVisible(token, grant);
}

/** @returns the realms of the token that a grant does not cover, and that it must not change */
export function foreignRealms(
  { realms }: Pick<Token, 'realms'>,
  { realms: allowed }: Grant,
): readonly string[] {
  return allowed === 'all' ? [] : realms.filter((name) => !allowed.includes(name));
}

/** The period in which a token is valid, and how often it may be used. */
export interface TokenUse {
  /** null: from the beginning. */
  readonly validFrom: Date | null;
  /** The first instant at which it is no longer valid; null: none. */
  readonly validUntil: Date | null;
  /** Responses, right and wrong, counted while a maximum is set. */
  readonly useCount: number;
  /** null: any number. */
  readonly maxUses: number | null;
  /** Accepted responses, counted while a maximum is set. */
  readonly successCount: number;
  readonly maxSuccesses: number | null;
}

/** The use of a new token: no bounds. */
export const UNBOUND_USE: TokenUse = {
  validFrom: null,
  validUntil: null,
  useCount: 0,
  maxUses: null,
  successCount: 0,
  maxSuccesses: null,
};

/** The largest value of the columns. */
export const MAX_USES = 2 ** 31 - 1;

/** @returns true if the token takes responses at `now`: it is switched on, in its period, and below its counts */
export function isUsable(
  { active, use }: { readonly active: boolean; readonly use: TokenUse },
  now: Date,
): boolean {
  return active && boundOf(use, now) === undefined;
}

/** Why a token takes no responses: before its period, after it, or with a count at its maximum. */
type UseBound = 'early' | 'expired' | 'used-up';

/** @returns what keeps the token from taking responses at `now`; undefined: neither its period nor a count does */
function boundOf(use: TokenUse, now: Date): UseBound | undefined {
  if (use.validUntil !== null && now >= use.validUntil) {
    return 'expired';
  }
  const isUsedUp =
    (use.maxUses !== null && use.useCount >= use.maxUses) ||
    (use.maxSuccesses !== null && use.successCount >= use.maxSuccesses);
  if (isUsedUp) {
    return 'used-up';
  }
  return use.validFrom !== null && now < use.validFrom ? 'early' : undefined;
}

/** @returns milliseconds since 1970; 0 for a token that was never used */
export function lastUse({ lastSuccessAt }: Pick<Token, 'lastSuccessAt'>): number {
  return lastSuccessAt?.getTime() ?? 0;
}

/** @returns the counts after a response; empty while no maximum is set */
export function countedUse(
  { useCount, maxUses, successCount, maxSuccesses }: TokenUse,
  isAccepted: boolean,
): { readonly use?: Partial<TokenUse> } {
  if (maxUses === null && maxSuccesses === null) {
    return {};
  }
  return {
    use: {
      useCount: Math.min(useCount + 1, MAX_USES),
      successCount: Math.min(successCount + (isAccepted ? 1 : 0), MAX_USES),
    },
  };
}
