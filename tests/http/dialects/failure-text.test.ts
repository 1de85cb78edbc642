import { describe, expect, it } from '@jest/globals';
import { failureSentence, failureText } from '../../../src/http/dialects/failure-text.ts';
import { failureForm } from '../../../src/http/failures.ts';
import { type AnyServiceError, ServiceError } from '../../../src/kernel/errors.ts';

function lacking(scope: string, action: string): AnyServiceError {
  return new ServiceError('right.missing', 'plain', { policy: { scope, action } });
}

function missing(...parameters: readonly string[]): AnyServiceError {
  return new ServiceError('parameter.missing', 'plain', { parameters });
}

describe('the sentence for a failure', () => {
  it.each<[AnyServiceError, string]>([
    [
      new ServiceError('user.unknown', 'plain', { user: 'anna@beta', login: 'anna' }),
      'getUserId failed: no user >anna@beta< found!',
    ],
    [
      new ServiceError('token-status.unknown', 'plain', { status: '\'"\\ä' }),
      `Unknown token_status '\\'"\\\\ä'`,
    ],
    [missing('user', 'serial'), 'You must either provide a parameter "user" or a parameter "serial".'],
    [
      missing('transactionid', 'user', 'serial'),
      'You need to provide one of the parameters "transactionid", "user" or "serial"',
    ],
    [
      new ServiceError('right.missing', 'plain', { realms: ['unknown', "o'realm", ''] }),
      `You do not have the rights to see these realms: ['unknown', "o'realm", '']. Check the policies!`,
    ],
    [lacking('ocra', 'request'), 'You do not have the administrative right to do an ocra/request'],
    [lacking('ocra', 'status'), 'You do not have the administrative right to do an ocra/checkstatus'],
    [
      lacking('ocra', 'activationcode'),
      'You do not have the administrative right to do an ocra/getActivationCode',
    ],
    [lacking('ocra', 'calcOTP'), 'You do not have the administrative right to do an ocra/calculateOtp'],
    [lacking('admin', 'init'), 'You do not have the administrative right to init tokens of the type ocra'],
    [
      lacking('system', 'read'),
      'You do not have the administrative right to do this. You are missing a policy scope=system, action=read',
    ],
  ])('is the interface’s: %#', (error, sentence) => {
    expect(failureSentence(error, 'en')).toBe(sentence);
  });

  it.each<[AnyServiceError]>([
    [missing('serial', 'user')],
    [missing('type')],
    [missing()],
    [new ServiceError('right.missing', 'plain')],
    [new ServiceError('token.unknown', 'plain', { login: 'anna' })],
  ])('is the error’s own where there is none: %#', (error) => {
    expect(failureSentence(error, 'de')).toBe('plain');
  });

  it('is in the language of the client where it was recorded', () => {
    expect(failureSentence(lacking('monitoring', 'tokens'), 'de')).toBe(
      'Sie haben nicht die administrativen Rechte dies auszuführen. Es fehlt dazu eine Richtlinie mit scope=monitoring und action=tokens',
    );
  });

  it('stands behind its number, and behind the usage where a parameter is missing', () => {
    const context = { usage: 'admin/init: enrol a token.', language: 'en' } as const;
    const text = (error: AnyServiceError): string =>
      failureText({ error, form: failureForm(error.code) }, context);
    expect(text(missing('type'))).toBe('ERR77: Usage: admin/init: enrol a token. plain');
    expect(text(lacking('ocra', 'request'))).toBe(
      'ERR410: You do not have the administrative right to do an ocra/request',
    );
  });
});
