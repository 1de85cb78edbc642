import { beforeEach, describe, expect, it } from '@jest/globals';

import { checkHistory } from './checker.ts';
import {
  type Answer,
  type Fate,
  type GivenResponse,
  type HistoryRecord,
  type Operation,
} from './operations.ts';
import { withStoredFacts } from './stored-facts.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const NOON = Date.UTC(2026, 10, 25, 12);

let records: HistoryRecord[];
let time: number;

/** Writes an operation that takes 10 ms, and ends before the next one begins. */
function log(operation: Operation, answer: Answer, fate: Partial<Fate> = {}): HistoryRecord {
  time += 20;
  const told = {
    client: 'test',
    invoked: time,
    completed: time + 10,
    outcome: 'ok',
    answer,
    ...fate,
  } as const;
  const record = { ...operation, ...told } as HistoryRecord;
  records.push(record);
  return record;
}

/** @returns the place of the token's own response to that transaction */
function right(transaction: string, at: number): GivenResponse {
  return { key: 'A', suite: SUITE, question: questionOf(transaction), at };
}

const questionOf = (transaction: string): string => `1234567${transaction.at(-1) ?? ''}`;

function request(serial: string, transaction: string, fate: Partial<Fate> = {}): HistoryRecord {
  return log(
    { op: 'request', args: { serial, text: '' } },
    { transaction, question: questionOf(transaction) },
    fate,
  );
}

function answer(
  transaction: string,
  response: GivenResponse,
  [result, failcount]: readonly [boolean, number],
  fate: Partial<Fate> = {},
): HistoryRecord {
  const args = { via: 'ocra/check_t', transaction, response } as const;
  return log({ op: 'answer', args }, { failcount, result }, fate);
}

function unknown(transaction: string, response: GivenResponse, fate: Partial<Fate> = {}): HistoryRecord {
  return answer(transaction, response, [false, 0], { outcome: 'unknown', answer: undefined, ...fate });
}

function rows(
  serial: string,
  failcount: number,
  counter: number,
  challenges: readonly string[],
): HistoryRecord {
  const token = { active: true, rollout: 'complete', failcount, counter: String(counter), challenges };
  return log({ op: 'rows', args: { serial } }, token);
}

function kinds(): readonly string[] {
  return [...new Set(checkHistory(records).map(({ kind }) => kind))];
}

/** Two tokens; T1 of the first was answered wrongly and then rightly, T2 wrongly, T3 of the second not yet. */
beforeEach(() => {
  records = [];
  time = NOON;
  for (const serial of ['one', 'two']) {
    log({ op: 'enrol', args: { serial, suite: SUITE, key: 'A' } }, true);
  }
  request('one', 'T1');
  answer('T1', 'wrong', [false, 1]);
  answer('T1', right('T1', 0), [true, 0]);
  request('one', 'T2');
  answer('T2', 'wrong', [false, 1]);
  request('two', 'T3');
});

const ROWS = ['T1 1 accepted', 'T2 1 open'];

describe('a history that the contract explains', () => {
  it('has no finding', () => {
    rows('one', 1, 1, ROWS);
    rows('two', 0, 0, ['T3 0 open']);
    expect(kinds()).toEqual([]);
  });

  it('may have an act in the middle of others that changes nothing before them', () => {
    const begun = time + 20;
    log({ op: 'assign', args: { serial: 'two', user: 'ann' } }, true);
    const long = { invoked: begun, completed: begun + 1_000 };
    log({ op: 'assign', args: { serial: 'two', user: 'ann' } }, true, long);
    log({ op: 'reset', args: { serial: 'two' } }, 1, long);
    request('two', 'T4', { invoked: begun + 50 });
    answer('T4', 'wrong', [false, 1]);
    answer('T4', 'wrong', [false, 1]);
    answer('T4', right('T4', 0), [false, 1], { decision: 'dropped' });
    expect(kinds()).toEqual([]);
  });

  it('may be told in another order than it came about, where operations ran at the same time', () => {
    const begun = time + 20;
    answer('T2', 'wrong', [false, 3], { invoked: begun });
    answer('T2', 'wrong', [false, 2], { invoked: begun });
    answer('T2', right('T2', 1), [false, 3], { invoked: begun });
    expect(kinds()).toEqual([]);
  });

  it('may hold an operation without an answer that was done, later than all others, or not at all', () => {
    unknown('T2', right('T2', 1));
    const before = [...records];
    rows('one', 1, 1, ROWS);
    expect(kinds()).toEqual([]);
    records = before;
    rows('one', 0, 2, ['T1 1 accepted', 'T2 1 accepted']);
    expect(kinds()).toEqual([]);
  });
});

