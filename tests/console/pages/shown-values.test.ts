import { describe, expect, it } from '@jest/globals';
import {
  NO_REALM,
  outcomeRows,
  realmRows,
  resolverRows,
  responseSeries,
  soughtRows,
} from '../../../console/src/overview/overview-figures.ts';
import { stacked } from '../../../console/src/overview/stacked-series.ts';
import { draftOf, parametersOf, withoutPassword } from '../../../console/src/resolvers/resolver-draft.ts';
import { moved } from '../../../console/src/realms/order.ts';
import { isRotating, progressOf, type ShownKey } from '../../../console/src/keys/rotation.ts';

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
    p50: 1,
    p95: 2,
  });

  it('have the groups that there were, minute by minute, and count every outcome once', () => {
    const minutes = [
      minute({ accepted: 2, wrong: 1, exhausted: 1 }),
      minute({}),
      minute({ closed: 1, dropped: 1, expired: 1, unknown: 1, 'nothing open': 1, unverifiable: 1 }),
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
    succeeded_at: null,
    failed_at: null,
  });

  it('begin with those that need a look', () => {
    const rows = resolverRows({
      resolvers: [health('b', 'available'), health('new', 'unknown'), health('z', 'unavailable')],
      users: [{ resolver: 'b', realms: ['a'], users: 3, counted_at: null }],
    });
    expect(rows.map(({ resolver }) => resolver)).toEqual(['z', 'new', 'b']);
    expect(rows[2]).toMatchObject({ health: { state: 'available' }, users: { users: 3 } });
    expect(resolverRows({ resolvers: null, users: null })).toEqual([]);
  });
});

it('puts each series upon those before it, and the highest sums first', () => {
  expect(
    stacked([
      { name: 'accepted', values: [3, null, 0] },
      { name: 'wrong', values: [1, 2, null] },
    ]),
  ).toEqual([
    { name: 'wrong', values: [4, 2, 0] },
    { name: 'accepted', values: [3, 0, 0] },
  ]);
});

const STORED = {
  name: 'crm',
  kind: 'sql',
  settings: { Server: 'db.example.com' },
  has_secret: true,
} as const;
const KIND = {
  kind: 'sql',
  meaning: '',
  settings: ['Server', 'Password'].map((name) => ({
    kind: 'sql' as const,
    name,
    description: '',
    is_required: false,
    ...(name === 'Password' && { is_secret: true }),
  })),
} as const;

describe('the form of a resolver', () => {
  it('sends what is filled in and what was emptied, and the password apart', () => {
    const draft = draftOf(STORED);
    expect(parametersOf(draft, KIND)).toEqual({ name: 'crm', set: '{"Server":"db.example.com"}' });
    const typed = { ...draft, values: { ...draft.values, Password: 'p', Server: '' } };
    expect(parametersOf(typed, KIND)).toEqual({ name: 'crm', set: '{"Server":""}', secret: 'p' });
  });

  it('removes the stored password on request, not by an empty field', () => {
    const draft = { ...draftOf(STORED), values: { Password: '' } };
    expect(parametersOf(draft, KIND)).toEqual({ name: 'crm', set: '{}' });
    expect(parametersOf({ ...draft, removesPassword: true }, KIND)).toMatchObject({ remove_secret: '1' });
  });

  it('forgets the password that was saved, and nothing else', () => {
    const typed = { ...draftOf(STORED), values: { Server: 'other', Password: 'p' }, removesPassword: true };
    expect(withoutPassword(typed, KIND)).toEqual({
      name: 'crm',
      kind: 'sql',
      removesPassword: false,
      values: { Server: 'other', Password: '' },
    });
  });
});

it.each([
  ['b', -1, ['b', 'a', 'c']],
  ['b', 1, ['a', 'c', 'b']],
  ['a', -1, ['a', 'b', 'c']],
  ['c', 1, ['a', 'b', 'c']],
  ['x', 1, ['a', 'b', 'c']],
] as const)('a list with %s moved by %d', (thing, by, expected) => {
  expect(moved(['a', 'b', 'c'], thing, by)).toEqual(expected);
});

const AT = '2026-11-20T12:00:00.000Z';
const key = (state: ShownKey['state'], secrets?: number): ShownKey => ({
  key_id: 'aa'.repeat(8),
  state,
  created_at: AT,
  ...(secrets !== undefined && { secrets }),
});

describe('a rotation', () => {
  it('is under way while a secret is sealed with another key', () => {
    const keys = [key('current', 3), key('needed', 2)];
    expect(progressOf(keys)).toEqual({ done: 3, all: 5 });
    expect(isRotating(keys)).toBe(true);
    expect(isRotating([key('current', 3)])).toBe(false);
    expect(isRotating([key('current'), key('former')])).toBe(false);
  });
});
