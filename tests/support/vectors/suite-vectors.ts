import { hashLength, type OcraSuite, parseOcraSuite } from '../../../src/ocra/suite.ts';
import { type CheckedRow, rowsOf, unlessRefused } from './checked-row.ts';

/** A suite, and its parts or LinOTP's refusal. */
export interface SuiteRow {
  readonly suite: string;
  readonly ok?: {
    readonly C: 'C' | null;
    readonly P: number | null;
    readonly Q: readonly [string, number] | null;
    readonly S: number | null;
    readonly T: number | null;
    readonly hash_digest_size: number;
    readonly truncation: number;
  };
  readonly error?: { readonly message: string };
}

/** Reads suites again. */
export function checkSuites(text: string): Promise<CheckedRow[]> {
  return Promise.all(
    rowsOf<SuiteRow>(text).map(async ({ suite, ok }) => {
      const parsed = await unlessRefused(() => asRecorded(parseOcraSuite(suite)));
      return { name: suite, holds: JSON.stringify(parsed) === JSON.stringify(ok) };
    }),
  );
}

function asRecorded(suite: OcraSuite): NonNullable<SuiteRow['ok']> {
  return {
    C: suite.counter ? 'C' : null,
    P: suite.pin === undefined ? null : hashLength(suite.pin.hash),
    Q: [suite.question.format, suite.question.length],
    S: suite.session?.length ?? null,
    T: suite.timeStep ?? null,
    hash_digest_size: hashLength(suite.hash),
    truncation: suite.truncation,
  };
}
