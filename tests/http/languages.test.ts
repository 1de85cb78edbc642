import { describe, expect, it } from '@jest/globals';
import { preferredLanguage, translate } from '../../src/http/messages.ts';

describe('the language of an answer', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['DE-at', 'de'],
    ['de-DE,de;q=0.9,en;q=0.8', 'de'],
    ['en-US,en;q=0.9,de;q=0.1', 'en'],
    ['fr', 'fr'],
    ['xx', 'en'],
    ['xx, de;q=0.2', 'de'],
    ['de;q=0.3, fr;q=0.7', 'fr'],
    ['de;q=0', 'en'],
    ['de ; q=0.5 , en ; q=0.4', 'de'],
    ['den', 'en'],
    ['*', 'en'],
    ['de;q=2', 'en'],
    ['de;q=x', 'en'],
    [',;=,;q', 'en'],
    [`${'xx,'.repeat(100_000)}de`, 'en'],
  ])('for Accept-Language %j is %s', (header, language) => {
    expect(preferredLanguage(header)).toBe(language);
  });
});

describe('the catalogue of texts', () => {
  const fillings = { request: 'request' };

  it('has the recorded German and French ones', () => {
    expect(translate('right.missing/ocra', 'de', fillings)).toBe(
      'Sie haben nicht die administrativen Rechte für die OCRA-Anfrage: ocra/request.',
    );
    expect(translate('right.missing/ocra', 'fr', fillings)).toBe(
      "Vous ne disposez pas de droits d'administration pour la requête Ocra : ocra/request.",
    );
    expect(translate('right.missing/ocra', 'en', fillings)).toBe(
      'You do not have the administrative right to do an ocra/request',
    );
  });

  it('is in English where there is no other text', () => {
    expect(translate('enrolment/seed', 'fr')).toBe('OTP seed');
    expect(translate('right.missing/policy', 'fr', { scope: 'admin', action: 'show' })).toBe(
      'You do not have the administrative right to do this. You are missing a policy scope=admin, action=show',
    );
  });

  it('fills each place with its own value', () => {
    expect(translate('licence/exceeded', 'de', { licensed: 5, active: 17 })).toBe(
      'Volumen überschritten: 17 aktive Token gefunden > 5 lizensierte Token.',
    );
  });

  it("does not read a placeholder in a client's text", () => {
    expect(translate('right.missing/realms', 'de', { realms: "'{realms}$&'" })).toBe(
      "Sie haben nicht die notwendigen Rechte um diese Realms einzusehen: ['{realms}$&']. Überprüfen Sie die Richtlinien!",
    );
  });
});
