import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  EMPTY_FORM,
  filtersOf,
  formAt,
  outcomeColour,
  subjectIn,
  subjectPath,
} from '../../../console/src/audit/audit-filters.ts';
import { userAuditAddress } from '../../../console/src/helpdesk/addresses.ts';
import { formatIn } from '../../../console/src/language/format.ts';
import { makeSession, type Session } from '../../../console/src/session/shown.ts';
import { OUTCOME_WORDS } from '../../../src/audit/acts.ts';
import { outcomeText, typableOutcomes, typedOutcome } from '../../../console/src/audit/outcome-words.ts';
import type { Token, TokenChange } from '../../../src/tokens/token.ts';

const IN_UTC = formatIn('en', 'UTC');

describe('the filters of a form', () => {
  it('leave out what is empty, and blanks around texts', () => {
    expect(filtersOf({ ...EMPTY_FORM, serial: ' QR1 ', actor: '  ' }, IN_UTC)).toEqual({
      serial: 'QR1',
      since: '1D',
    });
    expect(filtersOf({ ...EMPTY_FORM, period: 'all' }, IN_UTC)).toEqual({});
  });

  it('give times in UTC', () => {
    const from = '2026-11-20T10:00';
    const form = { ...EMPTY_FORM, period: 'own' } as const;
    expect(filtersOf({ ...form, from }, IN_UTC)).toEqual({ since: '2026-11-20T10:00:00.000Z' });
    expect(filtersOf({ ...form, to: from }, IN_UTC)).toEqual({ until: '2026-11-20T10:00:00.000Z' });
    expect(filtersOf({ ...form, to: from }, formatIn('en', 'local'))).toEqual({
      until: new Date(from).toISOString(),
    });
    // A period in words takes no times that were typed before.
    expect(filtersOf({ ...EMPTY_FORM, period: '1H', from }, IN_UTC)).toEqual({ since: '1H' });
  });
});

