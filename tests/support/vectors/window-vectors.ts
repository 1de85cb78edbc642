import { computeResponse, timeStepAt } from '../../../src/ocra/compute.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { verifyResponse } from '../../../src/ocra/verify.ts';
import { type CheckedRow, fromHex, rowsOf } from './checked-row.ts';

interface Row {
  readonly suite: string;
  readonly key: string;
  readonly challenge: string;
  readonly counter: number;
  readonly window: number;
  /** With a transaction id where the transaction was never answered. */
  readonly options: { readonly transactionid?: string } | null;
}

interface CounterRow extends Row {
  readonly result_for_tan_of_counter_0_44: readonly (number | string)[];
}

interface TimeRow extends Row {
  readonly now: number;
  readonly timeshift: number;
  /** The token's clock against the server's, in seconds, and the second of the match, -1 for none. */
  readonly offset_result: readonly (readonly [number, number | string])[];
}

const OF_NO_MATTER = new Date(0);

/** Searches for counters again. */
export function checkCounterWindows(text: string): CheckedRow[] {
  return rowsOf<CounterRow>(text).map(checkCounters);
}

/** Searches for time steps again. */
export function checkTimeWindows(text: string): CheckedRow[] {
  return rowsOf<TimeRow>(text).map(checkTimes);
}

function read(row: Row) {
  return {
    suite: parseOcraSuite(row.suite),
    key: fromHex(row.key),
    question: row.challenge,
    counter: BigInt(row.counter),
    lookBehind: row.options?.transactionid !== undefined,
  };
}

function checkCounters(row: CounterRow): CheckedRow {
  const { suite, key, question, counter, lookBehind } = read(row);
  const found = row.result_for_tan_of_counter_0_44.map((_, used) => {
    const response = computeResponse(suite, key, { question, counter: BigInt(used) });
    const result = verifyResponse({
      suite,
      key,
      question,
      counter,
      lookBehind,
      response,
      counterWindow: row.window,
      now: OF_NO_MATTER,
    });
    return result === undefined ? -1 : Number(result.counter ?? counter);
  });
  return {
    name: `${row.suite} counter=${row.counter} window=${row.window} ${JSON.stringify(row.options)}`,
    holds: JSON.stringify(found) === JSON.stringify(row.result_for_tan_of_counter_0_44),
  };
}

function checkTimes(row: TimeRow): CheckedRow {
  const { suite, key, question, counter, lookBehind } = read(row);
  const found = row.offset_result.map(([offset]) => {
    const timeStep = timeStepAt(suite, new Date((row.now + offset) * 1_000));
    const result = verifyResponse({
      suite,
      key,
      question,
      counter,
      lookBehind,
      response: computeResponse(suite, key, { question, timeStep }),
      now: new Date(row.now * 1_000),
      timeWindow: 180,
      timeShift: row.timeshift,
    });
    return [offset, result === undefined ? -1 : Number(result.second)];
  });
  return {
    name: `${row.suite} counter=${row.counter} shift=${row.timeshift} ${JSON.stringify(row.options)}`,
    holds: JSON.stringify(found) === JSON.stringify(row.offset_result),
  };
}
