import { ServiceError } from '../kernel/errors.ts';
import { safeText } from '../kernel/text.ts';
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type * as Jose from 'jose';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'licence.invalid': NoPayload;
    'licence.unknown': NoPayload;
  }
}

/** The unit of a licence: users who own at least one active token, or active tokens, assigned or not. */
type LicenceUnit = 'user' | 'token';

/** The grant of a vendor, as signed. */
export interface Licence {
  /** Every claim as it was signed, in its order. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
  readonly unit: LicenceUnit;
  /** Licensed number of units. */
  readonly licensed: number;
  /** The first instant at which it is valid; undefined: at once. */
  readonly startsAt: Date | undefined;
  /** The first instant at which it is no longer valid. */
  readonly endsAt: Date;
}

const TOLERATED_EXCESS = 2;
const MAX_CLAIMS = 64;
const MAX_TEXT_LENGTH = 1000;
const DAY = 24 * 60 * 60 * 1000;
/** The end of the year 9999: ISO 8601 writes later years with more digits. */
const LAST_SECOND = 253_402_300_799;

type Claims = Readonly<Record<string, unknown>>;

/**
 * Reads the signed claims: texts, numbers and booleans under any names, among them exactly one of `user-num` and
 * `token-num` (a whole number from 1), and the end: `expire`, a date that includes its whole day in UTC, or `exp`, in
 * seconds (RFC 7519 §4.1.4), or both, of which the earlier applies. `nbf` (§4.1.5) is the start.
 * @throws ServiceError 'licence.invalid' that names the fault
 */
export function readLicence(signed: unknown): Licence {
  if (typeof signed !== 'object' || signed === null || Array.isArray(signed)) {
    throw invalid('what is signed is not a JSON object');
  }
  const claims = signed as Claims;
  const meaning = { ...volumeOf(claims), startsAt: instantOf(claims, 'nbf'), endsAt: endOf(claims) };
  return { ...meaning, fields: fieldsOf(claims) };
}

/** @returns true if there are more than the licence permits, the grace of two included */
export function exceeds(active: number, { licensed }: Pick<Licence, 'licensed'>): boolean {
  return active > licensed + TOLERATED_EXCESS;
}

/** @returns the last day of validity, in UTC: `2018-11-19` */
export function lastDayOf({ endsAt }: Pick<Licence, 'endsAt'>): string {
  return new Date(endsAt.getTime() - 1).toISOString().slice(0, 10);
}

/** @returns the licensed number and unit: `4 users`, `1 token` */
export function volumeText({ licensed, unit }: Pick<Licence, 'licensed' | 'unit'>): string {
  return `${licensed} ${unit}${licensed === 1 ? '' : 's'}`;
}

function fieldsOf(claims: Claims): Licence['fields'] {
  const entries = Object.entries(claims);
  if (entries.length > MAX_CLAIMS) {
    throw invalid(`it has more than ${MAX_CLAIMS} claims`);
  }
  const fields = entries.map(([name, value]): [string, string | number | boolean] => {
    if (!isFieldValue(value) || name.length > MAX_TEXT_LENGTH) {
      throw invalid(
        `its claim '${safeText(name.slice(0, 100))}' is no text, number or boolean of a sane size`,
      );
    }
    return [name, value];
  });
  return Object.fromEntries(fields);
}

/** Rejects larger numbers, which would lose digits (a serial number of 17 digits) or be no number at all. */
function isFieldValue(value: unknown): value is string | number | boolean {
  return typeof value === 'string'
    ? value.length <= MAX_TEXT_LENGTH
    : typeof value === 'boolean' || (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER);
}

function volumeOf(claims: Claims): Pick<Licence, 'unit' | 'licensed'> {
  const units = (['user', 'token'] as const).filter((unit) => `${unit}-num` in claims);
  const [unit, other] = units;
  if (unit === undefined || other !== undefined) {
    throw invalid("it needs exactly one of the claims 'user-num' and 'token-num'");
  }
  const licensed = claims[`${unit}-num`];
  if (typeof licensed !== 'number' || !Number.isSafeInteger(licensed) || licensed < 1) {
    throw invalid(`its claim '${unit}-num' is no whole number from 1`);
  }
  return { unit, licensed };
}

function endOf(claims: Claims): Date {
  const ends = [endOfDay(claims), instantOf(claims, 'exp')].flatMap((end) => end?.getTime() ?? []);
  if (ends.length === 0) {
    throw invalid("it does not say when it ends: the claim 'expire' is missing, a date such as '2027-12-31'");
  }
  return new Date(Math.min(...ends));
}

function endOfDay({ expire }: Claims): Date | undefined {
  if (expire === undefined) {
    return undefined;
  }
  const day = typeof expire === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(expire) ? new Date(expire) : undefined;
  // JavaScript reads 30 February as 2 March.
  if (day === undefined || Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== expire) {
    throw invalid("its claim 'expire' is no date such as '2027-12-31'");
  }
  return new Date(day.getTime() + DAY);
}

