import { describe, expect, it } from '@jest/globals';
import { checkClock, checkConnections, checkDatabase } from '../../src/doctor/database-check.ts';

const codes = (findings: readonly { readonly code: string }[]): readonly string[] =>
  findings.map(({ code }) => code);

describe('the version and the limits of statements', () => {
  const facts = { version: 140_000, settings: new Map<string, string>(), isReadOnly: false };

  it('PostgreSQL 13 is too old, 14 is not', () => {
    expect(codes(checkDatabase({ ...facts, version: 130_022 }))).toEqual(['database.version']);
    expect(checkDatabase(facts)).toEqual([]);
  });

  it.each([
    ['statement_timeout', '0', '10s'],
    ['idle_in_transaction_session_timeout', '0', '10s'],
    ['idle_in_transaction_session_timeout', '2h', '500ms'],
    ['tcp_keepalives_idle', '7200', '4'],
    ['tcp_user_timeout', '0', '10000'],
    ['tcp_user_timeout', '900000', '59000'],
  ])('a limit that a pooler drops is found: %s = %s, and not %s', (name, wrong, right) => {
    const settings = (value: string): ReadonlyMap<string, string> => new Map([[name, value]]);
    expect(codes(checkDatabase({ ...facts, settings: settings(wrong) }))).toEqual([`database.${name}`]);
    expect(checkDatabase({ ...facts, settings: settings(right) })).toEqual([]);
  });
});

describe('connections', () => {
  it.each([
    // Of each server the pool and two more, and four for a command.
    [10, 0, 16],
    [10, 1, 16],
    [10, 3, 40],
    [23, 2, 54],
  ])('of a pool of %i with %i running servers must be %i', (pool, servers, needed) => {
    expect(checkConnections(pool, { granted: needed, servers })).toEqual([]);
    const [finding] = checkConnections(pool, { granted: needed - 1, servers });
    expect(finding?.text).toContain(`may need ${needed}`);
  });
});

describe('the clock', () => {
  const clockOf = (...times: number[]): { now: () => Date } => ({ now: () => new Date(times.shift() ?? 0) });
  const there = (time: number) => (): Promise<Date> => Promise.resolve(new Date(time));

  it.each([
    ['within the duration of a slow answer', [0, 9_000], 5_000, undefined],
    ['two seconds ahead', [0, 0], 2_000, undefined],
    ['more ahead', [0, 0], 2_100, 'the clock of the database is 2.1 s ahead of the clock here'],
    ['behind', [10_000, 10_000], 0, 'the clock of the database is 10.0 s behind the clock here'],
  ])('that is %s', async (_what, here, databaseTime, text) => {
    const [finding] = await checkClock(clockOf(...here), there(databaseTime));
    expect(finding?.text.split(':')[0]).toBe(text);
  });
});
