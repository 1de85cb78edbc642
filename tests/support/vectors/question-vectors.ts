import type { RandomNumbers } from '../../../src/kernel/clock.ts';
import { questionFromData } from '../../../src/ocra/question.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { questionFromHash } from '../values/modes.ts';
import { type CheckedRow, ledgerText, rowsOf } from './checked-row.ts';

interface Row {
  readonly suite: string;
  readonly data: string;
  readonly typ_used_by_challenge: 'raw' | 'random';
  readonly raw: { readonly ok: string };
  readonly random: { readonly ok: string };
  readonly hash_of_utf8: { readonly ok: string };
}

/** Makes questions again. */
export function checkQuestions(text: string): CheckedRow[] {
  return rowsOf<Row>(text).map((row) => {
    const suite = parseOcraSuite(row.suite);
    return {
      name: `${row.suite} ${ledgerText(row.data)}`,
      holds:
        questionFromData(suite, row.data, counting()) === row[row.typ_used_by_challenge].ok &&
        questionFromData(suite, undefined, counting()) === row.random.ok &&
        questionFromHash(suite, row.data) === row.hash_of_utf8.ok,
    };
  });
}

/** Draws 0, 1, 2 … in turn, as was done when the rows were computed. */
function counting(): RandomNumbers {
  let next = 0;
  return { below: (bound) => next++ % bound };
}
