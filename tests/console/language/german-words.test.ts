import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { transactionTexts } from '../../../console/src/helpdesk/transaction-texts.ts';
import { overviewTexts } from '../../../console/src/overview/overview-texts.ts';
import { webhookTexts } from '../../../console/src/webhooks/webhook-texts.ts';
import { EVENT_TYPES } from '../../../src/webhooks/webhook-event.ts';
import { meaningOf } from '../../../console/src/policies/action-meanings.ts';
import { settingTexts } from '../../../console/src/settings/setting-texts.ts';
import { KNOWN_SETTINGS } from '../../../src/configuration/settings.ts';
import { describedActions } from '../../../src/policy/policy-actions.ts';
import { POLICY_SCOPES } from '../../../src/policy/stored-policy.ts';
import { settingTexts as resolverTexts } from '../../../console/src/resolvers/setting-texts.ts';
import { describedKinds } from '../../../src/resolvers/settings/settings-rules.ts';
import { CONFIGURATION_FINDINGS } from '../../../src/doctor/configuration-findings.ts';
import {
  DATABASE_FINDINGS,
  PROCESS_FINDINGS,
  UNREAD_KEY,
  UPKEEP_FINDINGS,
} from '../../../src/doctor/installation-findings.ts';
import { findingWords } from '../../../console/src/health/finding-words.ts';
import { consequenceWords } from '../../../console/src/consequences/consequence-words.ts';
import { ConsequenceService } from '../../../src/consequences/consequence-service.ts';
import type { Consequence } from '../../../src/consequences/consequence.ts';
import { GivenConfiguration } from '../../support/values/configuration-value.ts';
import { managedUser } from '../../support/values/token-values.ts';
import { callerNamed } from '../../support/values/callers.ts';

const CHALLENGES = join(import.meta.dirname, '..', '..', '..', 'src', 'challenges');

/** @returns the texts in the source after each of these beginnings */
function textsAfter(file: string, beginnings: RegExp): readonly string[] {
  const source = readFileSync(join(CHALLENGES, file), 'utf8');
  return [...source.matchAll(beginnings)].map(([, text = '']) => text).filter((text) => text !== '');
}

describe('what the server says in words of its own', () => {
  it('has German words for each type of events', () => {
    expect(Object.keys(webhookTexts.de.eventMeanings).sort()).toEqual(Object.keys(EVENT_TYPES).sort());
  });

  it('has German words for each reason in the history of a transaction', () => {
    const written = textsAfter(
      'transaction-service.ts',
      /\breason: (?:word === 'wrong' \? \w+ : )?'([^']*)'/g,
    );
    const named = textsAfter(
      'transaction-service.ts',
      /^const [A-Z_]+ = '([a-z][^']+)';|_REASON = '([^']+)'/gm,
    );
    const causes = textsAfter('transaction-service.ts', /^ {2}'right \w+': '([^']+)'/gm);
    const reasons = [...written, ...named, ...causes];
    expect(reasons.length).toBeGreaterThan(14);
    expect(reasons.filter((reason) => transactionTexts.de.reasons[reason] === undefined)).toEqual([]);
  });

  it('has words for each end of a response on the overview in both languages', () => {
    const source = readFileSync(join(CHALLENGES, 'challenge.ts'), 'utf8');
    const [, list = ''] = /RESPONSE_REASONS = \[([^\]]*)\]/.exec(source) ?? [];
    const ends = [...list.matchAll(/'([^']+)'/g)].map(([, end = '']) => end);
    expect(ends.length).toBeGreaterThan(10);
    for (const language of ['en', 'de'] as const) {
      expect(ends.filter((end) => overviewTexts[language].outcomes[end] === undefined)).toEqual([]);
    }
  });
});

describe('the German words of the console', () => {
  it('explain every setting that the server obeys, and no other', () => {
    const keys = KNOWN_SETTINGS.map(({ key }) => key);
    expect(Object.keys(settingTexts.de.meanings).sort()).toEqual(keys.sort());
  });

  it.each(POLICY_SCOPES)('explain every action of the scope %s', (scope) => {
    const untold = describedActions(scope).filter(
      ({ name, meaning }) => meaningOf('de', `${scope}:${name}`, meaning) === meaning,
    );
    expect(untold).toEqual([]);
  });
});

