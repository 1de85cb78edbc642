import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { type ErrorPayloads, ServiceError } from '../kernel/errors.ts';
import { decodeHex } from './hex.ts';
import type { Issuer } from './issuer.ts';
import { hashLength, type OcraSuite } from './suite.ts';
import { hmac, textComparison } from './compute.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    /** The name of the missing parameter of the URL; the reason why an app refuses a code. */
    'qrtan-url.invalid': { readonly missing?: string; readonly fault?: QrTanFault };
  }
}

/**
 * The reason why an app refuses a text: what it is instead of a QR-TAN code, what is wrong with the code, or with its
 * sender.
 */
export type QrTanFault =
  | 'empty'
  /** `otpauth:` and `otpauth-migration:`: codes of apps for one-time passwords (TOTP, HOTP). */
  | 'otpauth'
  | 'otpauth-migration'
  | 'web-link'
  | 'other-text'
  /** The end of the code is missing. */
  | 'torn'
  /** Its kind is none of init, nonce and req. */
  | 'unknown-kind'
  /** Longer than any QR code, a repeated parameter, a broken encoding. */
  | 'malformed'
  | 'serial-missing'
  /** The second code of a roll-out whose first code was never read. */
  | 'serial-unknown'
  | 'secret-length'
  | 'callback-missing'
  /** Signed with the key of another activation code, or by another server. */
  | 'activation-signature'
  /** Signed with the key of no token of the app. */
  | 'signature';

/** Phase 1 of the roll-out: `lseqr://init`. Unsigned, as there is no key yet. */
interface InitUrl {
  readonly kind: 'init';
  /** sh */
  readonly sharedSecret: Uint8Array;
  /** os: the text of the OCRA suite. */
  readonly suite: string;
  /** se */
  readonly serial: string;
}

/** A challenge: `lseqr://req`. */
interface RequestUrl {
  readonly kind: 'req';
  /** me: the text that the app shows. */
  readonly message: string;
  /** u: the address to which the app sends the response. Empty where no policy names it. */
  readonly callbackUrl: string;
  /** ch */
  readonly question: string;
  /** tr */
  readonly transactionId: string;
}

/** Phase 2 of the roll-out, with its first challenge: `lseqr://nonce`. */
interface NonceUrl extends Omit<RequestUrl, 'kind' | 'message'> {
  readonly kind: 'nonce';
  readonly message: string | undefined;
  /** no */
  readonly nonce: Uint8Array;
  /** se */
  readonly serial: string;
  /** is and lo; left out where no policy names an issuer. */
  readonly issuer?: Issuer | undefined;
}

/** A URL that an app reads. `signature` (si) is only read here: `verifyQrTanSignature` takes the URL itself. */
export type QrTanUrl =
  | (Omit<InitUrl, 'serial'> & { readonly serial: string | undefined })
  | (RequestUrl & { readonly signature: string | undefined })
  | (Omit<NonceUrl, 'serial'> & {
      readonly serial: string | undefined;
      readonly signature: string | undefined;
    });

/** A URL of phase 1, as it was read. */
export type ReadInitUrl = Extract<QrTanUrl, { kind: 'init' }>;

/** A URL of a challenge, as it was read. */
export type ReadRequestUrl = Extract<QrTanUrl, { kind: 'req' }>;

/** A URL of phase 2, as it was read. */
export type ReadNonceUrl = Extract<QrTanUrl, { kind: 'nonce' }>;

/** @returns `lseqr://init?sh=&os=&se=` */
export function buildInitUrl({ sharedSecret, suite, serial }: Omit<InitUrl, 'kind'>): string {
  return build('init', [
    ['sh', bytesToHex(sharedSecret)],
    ['os', suite],
    ['se', serial],
  ]);
}

/** @returns `lseqr://req?me=&u=&ch=&tr=&si=`, signed with the token's key */
export function buildRequestUrl(suite: OcraSuite, key: Uint8Array, url: Omit<RequestUrl, 'kind'>): string {
  return signQrTanUrl(
    suite,
    key,
    build('req', [
      ['me', url.message],
      ['u', formEncode(url.callbackUrl)],
      ['ch', url.question],
      ['tr', url.transactionId],
    ]),
  );
}

/**
 * @returns `lseqr://nonce?me=&ch=&no=&tr=&u=&se=&si=`, signed with the token's key; without a message
 *   `lseqr://nonce?u=&ch=&tr=&se=&no=&si=`, LinOTP's order in that case. An issuer comes before the signature: `is=&lo=`
 */
export function buildNonceUrl(suite: OcraSuite, key: Uint8Array, url: Omit<NonceUrl, 'kind'>): string {
  const ch = ['ch', url.question] as const;
  const no = ['no', bytesToHex(url.nonce)] as const;
  const tr = ['tr', url.transactionId] as const;
  const u = ['u', formEncode(url.callbackUrl)] as const;
  const se = ['se', url.serial] as const;
  const parameters =
    url.message === undefined ? [u, ch, tr, se, no] : [['me', url.message] as const, ch, no, tr, u, se];
  const issuer = url.issuer === undefined ? [] : [['is', url.issuer.name] as const];
  const logo = (url.issuer?.logo ?? '') === '' ? [] : [['lo', url.issuer?.logo ?? ''] as const];
  return signQrTanUrl(suite, key, build('nonce', [...parameters, ...issuer, ...logo]));
}

