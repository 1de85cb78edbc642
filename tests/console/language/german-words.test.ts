import { describe, expect, it } from '@jest/globals';
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

describe('what the server says in words of its own', () => {
  it('has German words for each type of events', () => {
    expect(Object.keys(webhookTexts.de.eventMeanings).sort()).toEqual(Object.keys(EVENT_TYPES).sort());
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
});

describe('the German words for consequences', () => {
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
