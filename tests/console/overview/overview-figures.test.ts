import { describe, expect, it } from '@jest/globals';
import {
  NO_REALM,
  outcomeRows,
  realmRows,
  resolverRows,
  responseSeries,
  soughtRows,
} from '../../../console/src/overview/overview-figures.ts';

const numbers = (total: number): Record<string, number> & { total: number } => ({
  total,
  active: total,
  inactive: 0,
  assigned: total,
  unassigned: 0,
  locked: 0,
});

const tokensOf = (totals: Readonly<Record<string, number>>): Parameters<typeof realmRows>[0]['tokens'] =>
  ({
    realms: Object.entries(totals).map(([realm, total]) => ({ realm, ...numbers(total) })),
    summary: numbers(0),
  }) as unknown as Parameters<typeof realmRows>[0]['tokens'];

describe('rows of realms', () => {
  it('begin with the realm that has most tokens, and end with no realm', () => {
    const rows = realmRows({
      tokens: tokensOf({ small: 1, [NO_REALM]: 99, b: 5, a: 5, large: 7 }),
      active_users: { realms: [{ realm: 'small', users: 4 }], total: 4 },
    });
    expect(rows.map(({ realm }) => realm)).toEqual(['large', 'a', 'b', 'small', NO_REALM]);
    expect(rows[3]).toMatchObject({ activeUsers: 4, tokens: { total: 1 } });
    expect(rows[0]).toMatchObject({ activeUsers: undefined });
  });

  it('are those of active users where tokens may not be seen', () => {
    const realms = ['few', 'many'].map((realm, place) => ({ realm, users: place + 1 }));
    const rows = realmRows({ tokens: null, active_users: { realms, total: 3 } });
    expect(rows.map(({ realm }) => realm)).toEqual(['many', 'few']);
    expect(realmRows({ tokens: null, active_users: null })).toEqual([]);
  });

  it('are found by a part of the name in any case', () => {
    const rows = realmRows({ tokens: tokensOf({ north: 3, northwest: 2, south: 1 }), active_users: null });
    expect(soughtRows(rows, ' NORTH ', 1)).toMatchObject({ rows: [{ realm: 'north' }], found: 2 });
    expect(soughtRows(rows, '', 10)).toHaveProperty('found', 3);
    expect(soughtRows(rows, 'east', 10)).toEqual({ rows: [], found: 0 });
  });
});

describe('series of responses', () => {
  const minute = (
    outcomes: Record<string, number>,
  ): Parameters<typeof responseSeries>[0]['minutes'][number] => ({
    minute: '2026-11-20T12:00:00Z',
    outcomes,
    p50_ms: 1,
    p95_ms: 2,
  });

  it('have the groups that there were, minute by minute, and count every outcome once', () => {
    const minutes = [
      minute({ accepted: 2, wrong: 1, exhausted: 1 }),
      minute({}),
      minute({ closed: 1, dropped: 1, expired: 1, unknown: 1, nothing_open: 1, unverifiable: 1 }),
    ];
    expect(responseSeries({ minutes })).toEqual([
      { group: 'accepted', counts: [2, 0, 0] },
      { group: 'wrong', counts: [2, 0, 0] },
      { group: 'over', counts: [0, 0, 3] },
      { group: 'other', counts: [0, 0, 3] },
    ]);
  });

  it('are none without responses', () => {
    expect(responseSeries({ minutes: [minute({})] })).toEqual([]);
  });
});

describe('outcomes', () => {
  it('begin with the most frequent', () => {
    expect(outcomeRows({ wrong: 1, accepted: 5 })).toEqual([
      ['accepted', 5],
      ['wrong', 1],
    ]);
  });
});

describe('rows of resolvers', () => {
  const health = (
    resolver: string,
    state: 'available' | 'unavailable' | 'unknown',
  ): NonNullable<Parameters<typeof resolverRows>[0]['resolvers']>[number] => ({
    resolver,
    kind: 'ldap',
    state,
    succeeded: null,
    failed: null,
  });

  it('begin with those that need a look', () => {
    const rows = resolverRows({
      resolvers: [health('b', 'available'), health('new', 'unknown'), health('z', 'unavailable')],
      users: [{ resolver: 'b', realms: ['a'], users: 3, counted: null }],
    });
    expect(rows.map(({ resolver }) => resolver)).toEqual(['z', 'new', 'b']);
    expect(rows[2]).toMatchObject({ health: { state: 'available' }, users: { users: 3 } });
    expect(resolverRows({ resolvers: null, users: null })).toEqual([]);
  });
});
