import { describe, expect, it } from '@jest/globals';
import { applicationOfTests, openSession, OPERATOR } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const DATA = '12345678';
/** OcraChallengeTimeout, and CHALLENGE_RETENTION, unless they are set. In seconds. */
const TIMEOUT = 20 * 60;
const RETENTION = 7 * 86_400;

const application = applicationOfTests();
let number = 0;

async function enrol(): Promise<string> {
  number += 1;
  const serial = `OLD${number}`;
  await application.enrolPlain(serial, SUITE);
  return serial;
}

const challenge = async (serial: string): Promise<string> =>
  (await application.challenge(serial, DATA)).transactionid;
const answer = (counter: bigint): string => application.respond(SUITE, DATA, { counter });
/** The clock of these tests jumps by days, which an operator confirms. */
const removed = async (): Promise<number> => {
  const tallies = await application.services.housekeeping.run(OPERATOR, true);
  return tallies?.find(({ chore }) => chore === 'challenges')?.rows ?? -1;
};

it('a challenge that was answered and then removed does not make its response good again, neither for itself nor for the same question put anew', async () => {
  const serial = await enrol();
  const transactionid = await challenge(serial);
  expect(await application.check(transactionid, answer(3n))).toEqual({ failcount: 0, result: true });
  application.clock.advance(TIMEOUT + RETENTION + 1);
  expect(await removed()).toBe(1);
  expect(await application.check(transactionid, answer(3n))).toEqual({ failcount: 0, result: false });
  const again = await challenge(serial);
  expect(await application.check(again, answer(3n))).toEqual({ failcount: 1, result: false });
  expect(await application.check(again, answer(2n))).toEqual({ failcount: 0, result: true });
  expect(await application.check(await challenge(serial), answer(4n))).toEqual({
    failcount: 0,
    result: true,
  });
});

it('a challenge that has expired has a status until its retention ends, to the second', async () => {
  const serial = await enrol();
  const transactionid = await challenge(serial);
  application.clock.advance(TIMEOUT + RETENTION);
  await removed();
  expect(await application.status({ transactionid })).toEqual([
    { serial, transactionid, received_tan: false, valid_tan: false, failcount: 0 },
  ]);
  application.clock.advance(1);
  await removed();
  expect(await application.status({ transactionid })).toEqual([]);
  expect(await application.check(transactionid, answer(0n))).toEqual({ failcount: 0, result: false });
});

it('a challenge that does not expire for a long time stays, and is accepted', async () => {
  await application.services.settings.set(OPERATOR, new Map([['OcraChallengeTimeout', '30D']]));
  const serial = await enrol();
  const transactionid = await challenge(serial);
  application.clock.advance(29 * 86_400);
  expect(await removed()).toBe(0);
  expect(await application.check(transactionid, answer(0n))).toEqual({ failcount: 0, result: true });
});

describe('housekeeping', () => {
  it('reports due, removed and last run in the metrics', async () => {
    await openSession(application.services.administrators, 'admin', 'correct horse');
    application.clock.advance(3600);
    expect(await application.services.housekeeping.round(new AbortController().signal)).toBeGreaterThan(0);
    const text = await application.metrics.text();
    expect(text).toMatch(/^tankeeper_housekeeping_backlog_rows\{what="sessions"\} 0$/m);
    expect(text).toMatch(/^tankeeper_housekeeping_backlog_rows\{what="challenges"\} 0$/m);
    expect(text).toMatch(/^tankeeper_housekeeping_removed_rows_total\{what="sessions"\} 1$/m);
    expect(text).toMatch(/^tankeeper_housekeeping_rounds_total\{outcome="done"\} 1$/m);
    const seconds = application.clock.now().getTime() / 1000;
    expect(text).toContain(`tankeeper_housekeeping_last_round_timestamp_seconds ${seconds}\n`);
  });

  it('is for operators', async () => {
    const { housekeeping } = application.services;
    const caller = { ...OPERATOR, principal: { ...OPERATOR.principal, operator: false } };
    await expect(housekeeping.run(caller)).rejects.toMatchObject({ code: 'right.missing' });
    await expect(housekeeping.due(caller)).rejects.toMatchObject({ code: 'right.missing' });
  });
});
