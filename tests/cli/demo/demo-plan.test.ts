import { describe, expect, it } from '@jest/globals';
import { demoPlan, TOUR_USER } from '../../../src/cli/demo/demo-content.ts';
import { expectedActiveUserRows, expectedTokenRows, expectedUserRows } from '../../../src/cli/demo/tour.ts';

const plan = demoPlan();

describe("the demo's plan", () => {
  it('has two realms, forty users of different logins and a hundred tokens of different serials', () => {
    const logins = plan.realms.flatMap((realm) => realm.logins);
    expect(plan.realms).toHaveLength(2);
    expect(new Set(logins).size).toBe(40);
    expect(logins).toHaveLength(40);
    expect(new Set(plan.tokens.map(({ serial }) => serial)).size).toBe(100);
  });

  it('has tokens of all conditions', () => {
    const count = (wanted: (token: (typeof plan.tokens)[number]) => boolean): number =>
      plan.tokens.filter(wanted).length;
    expect(count(({ owner }) => owner === null)).toBeGreaterThan(10);
    expect(count(({ active }) => !active)).toBeGreaterThan(10);
    expect(count(({ realms }) => realms.length === 0)).toBeGreaterThan(1);
    expect(count(({ realms, active }) => realms.length === 2 && active)).toBe(1);
  });

  it('leaves the user of the tour without a token', () => {
    expect(plan.tokens.filter(({ owner }) => owner?.login === TOUR_USER.login)).toEqual([]);
  });
});

describe('the counts that monitoring must give', () => {
  const small = {
    realms: [
      { name: 'a', resolver: 'ra', logins: ['x', 'y'] },
      { name: 'b', resolver: 'rb', logins: ['z'] },
    ],
    tokens: [
      { serial: '1', owner: { login: 'x', realm: 'a' }, realms: ['a'], active: true },
      { serial: '2', owner: { login: 'x', realm: 'a' }, realms: ['a'], active: true },
      { serial: '3', owner: { login: 'z', realm: 'b' }, realms: ['a', 'b'], active: true },
      { serial: '4', owner: { login: 'y', realm: 'a' }, realms: ['a'], active: false },
      { serial: '5', owner: null, realms: ['b'], active: false },
      { serial: '6', owner: null, realms: [], active: true },
    ],
  };

  it('count a token in each of its realms, and once in the summary', () => {
    expect(expectedTokenRows(small, ['assigned', 'unassigned&inactive'])).toEqual([
      ['a', 'total', 4],
      ['a', 'total users', 2],
      ['a', 'assigned', 4],
      ['a', 'unassigned&inactive', 0],
      ['b', 'total', 2],
      ['b', 'total users', 1],
      ['b', 'assigned', 1],
      ['b', 'unassigned&inactive', 1],
      ['Summary', 'total', 5],
      ['Summary', 'total users', 2],
      ['Summary', 'assigned', 4],
      ['Summary', 'unassigned&inactive', 1],
    ]);
  });

  it('count users by realm and resolver', () => {
    expect(expectedUserRows(small)).toEqual([
      ['a', 'ra', 2],
      ['b', 'rb', 1],
    ]);
  });

  it('count users who own an active token, each once', () => {
    expect(expectedActiveUserRows(small)).toEqual([
      ['a', 'ra', 1],
      ['b', 'rb', 1],
      ['Total', '', 2],
    ]);
  });
});
