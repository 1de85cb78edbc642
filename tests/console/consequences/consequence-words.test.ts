import { describe, expect, it } from '@jest/globals';
import { consequenceWords } from '../../../console/src/consequences/consequence-words.ts';
import {
  ownConsequences,
  policyConsequences,
  settingConsequences,
} from '../../../src/consequences/configuration-consequences.ts';
import { RealmConsequences } from '../../../src/consequences/realm-consequences.ts';
import type { Consequence } from '../../../src/consequences/consequence.ts';
import { checkPolicy } from '../../../src/policy/policy.ts';
import { ReadPolicy } from '../../../src/policy/read-policy.ts';
import { configurationOf } from '../../support/values/configuration-value.ts';
import { callerNamed } from '../../support/values/callers.ts';

const AT = new Date('2026-11-20T12:00:00Z');

/** @returns a consequence of every code that the endpoints of the console answer */
async function foretold(): Promise<readonly Consequence[]> {
  const configuration = configurationOf({
    realms: [
      { name: 'office', resolvers: ['staff', 'people'] },
      { name: 'lab', resolvers: ['people'] },
    ],
    resolvers: [{ name: 'staff' }, { name: 'people' }, { name: 'spare', secretStamp: 'f00d' }],
    policies: [
      checkPolicy({
        name: 'answers',
        scope: 'authentication',
        realm: 'office',
        action: 'qrtanurl=https://a.b/c',
      }),
      checkPolicy({ name: 'ocra', scope: 'ocra', action: 'request', user: 'alice, spare:' }),
    ],
  });
  const snapshot = {
    tokens: [{ active: true, assigned: true, realms: ['office'], tokens: 2 }],
    activeUsers: [{ resolver: 'staff', realms: ['office'], inNoRealm: false, users: 2 }],
  };
  const realms = new RealmConsequences({
    counts: {
      snapshot: () => Promise.resolve(snapshot),
    },
    users: { count: () => Promise.resolve(3) },
  });
  const pin = checkPolicy({ name: 'pin', scope: 'authentication', action: 'otppin=1', realm: 'lab' });
  const lost = [{ administrators: ['alice', 'bert'], rights: ['ocra:request'] }];
  const own = checkPolicy({ name: 'ocra', scope: 'ocra', action: 'request', user: 'bert' });
  const system = checkPolicy({ name: 'all', scope: 'admin', action: '*', user: 'alice', realm: 'lab' });
  const fewer = [
    ['OcraChallengeTimeout', '60'],
    ['OcraMaxChallenges', '1'],
    ['OcraMaxChallengeRequests', '1'],
    ['DefaultMaxFailCount', '1'],
    ['ocra.timeShift', '7'],
  ] as const;
  const { principal } = callerNamed('alice');
  return [
    ...(await realms.ofRemoval(configuration, 'office')),
    ...(await realms.ofChange(configuration, 'office', ['people'])),
    ...realms.ofDefault(configuration, 'lab'),
    ...realms.ofDefault(configuration, null),
    ...(await realms.ofResolverRemoval(configuration, 'spare')),
    ...policyConsequences(configuration, [new ReadPolicy(pin)], { lost, nobodyWrites: true }, AT),
    ...ownConsequences(configuration, [new ReadPolicy(own)], principal, AT).consequences,
    ...ownConsequences(configuration, [new ReadPolicy(system)], principal, AT).consequences,
    ...fewer.flatMap(([key, value]) => settingConsequences(new Map(), key, value)),
  ];
}

describe('the German words for consequences', () => {
  it('are there for each of them, with its numbers and names', async () => {
    const all = await foretold();
    expect(new Set(all.map(({ code }) => code)).size).toBeGreaterThanOrEqual(22);
    for (const one of all) {
      const { text, language } = consequenceWords(one, 'de');
      expect([one.code, language]).toEqual([one.code, undefined]);
      expect(text).not.toMatch(/undefined|NaN/);
      const { names = [], rights = [], count = '' } = one;
      for (const told of [...names.slice(0, 4), ...rights.slice(0, 4), String(count)]) {
        expect(text).toContain(told);
      }
    }
  });

  it('fit one and several', () => {
    const german = (code: string, facts: Partial<Consequence>): string =>
      consequenceWords({ code, text: '', ...facts }, 'de').text;
    expect(german('realm.tokens', { count: 1 })).toBe('1 Token verlässt diesen Realm');
    expect(german('realm.tokens', { count: 3 })).toBe('3 Token verlassen diesen Realm');
    expect(german('policy.rights', { names: ['anna'], rights: ['admin:init'] })).toBe(
      'anna verliert admin:init',
    );
    expect(german('realm.policies', { names: ['a', 'b', 'c', 'd', 'e', 'f'] })).toBe(
      'Richtlinien nennen ihn: a, b, c, d und 2 weitere',
    );
  });

  it('are those of the server, marked as English, where there are none', () => {
    expect(consequenceWords({ code: 'new.code', text: 'it ends' }, 'de')).toEqual({
      text: 'it ends',
      language: 'en',
    });
    expect(consequenceWords({ code: 'realm.tokens', text: '3 tokens leave', count: 3 }, 'en')).toEqual({
      text: '3 tokens leave',
      language: undefined,
    });
  });
});
