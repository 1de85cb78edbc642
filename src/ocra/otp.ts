import { type HashName, parseHash, parseOcraSuite, parseTimeStep, type ResponseAlgorithm } from './suite.ts';

/** HOTP (RFC 4226) by a counter, or TOTP (RFC 6238) by time steps. */
export interface OtpAlgorithm {
  readonly hash: HashName;
  readonly digits: number;
  /** The size of a time step, in seconds; undefined: HOTP. */
  readonly timeStep?: number | undefined;
}

export const OTP_DIGITS: readonly number[] = [6, 8];
export const OTP_TIME_STEPS: readonly number[] = [30, 60];

const SHAPE = /^(HOTP|TOTP)-(SHA1|SHA256|SHA512)-(6|8)(?::(T30S|T1M))?$/;

/** @returns the text that stands for the algorithm where an OCRA suite could: `HOTP-SHA1-6`, `TOTP-SHA256-8:T30S` */
export function otpAlgorithmText({ hash, digits, timeStep }: OtpAlgorithm): string {
  const name = `${hash.toUpperCase()}-${digits}`;
  return timeStep === undefined ? `HOTP-${name}` : `TOTP-${name}:${timeStep === 60 ? 'T1M' : 'T30S'}`;
}

/** @returns undefined where the text is not of `otpAlgorithmText`, as an OCRA suite */
export function readOtpAlgorithm(text: string | null): OtpAlgorithm | undefined {
  const [, kind, hash = '', digits, step] = SHAPE.exec(text ?? '') ?? [];
  return kind === undefined || (kind === 'TOTP') !== (step !== undefined)
    ? undefined
    : {
        hash: parseHash(hash, 'hash'),
        digits: Number(digits),
        timeStep: step === undefined ? undefined : parseTimeStep(step),
      };
}

/**
 * Reads an OCRA suite, or what `otpAlgorithmText` has made.
 * @throws ServiceError 'suite.invalid'
 */
export function parseAlgorithm(text: string): ResponseAlgorithm {
  const otp = readOtpAlgorithm(text);
  if (otp === undefined) {
    return parseOcraSuite(text);
  }
  const { hash, digits, timeStep } = otp;
  return Object.freeze({
    text,
    hash,
    truncation: digits,
    counter: timeStep === undefined,
    ...(timeStep !== undefined && { timeStep }),
  });
}
