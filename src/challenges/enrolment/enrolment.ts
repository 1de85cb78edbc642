import { isServiceError, ServiceError } from '../../kernel/errors.ts';
import { bytesFromHex } from '../../ocra/hex.ts';
import { parseOcraSuite } from '../../ocra/suite.ts';

export interface EnrolmentRequest {
  /** `ocra` or `ocra2`. */
  readonly type?: string | undefined;
  readonly serial?: string | undefined;
  readonly user?: string | undefined;
  readonly realm?: string | undefined;
  /** `1`: the server makes the key. */
  readonly genkey?: string | undefined;
  /** The key or shared secret, hexadecimal. */
  readonly otpkey?: string | undefined;
  /** `1`: roll-out phase 1. */
  readonly sharedsecret?: string | undefined;
  /** Roll-out phase 2. */
  readonly activationcode?: string | undefined;
  /** The display data of the first challenge, in phase 2. */
  readonly message?: string | undefined;
  readonly ocrasuite?: string | undefined;
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
    };

type EnrolmentPhase = Enrolled['kind'];

/** Bytes of a generated key: 160 bits, as RFC 4226 R6 recommends and apps expect. */
const KEY_BYTES = 20;
const MIN_KEY_BYTES = 16;
const MAX_KEY_BYTES = 128;

/**
 * @returns the phase that the parameters request
 * @throws ServiceError 'parameter.missing', 'parameter.invalid'
 */
export function phaseOf({ type, activationcode, sharedsecret }: EnrolmentRequest): EnrolmentPhase {
  if (type === undefined || type === '') {
    throw new ServiceError('parameter.missing', "Missing parameter 'type'.", { parameters: ['type'] });
  }
  if (!['ocra', 'ocra2'].includes(type.toLowerCase())) {
    throw new ServiceError(
      'parameter.invalid',
      `Tokens of the type '${type}' cannot be enrolled here: only ocra and ocra2`,
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
export function keyOf({ genkey, otpkey }: EnrolmentRequest, randomBytes: (size: number) => Buffer): Buffer {
  if (genkey !== undefined && !['', '0', '1'].includes(genkey)) {
    throw new ServiceError('parameter.invalid', 'The parameter genkey must be 0 or 1', {
      parameter: 'genkey',
    });
  }
  const hexKey = otpkey === undefined || otpkey === '' ? undefined : otpkey;
  if (genkey === '1' && hexKey !== undefined) {
    throw new ServiceError('parameter.invalid', 'You may either specify genkey or otpkey, but not both!', {
      parameter: 'genkey',
      conflictsWith: 'otpkey',
    });
  }
  if (genkey === '1') {
    return randomBytes(KEY_BYTES);
  }
  if (hexKey === undefined) {
    throw new ServiceError(
      'parameter.missing',
      "Missing parameter 'otpkey', or genkey=1 for a key that the server makes.",
      { parameters: ['otpkey'] },
    );
  }
  return readKey(hexKey);
}

function readKey(otpkey: string): Buffer {
  const key = Buffer.from(bytesFromHex(otpkey, 'otpkey'));
  if (key.length < MIN_KEY_BYTES || key.length > MAX_KEY_BYTES) {
    throw new ServiceError(
      'parameter.invalid',
      `The parameter otpkey must be ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes in hexadecimal digits`,
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
