import { describe, expect, it } from '@jest/globals';
import { auditValues } from '../../../src/audit/filter-values.ts';
import { outcomeText, typableOutcomes, typedOutcome } from '../../../console/src/audit/outcome-words.ts';

describe('the outcome of an audit row', () => {
  it.each([
    ['accepted', 'angenommen'],
    ['changed owner, realms', 'geändert Inhaber, Realms'],
    ['refused: password, 812 times', 'abgelehnt: Passwort, 812-mal'],
    ['refused: no right admin:remove in the API token', 'abgelehnt: kein Recht admin:remove im API-Token'],
    ['handed out, encrypted for x', 'herausgegeben, encrypted for x'],
    ['second factor: token QR1', 'zweiter Faktor: token QR1'],
    ['second factor removed', 'zweiter Faktor entfernt'],
    ['session closed, 3 of them', 'Sitzung beendet, 3 davon'],
    ['being removed, from 7 tokens', 'wird entfernt, aus 7 Token'],
    ['passkey added: <b>owner</b>, 3 times', 'Passkey hinzugefügt: <b>owner</b>, 3 times'],
    ['stored owner', 'gespeichert owner'],
    ['disabled', 'deaktiviert'],
    ['constructor', 'constructor'],
    ['createdness', 'createdness'],
    ['<img src=x>', '<img src=x>'],
  ])('is in German, with its details: %s', (outcome, german) => {
    expect(outcomeText(outcome, 'de', 'admin/set')).toBe(german);
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
    const known = auditValues().outcomes;
    const typable = typableOutcomes(known, language).map((words) => typedOutcome(words, language));
    expect(typable.filter((outcome) => !known.includes(outcome.split(/[ :]/)[0] ?? ''))).toEqual([]);
    expect(known.filter((word) => !typable.some((outcome) => outcome.startsWith(word)))).toEqual([]);
  });

  it('has German words wherever the server knows the outcome', () => {
    const known = auditValues().outcomes;
    const german = typableOutcomes(known, 'de');
    expect(german.filter((words) => known.includes(words))).toEqual([]);
  });
});