const settings = describedKinds()
  .settings.filter(({ name }) => name !== 'Connect')
  .map(({ kind, name }) => [kind, name] as const);

describe('the words of the console for settings of resolvers', () => {
  it.each(settings)('name %s %s in both languages, and explain it in German', (kind, name) => {
    expect(resolverTexts.en.labels[name]).toEqual(expect.any(String));
    expect(resolverTexts.de.labels[name]).toEqual(expect.any(String));
    expect(resolverTexts.de.meanings[`${kind} ${name}`]).toEqual(expect.any(String));
  });

  it.each(describedKinds().kinds)('name the kind $kind', ({ kind }) => {
    expect(resolverTexts.en.kinds[kind]).toEqual(expect.any(String));
    expect(resolverTexts.de.meanings[kind]).toEqual(expect.any(String));
  });

  it('speak of nothing that is not there', () => {
    const known = [
      ...settings.map(([kind, name]) => `${kind} ${name}`),
      ...describedKinds().kinds.map(({ kind }) => kind),
    ];
    expect(Object.keys(resolverTexts.de.meanings).sort()).toEqual(known.sort());
  });
});

describe('the findings on the health page', () => {
  it('are each in German, with what helps', () => {
    const found = {
      ...PROCESS_FINDINGS,
      ...DATABASE_FINDINGS,
      ...UPKEEP_FINDINGS,
      ...CONFIGURATION_FINDINGS,
      ...UNREAD_KEY,
    };
    for (const code of [...Object.keys(found), 'doctor.incomplete']) {
      expect([code, findingWords(code, 'de')]).toEqual([code, expect.anything()]);
    }
  });

  it('are in the words of the server in English, and where the code is of a newer one', () => {
    expect(findingWords('backup.old', 'en')).toBeUndefined();
    expect(findingWords('toString', 'de')).toBeUndefined();
  });
});

const AT = new Date('2026-11-20T12:00:00Z');

/** @returns a consequence of every code that the endpoints of the console answer */
async function foretold(): Promise<readonly Consequence[]> {
  const configuration = new GivenConfiguration({
    realms: [
      { name: 'office', resolvers: ['staff', 'people'] },
      { name: 'lab', resolvers: ['people'] },
    ],
    resolvers: [{ name: 'staff' }, { name: 'people' }, { name: 'spare' }],
    policies: [],
  });
  const tokens = [{ active: true, assigned: true, realms: ['office'], tokens: 2 }];
  const administrators = ['alice', 'bert'].map((name) => ({
    id: name,
    name,
    passwordHash: '',
    createdAt: AT,
  }));
  const user = { resolverId: '1', userId: '1', ...managedUser('ann', { passwordHash: 'hash' }) };
  const service = new ConsequenceService({
    configuration,
    counts: { snapshot: () => Promise.resolve({ tokens, activeUsers: [] }) },
    tokens: { findBySerial: () => Promise.resolve(undefined), count: () => Promise.resolve(2) },
    users: { count: () => Promise.resolve(3), findByLogin: () => Promise.resolve(user) },
    administrators: { list: () => Promise.resolve(administrators), listApiTokens: () => Promise.resolve([]) },
    clock: { now: () => AT },
  });
  const alice = callerNamed('alice');
  const lists = await Promise.all([
    service.ofRealmRemoval('office'),
    service.ofRealmChange({ name: 'office', resolvers: ['people'] }),
    service.ofDefaultRealm(null),
    service.ofResolverRemoval('spare'),
    service.ofUserRemoval({ resolver: 'staff', login: 'ann' }),
    service.ofPasswordRemoval({ resolver: 'staff', login: 'ann' }),
    service.ofPolicy(alice, { name: 'all', scope: 'system', action: '*', user: 'carol' }),
    service.ofPolicy(alice, { name: 'lab', scope: 'admin', action: '*', user: 'alice', realm: 'lab' }),
  ]);
  return lists.flat();
}

describe('the German words for consequences', () => {
  it('are there for each of them, with its numbers and names', async () => {
    const all = await foretold();
    expect(new Set(all.map(({ code }) => code)).size).toBe(12);
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
    expect(german('policy.rights', { names: ['a', 'b', 'c', 'd', 'e', 'f'], rights: ['admin:init'] })).toBe(
      'a, b, c, d und 2 weitere verlieren admin:init',
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
