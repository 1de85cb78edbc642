import assert from 'node:assert/strict';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Ask, checkReported, type Finding } from './reported-checks.ts';
import { type CheckAnswer, type Outcome, ReportedLedger } from './reported-ledger.ts';

interface Rows {
  tokens: { serial: string; active: boolean; rollout: string; fail_count: number }[];
  challenges: {
    transaction_id: string;
    serial: string;
    question: string;
    valid_tan: boolean;
    closed_by: string | null;
  }[];
  audit: { request_id: string; outcome: string }[];
}

let ledger: ReportedLedger;
let rows: Rows;

/** One token each: `right` was answered wrongly and then rightly, `wrong` wrongly, `open` not yet. */
beforeEach(() => {
  ledger = new ReportedLedger();
  for (const serial of ['right', 'wrong', 'open']) {
    ledger.noteEnrolment(ledger.moment(), { serial, step: 'plain', outcome: 'reported' });
    ledger.noteChallenge(ledger.moment(), {
      serial,
      outcome: 'reported',
      transactionId: serial,
      question: '1',
    });
  }
  answer('right', 'one', 'reported', { accepted: false, failCount: 1 });
  answer('right', 'two', 'reported', { accepted: true, failCount: 0 }, true);
  answer('wrong', 'three', 'reported', { accepted: false, failCount: 1 });
  rows = {
    tokens: ['right', 'wrong', 'open'].map((serial) => ({
      serial,
      active: true,
      rollout: 'complete',
      fail_count: serial === 'wrong' ? 1 : 0,
    })),
    challenges: ['right', 'wrong', 'open'].map((serial) => ({
      transaction_id: serial,
      serial,
      question: '1',
      valid_tan: serial === 'right',
      closed_by: serial === 'right' ? 'accepted' : null,
    })),
    audit: [
      { request_id: 'one', outcome: 'wrong' },
      { request_id: 'two', outcome: 'accepted' },
      { request_id: 'three', outcome: 'wrong' },
    ],
  };
});

function answer(
  serial: string,
  requestId: string,
  outcome: Outcome,
  reported: CheckAnswer | undefined,
  right = false,
): void {
  ledger.noteResponse(ledger.moment(), {
    serial,
    transactionId: serial,
    response: right ? '1' : '2',
    right,
    server: '',
    requestId,
    outcome,
    answer: reported,
    sentAt: 0,
  });
}

async function kinds(): Promise<readonly Finding['kind'][]> {
  const ask: Ask = (sql) => {
    const table = /FROM (tokens|challenges|audit)/.exec(sql)?.[1] as keyof Rows;
    return Promise.resolve(rows[table] as never);
  };
  return [...new Set((await checkReported(ledger, ask)).findings.map(({ kind }) => kind))];
}

function token(serial: string): Rows['tokens'][number] {
  const row = rows.tokens.find((one) => one.serial === serial);
  assert(row !== undefined);
  return row;
}

function challenge(id: string): Rows['challenges'][number] {
  const row = rows.challenges.find((one) => one.transaction_id === id);
  assert(row !== undefined);
  return row;
}

describe('what clients were told, compared with the database', () => {
  it('has no finding where all is as they were told', async () => {
    expect(await kinds()).toEqual([]);
  });

  it.each<[string, () => void, readonly Finding['kind'][]]>([
    [
      'an acceptance that is not there any more',
      () => {
        Object.assign(challenge('right'), { valid_tan: false, closed_by: null });
        rows.audit = rows.audit.filter(({ outcome }) => outcome !== 'accepted');
      },
      ['lost acceptance', 'audit differs'],
    ],
    [
      'two acceptances of one transaction',
      () => {
        answer('right', 'four', 'reported', { accepted: true, failCount: 0 }, true);
        rows.audit.push({ request_id: 'four', outcome: 'accepted' });
      },
      ['accepted twice', 'audit differs'],
    ],
    [
      'an acceptance without a right response',
      () => {
        Object.assign(challenge('open'), { valid_tan: true, closed_by: 'accepted' });
      },
      ['accepted unasked', 'audit differs'],
    ],
    [
      'a right response that was taken for wrong',
      () => {
        answer('open', 'four', 'reported', { accepted: false, failCount: 1 }, true);
        rows.audit.push({ request_id: 'four', outcome: 'wrong' });
        token('open').fail_count = 1;
      },
      ['right response refused'],
    ],
    [
      'a decision without a row in the audit',
      () => {
        rows.audit.shift();
      },
      ['audit differs'],
    ],
    [
      'a decision with two rows',
      () => {
        rows.audit.push({ request_id: 'three', outcome: 'closed' });
      },
      ['audit differs'],
    ],
    [
      'a decision on what nobody sent',
      () => {
        rows.audit.push({ request_id: 'four', outcome: 'wrong' });
      },
      ['audit differs'],
    ],
    [
      'a lost count',
      () => {
        token('wrong').fail_count = 0;
      },
      ['count below what was told'],
    ],
    [
      'a count too many',
      () => {
        token('wrong').fail_count = 2;
      },
      ['count above what was sent'],
    ],
    [
      'the same count told to two',
      () => {
        answer('wrong', 'four', 'reported', { accepted: false, failCount: 1 });
        rows.audit.push({ request_id: 'four', outcome: 'wrong' });
      },
      ['count told twice'],
    ],
    [
      'a token that is gone',
      () => {
        rows.tokens = rows.tokens.filter(({ serial }) => serial !== 'open');
      },
      ['token missing'],
    ],
    [
      'a roll-out that is not complete any more',
      () => {
        token('open').rollout = 'phase2';
      },
      ['roll-out lost'],
    ],
    [
      'a challenge that is gone',
      () => {
        rows.challenges = rows.challenges.filter(({ serial }) => serial !== 'open');
      },
      ['challenge missing'],
    ],
    [
      'a challenge that was closed by nothing',
      () => {
        challenge('open').closed_by = 'superseded';
      },
      ['challenge closed for no reason'],
    ],
    [
      'an answer that nobody should get',
      () => {
        ledger.noteStrange({ path: '/ocra/check_t', text: '500 Internal server error' });
      },
      ['strange answer'],
    ],
  ])('finds %s', async (_, spoil, found) => {
    spoil();
    expect(await kinds()).toEqual(found);
  });

  it('allows both outcomes of a response without an answer, once', async () => {
    answer('open', 'four', 'unknown', undefined, true);
    expect(await kinds()).toEqual([]);
    Object.assign(challenge('open'), { valid_tan: true, closed_by: 'accepted' });
    rows.audit.push({ request_id: 'four', outcome: 'accepted' });
    expect(await kinds()).toEqual([]);
    rows.audit.push({ request_id: 'four', outcome: 'accepted' });
    expect(await kinds()).toEqual(['audit differs', 'accepted twice']);
  });

  it('lets a count go that a response without an answer may have set back, until that one is answered', async () => {
    answer('wrong', 'four', 'unknown', undefined, true);
    token('wrong').fail_count = 0;
    expect(await kinds()).toEqual([]);
    answer('wrong', 'five', 'reported', { accepted: false, failCount: 1 }, true);
    rows.audit.push({ request_id: 'five', outcome: 'closed' });
    answer('wrong', 'six', 'reported', { accepted: false, failCount: 2 });
    rows.audit.push({ request_id: 'six', outcome: 'wrong' });
    expect(await kinds()).toEqual(['count below what was told']);
  });
});