function build(kind: QrTanUrl['kind'], parameters: readonly (readonly [string, string])[]): string {
  return `lseqr://${kind}?${parameters.map(([name, value]) => `${name}=${formEncode(value)}`).join('&')}`;
}

/**
 * Reads a URL as an app does. Parameters may stand in any order, unknown ones are ignored, and a signature may be
 * missing; `verifyQrTanSignature` checks it.
 * @throws ServiceError 'qrtan-url.invalid', naming the parameter but not its value
 */
export function parseQrTanUrl(text: string): QrTanUrl {
  const [, kind, query] = /^lseqr:\/\/([a-z]+)\?(.*)$/s.exec(text) ?? [];
  if (kind === undefined || query === undefined) {
    throw invalid('it must begin with lseqr://init?, lseqr://req? or lseqr://nonce?');
  }
  const parameters = parseParameters(query);
  switch (kind) {
    case 'init':
      return {
        kind,
        sharedSecret: requiredBytes(parameters, 'sh'),
        suite: required(parameters, 'os'),
        serial: parameters.get('se'),
      };
    case 'req':
      return { kind, message: parameters.get('me') ?? '', ...parseChallenge(parameters) };
    case 'nonce':
      return {
        kind,
        message: parameters.get('me'),
        ...parseChallenge(parameters),
        nonce: requiredBytes(parameters, 'no'),
        serial: parameters.get('se'),
        ...parseIssuer(parameters),
      };
    default:
      throw invalid('its kind must be init, req or nonce');
  }
}

type Parameters = ReadonlyMap<string, string>;

function parseParameters(query: string): Parameters {
  const parameters = new Map<string, string>();
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=');
    if (equals < 1) {
      throw invalid('each of its parameters needs a name and a value, as in ch=12345678');
    }
    const name = pair.slice(0, equals);
    if (parameters.has(name)) {
      throw invalid(`the parameter ${quoted(name)} is given twice`);
    }
    parameters.set(name, decode(name, pair.slice(equals + 1)));
  }
  return parameters;
}

function parseChallenge(parameters: Parameters): Omit<RequestUrl, 'kind' | 'message'> & {
  readonly signature: string | undefined;
} {
  return {
    callbackUrl: decode('u', parameters.get('u') ?? ''),
    question: required(parameters, 'ch'),
    transactionId: required(parameters, 'tr'),
    signature: parameters.get('si'),
  };
}

function parseIssuer(parameters: Parameters): Pick<NonceUrl, 'issuer'> {
  const name = parameters.get('is');
  return name === undefined ? {} : { issuer: { name, logo: parameters.get('lo') ?? '' } };
}

function decode(name: string, encoded: string): string {
  const decoded = formDecode(encoded);
  if (decoded === undefined) {
    throw invalid(`the parameter ${quoted(name)} is not encoded as UTF-8 for a form`);
  }
  return decoded;
}

function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined || value === '') {
    throw invalid(`the parameter ${quoted(name)} is missing`, { missing: name });
  }
  return value;
}

function requiredBytes(parameters: Parameters, name: string): Uint8Array {
  const bytes = decodeHex(required(parameters, name));
  if (bytes === undefined) {
    throw invalid(`the parameter ${quoted(name)} must be hexadecimal digits, an even number of them`);
  }
  return bytes;
}

function quoted(name: string): string {
  return `'${name.slice(0, 20)}'`;
}

function invalid(what: string, payload: ErrorPayloads['qrtan-url.invalid'] = {}): ServiceError {
  return new ServiceError('qrtan-url.invalid', `Not a QR-TAN URL: ${what}.`, payload);
}

const SIGNATURE_PARAMETER = '&si=';

/**
 * Signs data for an app.
 * @returns the HMAC with the suite's hash and the token's key, in lower-case hexadecimal
 */
export function qrTanSignature(suite: OcraSuite, key: Uint8Array, data: string | Uint8Array): string {
  return bytesToHex(hmac(suite.hash, key, typeof data === 'string' ? utf8ToBytes(data) : data));
}

/** @returns the URL with its signature as last parameter, `si`: over the text before `&si=` */
export function signQrTanUrl(suite: OcraSuite, key: Uint8Array, unsignedUrl: string): string {
  return unsignedUrl + SIGNATURE_PARAMETER + qrTanSignature(suite, key, unsignedUrl);
}

/** @returns true if the URL ends in its correct signature, and has no other; compared in constant time */
export function verifyQrTanSignature(suite: OcraSuite, key: Uint8Array, url: string): boolean {
  const end = url.indexOf(SIGNATURE_PARAMETER);
  if (end === -1) {
    return false;
  }
  const signature = url.slice(end + SIGNATURE_PARAMETER.length);
  const isEqual = textComparison(signature.toLowerCase(), 2 * hashLength(suite.hash));
  return isEqual(qrTanSignature(suite, key, url.slice(0, end)));
}

/**
 * Encodes text for a form (application/x-www-form-urlencoded) in UTF-8: a blank becomes `+`, and all but letters,
 * digits and `_.-` is escaped. Apps compute signatures over this exact text, so `~` and `*`, which other encoders keep,
 * are escaped too.
 */
export function formEncode(text: string): string {
  // As a decoder of UTF-8 reads it: without a byte order mark; for half a surrogate pair encodeURIComponent would throw.
  return encodeURIComponent(text.replace(/^\u{FEFF}/u, '').replace(/\p{Surrogate}/gu, '\u{FFFD}'))
    .replace(/[!~*'()]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

/** @returns the text, or undefined where the escapes are broken or are not UTF-8 */
export function formDecode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
