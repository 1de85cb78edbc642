import { isServiceError, ServiceError } from '../../kernel/errors.ts';
import { bytesFromHex } from '../../ocra/hex.ts';
import { OTP_DIGITS, OTP_TIME_STEPS, type OtpAlgorithm } from '../../ocra/otp.ts';
import { type HashName, isHashName, parseOcraSuite } from '../../ocra/suite.ts';
import { OCRA_TYPES } from '../../tokens/token.ts';

export interface EnrolmentRequest {
  /** `ocra`, `ocra2`, `hmac` (default), `totp`, `pw`, `spass`. */
  readonly type?: string | undefined;
  readonly serial?: string | undefined;
  readonly user?: string | undefined;
  readonly realm?: string | undefined;
  /** `1`: the server makes the key. */
  readonly genkey?: string | undefined;
  /** The key or shared secret, hexadecimal; the text of a token of the type pw. */
  readonly otpkey?: string | undefined;
  /** `1`: roll-out phase 1. */
  readonly sharedsecret?: string | undefined;
  /** Roll-out phase 2. */
  readonly activationcode?: string | undefined;
  /** The display data of the first challenge, in phase 2. */
  readonly message?: string | undefined;
  readonly ocrasuite?: string | undefined;
  /** Digits of HOTP and TOTP. */
  readonly otplen?: string | undefined;
  /** The hash function of HOTP and TOTP. */
  readonly hashlib?: string | undefined;
  /** Seconds of a step of TOTP. */
  readonly timestep?: string | undefined;
  /** The token PIN; empty: none is given. */
  readonly pin?: string | undefined;
  readonly ocrapin?: string | undefined;
  readonly description?: string | undefined;
}

/** The result of an enrolment. Its secrets are shown to the administrator only this once. */
export type Enrolled =
  | {
      readonly kind: 'phase1';
      readonly serial: string;
      /** Hexadecimal. */
      readonly sharedSecret: string;
      /** `lseqr://init?…` */
      readonly appImport: string;
    }
  | {
      readonly kind: 'phase2';
      readonly serial: string;
      /** Hexadecimal. */
      readonly nonce: string;
      readonly transactionId: string;
      /** When the code stops being of use. */
      readonly expiresAt: Date;
      /** RFC 6287 Q of the first challenge. */
      readonly question: string;
      readonly callbackUrl: string;
      /** Hexadecimal. */
      readonly signature: string;
      /** `lseqr://nonce?…` */
      readonly appImport: string;
    }
  | {
      readonly kind: 'plain';
      readonly serial: string;
      /** Hexadecimal. */
      readonly otpkey: string;
    }
  | {
      /** A token without a challenge. */
      readonly kind: 'pass';
      readonly serial: string;
      /** The key, hexadecimal, or the text of a token of the type pw; absent for the type spass. */
      readonly otpkey?: string;
      /** `otpauth://…` for an authenticator app; present for HOTP and TOTP. */
      readonly keyUri?: string;
    };

type EnrolmentPhase = Enrolled['kind'];

const OTP_TYPES: readonly string[] = ['hmac', 'totp'];
const STATIC_TYPES: readonly string[] = ['pw', 'spass'];
/** The beginnings of serials, as LinOTP makes them. */
const SERIAL_PREFIXES: Readonly<Record<string, string>> = {
  hmac: 'OATH',
  totp: 'TOTP',
  pw: 'KIPW',
  spass: 'LSSP',
};

/** @returns the type of the token, lower-case, and the beginning of a serial that is made for it */
export function typeOf({ type = '' }: Pick<EnrolmentRequest, 'type'>): {
  readonly type: string;
  readonly prefix: string;
} {
  const name = type === '' ? 'hmac' : type.toLowerCase();
  return { type: name, prefix: SERIAL_PREFIXES[name] ?? 'OCRA' };
}

/** Bytes of a generated key: 160 bits, as RFC 4226 R6 recommends and apps expect, or as many as the hash has (RFC 6238 §5.1). */
const GENERATED_BYTES: Readonly<Record<HashName, number>> = { sha1: 20, sha256: 32, sha512: 64 };
export const MIN_KEY_BYTES = 16;
export const MAX_KEY_BYTES = 128;
/** Authenticator apps and hardware come with keys of 80 bits, too. */
export const MIN_OTP_KEY_BYTES = 10;
/** Bytes of the text of a token of the type pw. */
const MAX_TEXT_BYTES = 128;

/**
 * @returns the phase that the parameters request
 * @throws ServiceError 'parameter.missing', 'parameter.invalid'
 */
export function phaseOf(request: EnrolmentRequest): EnrolmentPhase {
  const { activationcode, sharedsecret } = request;
  const { type } = typeOf(request);
  if (OTP_TYPES.includes(type) || STATIC_TYPES.includes(type)) {
    return 'pass';
  }
  if (!OCRA_TYPES.includes(type)) {
    throw new ServiceError(
      'parameter.invalid',
      `Tokens of the type '${type.slice(0, 64)}' cannot be enrolled here: only ocra, ocra2, hmac, totp, pw and spass`,
      { parameter: 'type' },
    );
  }
  if (activationcode !== undefined) {
    return 'phase2';
  }
  return sharedsecret === '1' ? 'phase1' : 'plain';
}

