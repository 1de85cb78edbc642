import { describe, expect, it } from '@jest/globals';
import { applicationOfTests, OPERATOR } from '../support/application/test-application.ts';
import { eventualRefusal } from '../support/values/refusal.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

const application = applicationOfTests();

describe('an export', () => {
  it.each([
    [{ passphrase: 'eleven char' }],
    [{ recipients: ['age1x'] }],
    // The other half of the key pair, pasted by mistake.
    [{ recipients: ['AGE-SECRET-KEY-1SECRET'] }],
  ])('with %j is refused before the audit says that it was made, and quotes no key', async (lock) => {
    const request = { lock, version: '1.2.3', write: () => Promise.resolve() };
    const { code, message } = await eventualRefusal(application.services.backups.export(OPERATOR, request));
    expect(code).toBe('parameter.invalid');
    expect(message).not.toContain('1SECRET');
    expect(await application.auditRows({ action: 'backup/export', limit: 1 })).toEqual([]);
  });
});

describe('tankeeper challenge close-all', () => {
  it('closes what is open, so that a right response to it is refused, and leaves new challenges alone', async () => {
    const old: { transactionid: string; question: string }[] = [];
    for (const serial of ['CLOSE1', 'CLOSE2']) {
      await application.enrolPlain(serial, SUITE);
      old.push(await application.challenge(serial));
    }
    expect(await application.services.backups.closeChallenges(OPERATOR)).toBe(2);
    for (const { transactionid, question } of old) {
      const value = await application.check(transactionid, application.respond(SUITE, question));
      expect(value).toEqual({ failcount: 0, result: false });
    }
    const { transactionid, question } = await application.challenge('CLOSE1');
    const value = await application.check(transactionid, application.respond(SUITE, question));
    expect(value).toEqual({ failcount: 0, result: true });
    expect(await application.services.backups.closeChallenges(OPERATOR)).toBe(0);
    const rows = await application.auditRows({ action: 'challenge/close-all', limit: 5 });
    expect(rows.map(({ subject, outcome }) => [subject, outcome])).toEqual([
      ['challenges', 'closed 0 open ones'],
      ['challenges', 'closed 2 open ones'],
    ]);
  });

  it('is for operators', async () => {
    const caller = { ...OPERATOR, principal: { ...OPERATOR.principal, operator: false } };
    await expect(application.services.backups.closeChallenges(caller)).rejects.toMatchObject({
      code: 'right.missing',
    });
  });
});
