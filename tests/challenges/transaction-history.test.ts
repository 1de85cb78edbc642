import { describe, expect, it } from '@jest/globals';
import { type AuditRow, auditTime } from '../../src/audit/audit-row.ts';
import type { StoredTransaction } from '../../src/challenges/challenge-store.ts';
import { timelineOf } from '../../src/challenges/transaction-service.ts';

const ISSUED = new Date('2026-11-20T12:00:00Z');
const TIMEOUT = 1200;

const after = (seconds: number): Date => new Date(ISSUED.getTime() + seconds * 1000);

function row(outcome: string, seconds: number): AuditRow {
  return {
    id: String(seconds + 1),
    at: auditTime(after(seconds)),
    actor: '',
    action: 'ocra/check_t',
    subject: 'T1',
    realm: 'north',
    outcome,
    client: '192.0.2.7',
    requestId: `r${seconds}`,
    transaction: 't1',
  };
}

function stored(closedBy: StoredTransaction['closedBy'] = null, seconds = 0): StoredTransaction {
  const closedAt = closedBy === null ? null : after(seconds);
  return {
    serial: 'T1',
    realms: ['north'],
    data: 'pay',
    issuedAt: ISSUED,
    expiresAt: after(TIMEOUT),
    closedBy,
    closedAt,
  };
}

interface HistoryFacts {
  readonly rows?: readonly AuditRow[];
  readonly challenge?: StoredTransaction;
  readonly now?: number;
  readonly more?: number;
}

/** @returns the state, and each event with its seconds after the issue; a derived one in brackets */
function history({ rows = [], challenge, now = 10, more = 0 }: HistoryFacts): readonly string[] {
  const { state, events } = timelineOf({
    stored: challenge,
    trail: { rows, more },
    challengeTimeout: TIMEOUT,
    now: after(now),
    isPinWithheld: false,
  });
  const texts = events.map(({ at, event, isDerived: derived }) => {
    const text = `${event} ${(Date.parse(at) - ISSUED.getTime()) / 1000}`;
    return derived ? `(${text})` : text;
  });
  return [state, ...texts];
}

describe('the history of a transaction', () => {
  it.each<[string, HistoryFacts, readonly string[]]>([
    ['open', { rows: [row('issued', 0)], challenge: stored() }, ['open', 'issued 0']],
    [
      'given up',
      { rows: [row('issued', 0), row('exhausted', 2), row('dropped', 4)], challenge: stored('exhausted', 2) },
      ['given up', 'issued 0', 'given up 2', 'refused 4'],
    ],
    [
      'declined, and then reported',
      {
        rows: [row('issued', 0), row('declined', 2), row('reported, after a decline', 4)],
        challenge: stored('declined', 2),
        now: 9999,
      },
      ['reported', 'issued 0', 'declined 2', 'reported 4'],
    ],
    [
      'reported as that of somebody else, and no longer stored',
      { rows: [row('issued', 0), row('reported', 2)], now: 1_000_000 },
      ['reported', 'issued 0', 'reported 2'],
    ],
    [
      'accepted, and reported too late',
      {
        rows: [row('issued', 0), row('wrong, decline', 1), row('accepted', 2), row('closed, report', 4)],
        challenge: stored('accepted', 2),
      },
      ['accepted', 'issued 0', 'refused 1', 'accepted 2', 'refused 4'],
    ],
    [
      'expired before it was superseded',
      { rows: [row('issued', 0)], challenge: stored('superseded', 1300), now: 1400 },
      ['superseded', 'issued 0', '(expired 1200)', '(superseded 1300)'],
    ],
    [
      'answered in time by the settings of then',
      { rows: [row('issued', 0), row('accepted', 1300)], challenge: stored('accepted', 1300), now: 1400 },
      ['accepted', 'issued 0', 'accepted 1300'],
    ],
    [
      'tried in time by the settings of then',
      { rows: [row('issued', 0), row('wrong', 1300)], challenge: stored(), now: 1400 },
      ['expired', 'issued 0', 'wrong 1300', '(expired 1300)'],
    ],
    [
      'never answered and no longer stored',
      { rows: [row('issued', 0)], now: 1_000_000 },
      ['ended', 'issued 0', '(expired 1200)'],
    ],
    ['removed with its token', { rows: [row('issued', 0)], now: 10 }, ['ended', 'issued 0']],
    [
      'moved in from elsewhere, without rows',
      { challenge: stored('accepted', 3) },
      ['accepted', '(issued 0)', '(accepted 3)'],
    ],
    [
      'with more rows than are read',
      { rows: [row('issued', 0), row('locked', 1)], challenge: stored(), more: 7, now: 9999 },
      ['expired', 'issued 0', 'refused 1'],
    ],
    [
      'with a row of an unknown outcome',
      { rows: [row('issued', 0), row('toString', 1)], challenge: stored() },
      ['open', 'issued 0', 'other 1'],
    ],
  ])('that is %s', (_title, given, expected) => {
    expect(history(given)).toEqual(expected);
  });

  it.each([
    ['closed', 'refused', 'replay: a response was accepted before'],
    ['closed, report', 'refused', 'reported too late: this was not me'],
    ['expired, decline', 'refused', 'declined too late'],
    ['wrong, decline', 'refused', 'a decline that the token has not signed'],
    ['declined again', 'refused', 'declined again'],
    ['reported again', 'refused', 'reported again: this was not me'],
    ['wrong', 'wrong', 'wrong response or PIN'],
    ['wrong, right PIN', 'wrong', 'the PIN was right, the response was wrong'],
    ['exhausted, right response', 'given up', 'the response was right, the PIN was wrong'],
    ['wrong, out of step', 'wrong', 'the token is out of step'],
    ['wrong, constructor', 'other', 'wrong, constructor'],
  ])('tells of a row %j that it was %s: %s', (outcome, event, reason) => {
    const { events } = timelineOf({
      stored: stored(),
      trail: { rows: [row(outcome, 3)], more: 0 },
      challengeTimeout: TIMEOUT,
      now: after(4),
      isPinWithheld: false,
    });
    expect(events[1]).toMatchObject({ event, reason, client: '192.0.2.7', requestId: 'r3' });
  });
});
