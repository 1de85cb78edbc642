import { describe, expect, it } from '@jest/globals';
import { EMPTY_FORM, formAt, subjectIn } from '../../../console/src/audit/audit-filters.ts';
import { userAuditAddress } from '../../../console/src/helpdesk/addresses.ts';
import { makeSession } from '../../../console/src/session/shown.ts';
import { OUTCOME_WORDS } from '../../../src/audit/acts.ts';
import { outcomeText, typableOutcomes, typedOutcome } from '../../../console/src/audit/outcome-words.ts';

it.each([
  ['#/audit', ''],
  ['#/audit/subject/A%2FB%25', 'A/B%'],
  ['#/audit/subject/%', ''],
])('the address %s names the object %j', (hash, subject) => {
  expect(subjectIn(hash)).toBe(subject);
});

it('the address of the audit of a user asks for the rows about their tokens, of all times', () => {
  const address = userAuditAddress({ user: 'A/B%', realm: 'north' });
  expect(formAt(`#${address}`)).toEqual({ ...EMPTY_FORM, user: 'A/B%@north', period: 'all' });
  expect(formAt('#/audit/subject/QR1')).toEqual({ ...EMPTY_FORM, serial: 'QR1', period: 'all' });
  expect(formAt('#/audit')).toEqual(EMPTY_FORM);
});

const READER = makeSession({
  administrator: 'desk',
  rights: ['audit', 'set'].map((action) => ({ scope: 'admin', action, realms: '*' })),
  realms: ['north', 'south'],
});

describe('the outcome of an audit row', () => {
  it.each([
    ['accepted', 'angenommen'],
    ['changed owner, realms', 'geändert Inhaber, Realms'],
    ['refused: no right admin:remove in the API token', 'abgelehnt: kein Recht admin:remove im API-Token'],
    ['second factor: token QR1', 'zweiter Faktor: Token QR1'],
    ['passkey added: <b>owner</b>, 3 times', 'Passkey hinzugefügt: <b>owner</b>, 3 times'],
    [
      'refused: single sign-on, no group that may sign in: the claim groups has 3 users, at desk',
      'abgelehnt: Single Sign-on, keine Gruppe, die sich anmelden darf: the claim groups has 3 users, at desk',
    ],
    ['constructor', 'constructor'],
    ['<img src=x>', '<img src=x>'],
    [
      'exhausted, right response',
      'falsch, beim letzten Versuch der Transaktion, aber die Antwort war richtig',
    ],
    [
      'handed out as csv, selected by actor and realm, since 2026-11-01T00:00:00.000Z, bound to realms',
      'herausgegeben als csv, ausgewählt nach actor und realm, seit 2026-11-01T00:00:00.000Z, auf Realms beschränkt',
    ],
    [
      'removed 3 challenges, 2 sessions, 1 rate limits, 0 response minutes',
      'entfernt 3 Challenges, 2 Sitzungen, 1 Zähler von Limits, 0 Minutenwerte von Antworten',
    ],
    ['renamed from at 3 users', 'umbenannt, vorher at 3 users'],
  ])('is in German, with its details: %s', (outcome, german) => {
    expect(outcomeText(outcome, 'de', 'admin/set')).toBe(german);
  });

  it('is found by its words in either language, and by those of the server', () => {
    expect(typedOutcome(' Angenommen ', 'de')).toBe('accepted');
    expect(typedOutcome('Sitzung begonnen', 'de')).toBe('session opened');
    expect(typedOutcome('deaktiviert', 'de')).toBe('disabled');
    expect(typedOutcome('The token is locked', 'en')).toBe('locked');
    expect(typedOutcome('refused', 'de')).toBe('refused');
    expect(typedOutcome('other', 'en')).toBe('other');
  });

  it.each(['en', 'de'] as const)('is offered in words for each that the server knows, in %s', (language) => {
    const known = OUTCOME_WORDS;
    const typable = typableOutcomes(known, language, READER).map((words) => typedOutcome(words, language));
    expect(typable.filter((outcome) => !known.includes(outcome.split(/[ :,]/)[0] ?? ''))).toEqual([]);
    expect(known.filter((word) => !typable.some((outcome) => outcome.startsWith(word)))).toEqual([]);
  });

  it('has German words wherever the server knows the outcome', () => {
    const known = OUTCOME_WORDS;
    const german = typableOutcomes(known, 'de', READER);
    expect(german.filter((words) => known.includes(words))).toEqual([]);
  });
});