it.each([
  ['#/audit', ''],
  ['#/audit/subject/QR1', 'QR1'],
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

describe('a row', () => {
  it.each([
    [{ action: 'ocra/check_t', subject: 'A/B 1' }, '/tokens/A~2f~B~20~1'],
    [{ action: 'admin/init', subject: 'QR1' }, '/tokens/QR1'],
    [{ action: 'token/reset', subject: '' }, undefined],
    [{ action: 'policy/set', subject: 'QR1' }, undefined],
  ])('about %j leads to %s', (row, path) => {
    expect(subjectPath(row)).toBe(path);
  });

  it.each([
    ['accepted', 'green'],
    ['refused: no right', 'red'],
    ['wrong', 'red'],
    ['changed owner', 'gray'],
  ])('with the outcome %s is %s', (outcome, colour) => {
    expect(outcomeColour(outcome)).toBe(colour);
  });
});

const SOURCES = join(import.meta.dirname, '..', '..', '..', 'src');
/** What writes outcomes, and the texts beside them that are none. */
const WRITERS =
  /\b(?:audit\.write|auditEntry|target\.audit|noteTest|note|writeAll)\(|\boutcome(?:: | = )|\bOUTCOMES\b[^=]*= \{|\btype RefusedCredentials = ?/g;
const NO_WRITERS =
  /^(?:cli|operations|observability|embedded-postgres|http\/(?:limits|controllers|serving)|linotp\/installation)/;
const NO_OUTCOMES =
  /^(?:audit|counts|challenges|schema|backup|text|read|left|taken|value|answered|absent|changing|unavailable|left to another server|shared work .*|serial|realm|administrator\/|7\/7|[\w-]+\/[\w-]+|, |--.*)$/;
/** Words of both languages, and names. */
const SAME_IN_GERMAN = [
  'token',
  'realm',
  'passkey',
  'policy',
  'resolver',
  'challenges',
  'pin',
  'csrf',
  'api',
  'link',
  'hash',
  'single',
  'sign',
  'on',
];

/** @returns the outcomes that the source writes, with 7 for what it puts in */
function writtenOutcomes(): readonly string[] {
  const found = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !NO_WRITERS.test(path))
    .flatMap((path) => {
      const source = readFileSync(join(SOURCES, path), 'utf8');
      return [...source.matchAll(WRITERS)].flatMap(({ 0: call, index }) =>
        textsIn(argumentsAt(source, index + call.length, /[({]$/.test(call))),
      );
    });
  return [...new Set(found)].filter((text) => text !== '' && !NO_OUTCOMES.test(text)).sort();
}

const DEPTHS: ReadonlyMap<string, number> = new Map([
  ['(', 1],
  ['[', 1],
  ['{', 1],
  [')', -1],
  [']', -1],
  ['}', -1],
]);

/** @returns the source up to the end of the call, the object or the statement */
function argumentsAt(source: string, from: number, isOpen: boolean): string {
  const ends = isOpen ? /^$/ : /^[,;]?$/;
  let depth = isOpen ? 1 : 0;
  for (let at = from; at < source.length; at += 1) {
    const character = source.charAt(at);
    depth += DEPTHS.get(character) ?? 0;
    const isOver = depth < 0 || (depth === 0 && ends.test(DEPTHS.get(character) === -1 ? '' : character));
    if (isOver) {
      return source.slice(from, at);
    }
  }
  return '';
}

function textsIn(code: string): readonly string[] {
  const texts = code.replaceAll(/\$\{[^{}]*\}/g, '7').matchAll(/'([^'\n]*)'|`([^`]*)`/g);
  return [...texts].map(([, plain, template]) => plain ?? template ?? '');
}

function wordsOf(text: string): readonly string[] {
  return (text.match(/[A-Za-zÄÖÜäöüß]+/g) ?? []).map((word) => word.toLowerCase());
}

type ChangedField =
  | Exclude<keyof TokenChange, 'isLost' | 'mayChangeFactor' | 'secrets' | 'use'>
  | keyof Token['secrets']
  | keyof Token['use'];

const FIELDS: Readonly<Record<ChangedField, true>> = {
  active: true,
  owner: true,
  realms: true,
  description: true,
  failCount: true,
  maxFail: true,
  counter: true,
  counterWindow: true,
  syncWindow: true,
  timeShift: true,
  timeWindow: true,
  algorithm: true,
  rollout: true,
  replayMarkers: true,
  lastSuccessAt: true,
  syncMarker: true,
  selfEnrolled: true,
  pin: true,
  seed: true,
  sharedSecret: true,
  nonce: true,
  ocraPin: true,
  validFrom: true,
  validUntil: true,
  useCount: true,
  maxUses: true,
  successCount: true,
  maxSuccesses: true,
};

type Realms = '*' | string[];

/** @returns the login of somebody who reads the audit in some realms, and sets PINs in others */
function holding(audit: Realms, set?: Realms): Session {
  const rights = [{ scope: 'admin' as const, action: 'audit', realms: audit }];
  return makeSession({
    administrator: 'desk',
    rights: [
      ...rights,
      ...(set === undefined ? [] : [{ scope: 'admin' as const, action: 'set', realms: set }]),
    ],
    realms: ['north', 'south'],
  });
}

describe('the outcome of an audit row', () => {
  it.each([
    ['accepted', 'angenommen'],
    ['changed owner, realms', 'geändert Inhaber, Realms'],
    ['refused: password, 812 times', 'abgelehnt: Passwort, 812-mal'],
    ['refused: no right admin:remove in the API token', 'abgelehnt: kein Recht admin:remove im API-Token'],
    ['handed out, encrypted for x', 'herausgegeben, verschlüsselt für x'],
    ['second factor: token QR1', 'zweiter Faktor: Token QR1'],
    ['second factor removed', 'zweiter Faktor entfernt'],
    ['session closed, 3 of them', 'Sitzung beendet, 3 davon'],
    ['being removed, from 7 tokens', 'wird entfernt, aus 7 Token'],
    ['passkey added: <b>owner</b>, 3 times', 'Passkey hinzugefügt: <b>owner</b>, 3 times'],
    [
      'refused: single sign-on, no group that may sign in: the claim groups has 3 users, at desk',
      'abgelehnt: Single Sign-on, keine Gruppe, die sich anmelden darf: the claim groups has 3 users, at desk',
    ],
    ['stored owner', 'gespeichert owner'],
    ['disabled', 'deaktiviert'],
    ['constructor', 'constructor'],
    ['createdness', 'createdness'],
    ['<img src=x>', '<img src=x>'],
  ])('is in German, with its details: %s', (outcome, german) => {
    expect(outcomeText(outcome, 'de', 'admin/set')).toBe(german);
  });

  it.each<[string, string, string?]>([
    ['wrong, right PIN', 'falsch, aber die PIN war richtig', 'ocra/check_t'],
    [
      'exhausted, right response',
      'falsch, beim letzten Versuch der Transaktion, aber die Antwort war richtig',
    ],
    ['expired, decline', 'die Transaktion ist abgelaufen: zu spät auf dem Gerät abgelehnt', 'ocra/check_t'],
    [
      'handed out as csv, selected by actor and realm, since 2026-11-01T00:00:00.000Z, bound to realms',
      'herausgegeben als csv, ausgewählt nach actor und realm, seit 2026-11-01T00:00:00.000Z, auf Realms beschränkt',
    ],
    [
      'removed 3 challenges, 2 sessions, 1 rate limits, 0 response minutes',
      'entfernt 3 Challenges, 2 Sitzungen, 1 Zähler von Limits, 0 Minutenwerte von Antworten',
    ],
    ['renamed from at 3 users', 'umbenannt, vorher at 3 users'],
    ['closed 5 open ones', 'geschlossen 5 offene', 'challenge/close-all'],
    ['unverifiable: 3 findings in 9 rows', 'nicht bestätigt: 3 Befunde in 9 Zeilen', 'audit/verify'],
    ['imported policy', 'importiert (policy)'],
  ])('is in German to its end: %s', (outcome, german, action = 'admin/set') => {
    expect(outcomeText(outcome, 'de', action)).toBe(german);
  });

  it('is in German in every form that the source writes', () => {
    const forms = writtenOutcomes();
    expect(forms.length).toBeGreaterThan(50);
    const untranslated = forms.filter((form) => {
      const isRefusal = outcomeText(form, 'de', 'admin/set') === form;
      const german = outcomeText(isRefusal ? `refused: ${form}` : form, 'de', 'admin/set');
      return wordsOf(form).some((word) => wordsOf(german).includes(word) && !SAME_IN_GERMAN.includes(word));
    });
    expect(untranslated).toEqual([]);
  });

  it('names every field of a token in German', () => {
    const untranslated = Object.keys(FIELDS).filter(
      (field) => outcomeText(`changed ${field}`, 'de', 'token/set') === `geändert ${field}`,
    );
    expect(untranslated).toEqual([]);
  });

  it('means of a response what it does not mean of an act', () => {
    expect(outcomeText('disabled', 'de', 'ocra/check_t')).toBe('das Token ist deaktiviert');
    expect(outcomeText('disabled', 'en', 'webhook/disable')).toBe('disabled');
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
    const typable = typableOutcomes(known, language, holding('*', '*')).map((words) =>
      typedOutcome(words, language),
    );
    expect(typable.filter((outcome) => !known.includes(outcome.split(/[ :,]/)[0] ?? ''))).toEqual([]);
    expect(known.filter((word) => !typable.some((outcome) => outcome.startsWith(word)))).toEqual([]);
  });

  it.each<[isOffered: boolean, audit: Realms, set: Realms | undefined]>([
    [true, '*', '*'],
    [true, ['north'], ['south', 'north']],
    [false, '*', undefined],
    [false, '*', ['north']],
    [false, ['north', 'south'], ['north']],
  ])(
    'tells of a PIN: that is offered (%s) to who reads the audit of %j and sets PINs in %j',
    (isOffered, audit, set) => {
      const outcomes = OUTCOME_WORDS;
      const offered = typableOutcomes(outcomes, 'en', holding(audit, set));
      expect(offered.includes('wrong, right PIN')).toBe(isOffered);
      expect(offered.includes('wrong, right response')).toBe(isOffered);
      expect(offered).toContain('wrong, out of step');
    },
  );

  it('has German words wherever the server knows the outcome', () => {
    const known = OUTCOME_WORDS;
    const german = typableOutcomes(known, 'de', holding('*', '*'));
    expect(german.filter((words) => known.includes(words))).toEqual([]);
  });
});