/**
 * @param randomBytes generates the key where the request leaves that to the server
 * @returns the key or shared secret of a new token
 * @throws ServiceError 'parameter.missing', 'parameter.invalid'
 */
export function keyOf(request: EnrolmentRequest, randomBytes: (size: number) => Buffer): Buffer {
  const { genkey = '', otpkey = '' } = request;
  if (!['', '0', '1'].includes(genkey)) {
    throw new ServiceError('parameter.invalid', 'The parameter genkey must be 0 or 1', {
      parameter: 'genkey',
    });
  }
  if (genkey === '1' && otpkey !== '') {
    throw new ServiceError('parameter.invalid', 'You may either specify genkey or otpkey, but not both!', {
      parameter: 'genkey',
      conflictsWith: 'otpkey',
    });
  }
  if (genkey === '1') {
    return randomBytes(GENERATED_BYTES[otpAlgorithmOf(request)?.hash ?? 'sha1']);
  }
  if (otpkey === '') {
    throw new ServiceError(
      'parameter.missing',
      "Missing parameter 'otpkey', or genkey=1 for a key that the server makes.",
      { parameters: ['otpkey'] },
    );
  }
  return readKey(request, otpkey);
}

function readKey(request: EnrolmentRequest, otpkey: string): Buffer {
  const min = phaseOf(request) === 'pass' ? MIN_OTP_KEY_BYTES : MIN_KEY_BYTES;
  const key = Buffer.from(bytesFromHex(otpkey, 'otpkey'));
  if (key.length < min || key.length > MAX_KEY_BYTES) {
    throw new ServiceError(
      'parameter.invalid',
      `The parameter otpkey must be ${min} to ${MAX_KEY_BYTES} bytes in hexadecimal digits`,
      { parameter: 'otpkey' },
    );
  }
  return key;
}

/**
 * @param fallback the suite of the configuration
 * @returns the text of the suite, checked
 * @throws ServiceError 'suite.invalid'; 'configuration.invalid' where the fallback is invalid
 */
export function suiteOf({ ocrasuite }: EnrolmentRequest, fallback: string): string {
  if (ocrasuite !== undefined && ocrasuite !== '') {
    return parseOcraSuite(ocrasuite).text;
  }
  try {
    return parseOcraSuite(fallback).text;
  } catch (cause) {
    const reason = isServiceError(cause) ? cause.message : 'it cannot be read';
    throw new ServiceError(
      'configuration.invalid',
      `The default OCRA suite of the configuration is wrong: ${reason}`,
      { cause },
    );
  }
}

/**
 * @returns the algorithm of a token of HOTP or TOTP; undefined for another type
 * @throws ServiceError 'parameter.invalid'
 */
export function otpAlgorithmOf(
  request: Pick<EnrolmentRequest, 'type' | 'otplen' | 'hashlib' | 'timestep'>,
): OtpAlgorithm | undefined {
  const { type } = typeOf(request);
  if (!OTP_TYPES.includes(type)) {
    return undefined;
  }
  const digits = oneOf('otplen', request.otplen, OTP_DIGITS, 6);
  const timeStep = type === 'totp' ? oneOf('timestep', request.timestep, OTP_TIME_STEPS, 30) : undefined;
  return { hash: hashOf(request), digits, timeStep };
}

function hashOf({ hashlib = '' }: Pick<EnrolmentRequest, 'hashlib'>): HashName {
  const name = hashlib === '' ? 'sha1' : hashlib.toLowerCase();
  if (!isHashName(name)) {
    throw new ServiceError('parameter.invalid', 'The parameter hashlib must be sha1, sha256 or sha512', {
      parameter: 'hashlib',
    });
  }
  return name;
}

function oneOf(parameter: string, text = '', allowed: readonly number[], fallback: number): number {
  const value = text === '' ? fallback : Number(text);
  if (!allowed.includes(value)) {
    throw new ServiceError(
      'parameter.invalid',
      `The parameter ${parameter} must be ${allowed.join(' or ')}`,
      {
        parameter,
      },
    );
  }
  return value;
}

/**
 * @returns the text of a token of the type pw, in UTF-8
 * @throws ServiceError 'parameter.missing', 'parameter.invalid'
 */
export function textOf({ otpkey = '' }: EnrolmentRequest): Buffer {
  if (otpkey === '') {
    throw new ServiceError('parameter.missing', "Missing parameter 'otpkey': the text of the token.", {
      parameters: ['otpkey'],
    });
  }
  const text = Buffer.from(otpkey, 'utf8');
  if (text.length > MAX_TEXT_BYTES) {
    throw new ServiceError(
      'parameter.invalid',
      `The parameter otpkey must have ${MAX_TEXT_BYTES} bytes at most`,
      { parameter: 'otpkey' },
    );
  }
  return text;
}