function instantOf(claims: Claims, name: 'exp' | 'nbf'): Date | undefined {
  const seconds = claims[name];
  if (seconds === undefined) {
    return undefined;
  }
  if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= LAST_SECOND)) {
    throw invalid(`its claim '${name}' is no number of seconds since 1970`);
  }
  return new Date(seconds * 1000);
}

function invalid(reason: string): ServiceError {
  return new ServiceError('licence.invalid', reason);
}

/**
 * The only accepted algorithms, one for each kind of key. `none` and those with a shared secret are refused (RFC 8725
 * §3.1).
 */
type Algorithm = 'EdDSA' | 'RS256';

const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]*$/;
const MIN_MODULUS_BITS = 2048;
const ALLOWED = `an Ed25519 key, or an RSA key of ${MIN_MODULUS_BITS} bits or more`;

/** The result of a check of a licence's signature. The texts name the fault, for operators. */
type SignedLicence =
  | { readonly kind: 'verified'; readonly claims: unknown }
  | { readonly kind: 'unverified'; readonly why: string }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Licences as JSON Web Signatures in compact form (RFC 7515 §7.1), signed with EdDSA (RFC 8037) or RS256. A key that the licence itself names is ignored. */
export class LicenceSignature {
  readonly #key: KeyObject;
  readonly #algorithm: Algorithm;

  /**
   * @param publicKey PEM (`BEGIN PUBLIC KEY`, RFC 7468 §13) or a JWK (RFC 7517)
   * @throws ServiceError 'configuration.invalid' for any other text, in particular a private key
   */
  constructor({ publicKey }: { readonly publicKey: string }) {
    this.#key = readPublicKey(publicKey);
    this.#algorithm = algorithmOf(this.#key);
  }

  async read(text: string): Promise<SignedLicence> {
    // Loaded at the first use, as it takes long.
    const jose = await import('jose');
    const header = COMPACT.test(text) ? headerOf(text, jose) : undefined;
    if (header === undefined) {
      return { kind: 'unreadable', why: 'it is no JWS in compact form' };
    }
    const { alg } = header;
    if (alg !== this.#algorithm) {
      const named = typeof alg === 'string' ? `'${safeText(alg.slice(0, 20))}'` : 'none';
      return unverified(
        `its algorithm is ${named}, and the key of LICENCE_PUBLIC_KEY_FILE takes ${this.#algorithm}`,
      );
    }
    // A critical extension (RFC 7515 §4.1.11) changes the meaning of a signature; none is supported.
    if ('crit' in header) {
      return unverified("its header has 'crit'");
    }
    return this.#verify(text, jose);
  }

  async #verify(text: string, { compactVerify, errors }: typeof Jose): Promise<SignedLicence> {
    let payload: Uint8Array;
    try {
      ({ payload } = await compactVerify(text, this.#key, { algorithms: [this.#algorithm] }));
    } catch (error) {
      if (error instanceof errors.JOSEError) {
        return unverified('it is not signed with the key of LICENCE_PUBLIC_KEY_FILE');
      }
      throw error;
    }
    try {
      const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
      return { kind: 'verified', claims };
    } catch {
      return { kind: 'unreadable', why: 'what is signed is not JSON' };
    }
  }
}

function headerOf(
  text: string,
  { decodeProtectedHeader }: typeof Jose,
): Readonly<Record<string, unknown>> | undefined {
  try {
    return { ...decodeProtectedHeader(text) };
  } catch {
    return undefined;
  }
}

function unverified(why: string): SignedLicence {
  return { kind: 'unverified', why };
}

function readPublicKey(text: string): KeyObject {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) {
    return readJwk(trimmed);
  }
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(trimmed)) {
    throw privateKey();
  }
  if (!trimmed.startsWith('-----BEGIN PUBLIC KEY-----')) {
    throw unusable('is neither PEM with BEGIN PUBLIC KEY nor a JWK');
  }
  try {
    return createPublicKey(trimmed);
  } catch (cause) {
    throw unusable('holds no key that can be read', cause);
  }
}

function readJwk(text: string): KeyObject {
  let jwk: JsonWebKey;
  try {
    jwk = JSON.parse(text) as JsonWebKey;
  } catch {
    throw unusable('is not JSON');
  }
  if ('d' in jwk || 'k' in jwk) {
    throw privateKey();
  }
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch (cause) {
    throw unusable('holds no public key that can be read', cause);
  }
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): Algorithm {
  if (asymmetricKeyType === 'ed25519') {
    return 'EdDSA';
  }
  if (asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_MODULUS_BITS) {
    return 'RS256';
  }
  throw unusable(`holds another key than is allowed: ${ALLOWED}`);
}

function privateKey(): ServiceError {
  return unusable('holds a secret key, which can sign licences. Only the public key belongs here');
}

function unusable(reason: string, cause?: unknown): ServiceError {
  return new ServiceError('configuration.invalid', `The file of LICENCE_PUBLIC_KEY_FILE ${reason}.`, {
    cause,
  });
}