describe('the checker finds', () => {
  it.each<[string, () => void]>([
    ['an acceptance of a wrong response', () => answer('T3', 'wrong', [true, 0])],
    [
      'a response that is accepted for two transactions',
      () => {
        request('two', 'U3');
        answer('U3', right('U3', 0), [true, 0]);
        answer('T3', right('T3', 0), [true, 0]);
      },
    ],
    ['an acceptance that is not in the database', () => rows('one', 1, 1, ['T1 1 open', 'T2 1 open'])],
    [
      'a fail count that two were told at once',
      () => {
        const begun = time + 20;
        answer('T2', 'wrong', [false, 2], { invoked: begun });
        answer('T2', 'wrong', [false, 2], { invoked: begun });
      },
    ],
    ['a token that is gone', () => log({ op: 'rows', args: { serial: 'two' } }, null)],
    ['a challenge that is gone', () => rows('two', 0, 0, [])],
    [
      'a request without an answer that was done twice',
      () => {
        unknown('T3', 'wrong');
        rows('two', 2, 0, ['T3 2 open']);
      },
    ],
    [
      'a decision in the audit trail that is not the answer',
      () => answer('T3', right('T3', 0), [true, 0], { decision: 'wrong' }),
    ],
    [
      'a decision that nobody was told, on a right response',
      () => unknown('T3', right('T3', 0), { decision: 'wrong' }),
    ],
  ])('%s', (_, plant) => {
    plant();
    expect(kinds()).toEqual(['no order explains this']);
  });

  it('a second acceptance, whatever the model says', () => {
    answer('T1', right('T1', 1), [true, 0]);
    expect(kinds()).toContain('accepted twice');
  });

  it('an answer that no client may get', () => {
    unknown('T3', 'wrong', { strange: '500 Internal Server Error' });
    expect(kinds()).toEqual(['strange answer']);
  });

  it('that a search was too long, which is no pass', () => {
    const begun = time + 20;
    for (let count = 0; count < 40; count += 1) {
      unknown(count % 2 === 0 ? 'T3' : 'T2', count % 3 === 0 ? 'wrong' : right('T3', count), {
        invoked: begun,
      });
    }
    rows('two', 77, 0, ['T3 0 open']);
    const findings = checkHistory(records, { states: 100, milliseconds: 10_000 });
    expect(findings.map(({ kind }) => kind)).toContain('given up');
  });
});

it('has the decision of an audit row without what the row knows of its cause', async () => {
  const outcomes = ['wrong', 'wrong, out of step', 'exhausted, right response', 'exhausted, out of step'];
  const history = outcomes.map((_, index) => answer('T2', 'wrong', [false, 1], { request: String(index) }));
  const audit = outcomes.map((outcome, index) => ({
    request_id: String(index),
    action: 'ocra/check_t',
    outcome,
    transaction_id: 'T2',
  }));
  const ask = (sql: string): Promise<never> =>
    Promise.resolve((sql.includes('FROM audit') ? audit : []) as never);
  const { records: known, findings } = await withStoredFacts(history, ask);
  expect(known.map(({ decision }) => decision)).toEqual(['wrong', 'wrong', 'exhausted', 'exhausted']);
  expect(findings).toEqual([]);
});
