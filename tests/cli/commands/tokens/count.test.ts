import { describe, expect, it } from '@jest/globals';
import type { CountDrift } from '../../../../src/monitoring/token-counts.ts';
import { runFake } from '../../fake-dependencies.ts';

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
  it('shows each realm, what is in none, and the summary, to people and to scripts', async () => {
    const { code, out, calls } = await runFake('count', { 'monitoring.tokens': REPORT });
    const asked = { realms: '*', status: 'assigned,unassigned,active,inactive' };
    expect([code, calls]).toEqual([0, [['monitoring.tokens', asked]]]);
    expect(out.split('\n').map((line) => line.split(/\s{2,}/))).toEqual([
      ['REALM', 'TOTAL', 'ASSIGNED', 'UNASSIGNED', 'ACTIVE', 'INACTIVE', 'TOTAL USERS'],
      ['north', '10', '6', '4', '9', '1', '3'],
      ['/:no realm:/', '5', '0', '5', '5', '0', '0'],
      ['Summary', '15', '6', '9', '14', '1', '3'],
      [''],
    ]);
    const json = (await runFake('count --json', { 'monitoring.tokens': REPORT })).out;
    const north = { total: 10, assigned: 6, unassigned: 4, active: 9, inactive: 1, totalusers: 3 };
    expect(JSON.parse(json)).toContainEqual({ realm: 'north', ...north });
  });

  it('--verify shows each drift and ends with 1, or says that every count is right', async () => {
    const { code, out, err } = await runFake('count --verify', {
      'counts.verify': { total: 3, drifts: [DRIFT] },
    });
    expect([code, err]).toEqual([1, 'tankeeper: 3 counts have drifted: see --repair\n']);
    expect(out).toMatch(/active users +people +north, north & south +yes +yes +7 +6\n… and 2 more\n$/);
    const right = await runFake('count --verify', { 'counts.verify': { total: 0, drifts: [] } });
    expect(right).toMatchObject({ code: 0, out: 'every count is right\n' });
  });

  it('--verify --repair sets right what it shows, and ends well; --repair alone is no option', async () => {
    const { code, out, calls } = await runFake('count --verify --repair', {
      'counts.repair': { total: 1, drifts: [DRIFT] },
    });
    expect([code, calls]).toEqual([0, [['counts.repair']]]);
    expect(out).toMatch(/1 count has drifted; set right now\n$/);
    expect(await runFake('count --repair')).toMatchObject({ code: 2, calls: [] });
  });
});
