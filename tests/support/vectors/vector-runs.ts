import type { CheckedRow } from './checked-row.ts';
import { checkActivation, checkDevice, checkDisplayTexts, checkTypedCodes } from './device-vectors.ts';
import { checkQuestions } from './question-vectors.ts';
import { checkResponses } from './response-vectors.ts';
import { checkRfc6287 } from './rfc6287-vectors.ts';
import { checkActivationCodes, checkKeys, checkNormalization } from './roll-out-vectors.ts';
import { checkSuites } from './suite-vectors.ts';
import { checkSignatures, checkUrls } from './url-vectors.ts';
import { checkCounterWindows, checkTimeWindows } from './window-vectors.ts';

/** A computation of all vectors of a file. */
export interface VectorRun {
  /** The name of the file in tests/vectors. */
  readonly file: string;
  /** Number of rows that it checks. */
  readonly rows: number;
  readonly check: (text: string) => readonly CheckedRow[] | Promise<readonly CheckedRow[]>;
}

/** Every file of vectors through `src/ocra`. */
export const OCRA_RUNS: readonly VectorRun[] = [
  { file: 'rfc6287.json', rows: 70, check: checkRfc6287 },
  { file: 'linotp-activation-code.jsonl', rows: 51, check: checkActivationCodes },
  { file: 'linotp-challenge.jsonl', rows: 98, check: checkQuestions },
  { file: 'linotp-check-otp-counter.jsonl', rows: 35, check: checkCounterWindows },
  { file: 'linotp-check-otp-time.jsonl', rows: 9, check: checkTimeWindows },
  { file: 'linotp-kdf2.jsonl', rows: 99, check: checkKeys },
  { file: 'linotp-lseqr-url.jsonl', rows: 177, check: checkUrls },
  { file: 'linotp-normalize-activation-code.jsonl', rows: 14, check: checkNormalization },
  { file: 'linotp-ocra-edge.jsonl', rows: 33, check: checkResponses },
  { file: 'linotp-ocra-generated.jsonl', rows: 173, check: checkResponses },
  { file: 'linotp-ocra-rfc6287.jsonl', rows: 19, check: checkResponses },
  { file: 'linotp-sign-data.jsonl', rows: 26, check: checkSignatures },
  { file: 'linotp-suite-parse.jsonl', rows: 71, check: checkSuites },
];

/** Files of vectors through `src/device`, without the rows that an app never sees. */
export const DEVICE_RUNS: readonly VectorRun[] = [
  { file: 'linotp-lseqr-url.jsonl', rows: 53, check: checkDevice },
  { file: 'linotp-kdf2.jsonl', rows: 34, check: checkActivation },
  { file: 'linotp-activation-code.jsonl', rows: 50, check: checkTypedCodes },
  { file: 'linotp-challenge.jsonl', rows: 98, check: checkDisplayTexts },
];

/**
 * Checks all vectors.
 * @param read returns the text of a file
 * @returns the rows of each run, of `OCRA_RUNS` first
 */
export function runAllVectors(
  read: (file: string) => string | Promise<string>,
): Promise<(readonly CheckedRow[])[]> {
  return Promise.all([...OCRA_RUNS, ...DEVICE_RUNS].map(async ({ file, check }) => check(await read(file))));
}
