import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { z } from 'zod';
import { envelopeId } from '../../src/http/dialects/documented.ts';
import { asciiJson } from '../../src/http/reply.ts';
import { anyText } from '../support/values/any-text.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { failureStatus, toServiceError } from '../../src/http/answer-failure.ts';
import { failureForm } from '../../src/http/failures.ts';
import { preferredLanguage, translate } from '../../src/http/messages.ts';
import type { AdministratorSpec } from '../../src/http/endpoint-spec.ts';

describe('asciiJson', () => {
  it('indents by three and escapes all but ASCII', () => {
    expect(asciiJson({ a: ['ä\u007f', '\u{1f600}'] })).toBe(
      '{\n   "a": [\n      "\\u00e4\\u007f",\n      "\\ud83d\\ude00"\n   ]\n}',
    );
  });

  it('can be read back, whatever the text, and is ASCII', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const json = asciiJson({ text });
        expect(JSON.parse(json)).toEqual({ text });
        expect(json).toMatch(/^[\n -~]*$/);
      }),
    );
  });
});

describe('envelopeId', () => {
  it.each([
    [undefined, 1],
    ['7', 7],
    ['0', 0],
    ['-3', -3],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 1],
    ['99999999999999999999', 1],
    ['1.5', 1],
    ['1e3', 1],
    ['0x10', 1],
    [' 7', 1],
    ['', 1],
    ['null', 1],
    ['"><script>', 1],
  ])('of %j is %i', (given, id) => {
    expect(envelopeId(given)).toBe(id);
  });
});

describe('failureForm', () => {
  it.each([
    ['right.missing', 410, 'ERR410: ', 200],
    ['parameter.missing', 77, 'ERR77: ', 200],
    ['user.unknown', 1205, 'ERR1205: ', 200],
    ['security-module.unavailable', 707, 'ERR707: ', 200],
    ['token.ambiguous', -311, '', 200],
    ['authentication.required', -311, '', 401],
    ['cross-site.refused', -311, '', 403],
    ['path.unknown', -311, '', 404],
    ['path.not-served', -311, '', 404],
    ['method.not-allowed', -311, '', 405],
    ['request.too-large', -311, '', 413],
    ['request.media-type', -311, '', 415],
    ['request.malformed', -311, '', 400],
    ['too-many-requests', -311, '', 429],
    ['database.unavailable', -311, '', 503],
    ['internal', -311, '', 500],
  ] as const)('shows %s as %i, %j, status %i', (code, legacyCode, prefix, status) => {
    expect(failureForm(code)).toMatchObject({ legacyCode, prefix, status });
  });

  it('says when to come back', () => {
    expect(failureForm('database.unavailable').headers).toHaveProperty('Retry-After');
    expect(failureForm('too-many-requests').headers).toHaveProperty('Retry-After');
  });
});

describe('failureStatus', () => {
  const plain = failureForm('right.missing');

  it.each([
    [undefined, 200],
    ['400', 400],
    ['599', 599],
    [' 418 ', 418],
    ['399', 500],
    ['600', 500],
    ['200', 500],
    ['204', 500],
    ['', 500],
    ['abc', 500],
    ['-1', 500],
    ['4e2', 500],
    ['404.0', 500],
    ['99999999999999999999', 500],
  ])('with httperror %j is %i', (httpError, status) => {
    expect(failureStatus(plain, { httpError, restrictedTo: '' })).toBe(status);
  });

  it('keeps a status that has a meaning of its own', () => {
    expect(
      failureStatus(failureForm('authentication.required'), { httpError: '444', restrictedTo: '' }),
    ).toBe(401);
  });

  it.each([
    ['77, 410', 444],
    ['410', 444],
    [',', 444],
    ['77', 200],
    ['4100, 41', 200],
  ])('with the codes %j in the configuration is %i', (restrictedTo, status) => {
    expect(failureStatus(plain, { httpError: '444', restrictedTo })).toBe(status);
  });
});

describe('toServiceError', () => {
  it('hides the details of an unexpected fault', () => {
    const fault = new Error('relation "tokens" does not exist: pass=secret');
    expect(toServiceError(fault)).toMatchObject({
      code: 'internal',
      message: 'Internal server error',
      cause: fault,
    });
    expect(toServiceError('text')).toMatchObject({ code: 'internal' });
  });

  it.each(['EMFILE', 'ENFILE'])(
    'makes a passing refusal of %s, also as the cause of another fault',
    (code) => {
      const fault = Object.assign(new Error('too many open files'), { code });
      for (const thrown of [fault, new Error('cannot open', { cause: fault })]) {
        const error = toServiceError(thrown);
        expect([error.code, failureForm(error.code).status]).toEqual(['server.busy', 503]);
      }
    },
  );

  it('leaves errors of the domain as they are', () => {
    const error = new ServiceError('token.unknown', 'No token');
    expect(toServiceError(error)).toBe(error);
  });
});

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

type Requires = AdministratorSpec<z.ZodRawShape>['requires'];

describe('an endpoint for administrators', () => {
  it('cannot be declared as one that anybody may call', () => {
    // @ts-expect-error -- no credential at all
    const nothing: Requires = 'nothing';
    // @ts-expect-error -- a link proves no administrator
    const link: Requires = 'link';
    // @ts-expect-error -- nor does a transaction
    const transaction: Requires = 'transaction';
    // @ts-expect-error -- nor a sign-in under way
    const signIn: Requires = 'sign-in';
    const possible: readonly Requires[] = ['credential', 'password', 'system:read'];
    expect(possible).not.toEqual(expect.arrayContaining([nothing, link, transaction, signIn]));
  });
});
