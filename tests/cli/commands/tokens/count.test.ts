import { describe, expect, it } from '@jest/globals';

import { runProgram } from '../../../../src/cli/program.ts';
import type { CountDrift } from '../../../../src/monitoring/token-counts.ts';
import { fakeCli } from '../../fake-dependencies.ts';

const counts = (...numbers: number[]): object[] =>
  ['total', 'total users', 'assigned', 'unassigned', 'active', 'inactive'].map((status, index) => ({
    status,
    count: numbers[index],
  }));
const REPORT = {
  realms: [
    { realm: 'north', counts: counts(10, 3, 6, 4, 9, 1) },
    { realm: '/:no realm:/', counts: counts(5, 0, 0, 5, 5, 0) },
  ],
  summary: counts(15, 3, 6, 9, 14, 1),
};
const DRIFT: CountDrift = {
  counts: 'active users',
  resolver: 'people',
  userId: null,
  realms: ['north', 'north & south'],
  active: true,
  assigned: true,
  kept: 7,
  counted: 6,
};

describe('tankeeper count', () => {
  it('shows each realm, what is in none, and the summary', async () => {
    const { dependencies, io, calls } = fakeCli({ 'monitoring.tokens': REPORT });
    expect(await runProgram(['count'], dependencies)).toBe(0);
    expect(calls).toEqual([
      ['monitoring.tokens', { realms: '*', status: 'assigned,unassigned,active,inactive' }],
    ]);
    expect(
      io
        .out()
        .split('\n')
        .map((line) => line.split(/\s{2,}/)),
    ).toEqual([
      ['REALM', 'TOTAL', 'ASSIGNED', 'UNASSIGNED', 'ACTIVE', 'INACTIVE', 'TOTAL USERS'],
      ['north', '10', '6', '4', '9', '1', '3'],
      ['/:no realm:/', '5', '0', '5', '5', '0', '0'],
      ['Summary', '15', '6', '9', '14', '1', '3'],
      [''],
    ]);
  });

  it('gives scripts the same', async () => {
    const { dependencies, io } = fakeCli({ 'monitoring.tokens': REPORT });
    expect(await runProgram(['count', '--json'], dependencies)).toBe(0);
    expect(JSON.parse(io.out())).toEqual([
      { realm: 'north', total: 10, assigned: 6, unassigned: 4, active: 9, inactive: 1, totalusers: 3 },
      { realm: '/:no realm:/', total: 5, assigned: 0, unassigned: 5, active: 5, inactive: 0, totalusers: 0 },
      { realm: 'Summary', total: 15, assigned: 6, unassigned: 9, active: 14, inactive: 1, totalusers: 3 },
    ]);
  });
});

describe('tankeeper count --verify', () => {
  it('says so where every count is right', async () => {
    const { dependencies, io } = fakeCli({ 'counts.verify': { total: 0, drifts: [] } });
    expect(await runProgram(['count', '--verify'], dependencies)).toBe(0);
    expect(io.out()).toBe('every count is right\n');
  });

  it('shows each drift and ends with 1', async () => {
    const { dependencies, io, calls } = fakeCli({ 'counts.verify': { total: 3, drifts: [DRIFT] } });
    expect(await runProgram(['count', '--verify'], dependencies)).toBe(1);
    expect(calls).toEqual([['counts.verify']]);
    expect(io.out()).toMatch(/active users +people +north, north & south +yes +yes +7 +6\n… and 2 more\n$/);
    expect(io.err()).toBe('tankeeper: 3 counts have drifted: see --repair\n');
  });

  it('gives scripts each drift, and 1', async () => {
    const { dependencies, io } = fakeCli({ 'counts.verify': { total: 1, drifts: [DRIFT] } });
    expect(await runProgram(['count', '--verify', '--json'], dependencies)).toBe(1);
    const { userId, ...same } = DRIFT;
    expect(JSON.parse(io.out())).toEqual([{ ...same, userid: userId }]);
  });

  it('sets right what it shows with --repair, and ends well', async () => {
    const { dependencies, io, calls } = fakeCli({ 'counts.repair': { total: 1, drifts: [DRIFT] } });
    expect(await runProgram(['count', '--verify', '--repair'], dependencies)).toBe(0);
    expect(calls).toEqual([['counts.repair']]);
    expect(io.out()).toMatch(/1 count has drifted; set right now\n$/);
  });

  it('is what --repair needs', async () => {
    const { dependencies, calls } = fakeCli();
    expect(await runProgram(['count', '--repair'], dependencies)).toBe(2);
    expect(calls).toEqual([]);
  });
});
