import { computeResponse, timeStepAt } from '../src/ocra/compute.ts';
import { parseAlgorithm } from '../src/ocra/otp.ts';

/** A token of the fixture of a release, and what its owner knows. */
export interface KnownToken {
  readonly serial: string;
  readonly type: string;
  readonly pin: string;
  /** Hexadecimal; of pw its text. */
  readonly key: string;
  /** As in the column of that name; empty: none. */
  readonly algorithm: string;
  /** That of the device's next response. */
  readonly counter?: number;
}

interface KnownTransaction {
  readonly serial: string;
  readonly transactionid: string;
  readonly pass: string;
}

/** `known.json` of the fixture of a release: what is in the database. */
export interface KnownInstallation {
  readonly password: string;
  /** Opens the backup. */
  readonly identity: string;
  readonly apiToken: string;
  readonly tokens: readonly KnownToken[];
  /** Responses that were accepted, and must not be again. */
  readonly accepted: readonly {
    readonly path: string;
    readonly parameters: Readonly<Record<string, string>>;
  }[];
  /** With the counter of the device's next response. */
  readonly open: readonly KnownTransaction[];
  /** The values of answers, by path. */
  readonly answers: Readonly<Record<string, unknown>>;
}

/** @returns the response of the token's device at that time, without the PIN */
export function responseOf(token: KnownToken, question: string, now: Date): string {
  const { type, key, algorithm, counter } = token;
  if (algorithm === '') {
    return type === 'pw' ? key : '';
  }
  const suite = parseAlgorithm(algorithm);
  const timeStep = timeStepAt(suite, now);
  return computeResponse(suite, Buffer.from(key, 'hex'), {
    question,
    ...(counter !== undefined && { counter: BigInt(counter) }),
    ...(timeStep !== undefined && { timeStep }),
  });
}
