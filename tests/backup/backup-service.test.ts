import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BackupCipher, type BackupLock } from '../../src/backup/backup-encryption.ts';
import { BackupService } from '../../src/backup/backup-service.ts';
import { BackupStore } from '../../src/backup/backup-store.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { Vault } from '../../src/keys/vault.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { OPERATOR, TestApplication } from '../support/application/test-application.ts';

const test = databaseOfTests();

/** @returns the fault of an export with that lock, and the audit rows that it has written */
async function refused(lock: BackupLock): Promise<{ fault: unknown; audit: string[] }> {
  const { database } = test;
  const backups = new BackupService({
    store: new BackupStore({ database }),
    cipher: () => Promise.resolve(new BackupCipher()),
    keys: new Vault({ keys: [Buffer.alloc(32, 7)], random: systemRandom }),
    clock: systemClock,
  });
  const request = { lock, version: '1.2.3', write: () => Promise.resolve() };
  const fault: unknown = await backups.export(OPERATOR, request).catch((error: unknown) => error);
  return { fault, audit: await database.knex('audit').pluck<string[]>('outcome') };
}

describe('an export', () => {
  it.each([
    [{ passphrase: 'eleven char' }],
    [{ recipients: ['age1x'] }],
    // The other half of the key pair, pasted by mistake.
    [{ recipients: ['AGE-SECRET-KEY-1SECRET'] }],
  ])('with %j is refused before the audit says that it was made', async (lock) => {
    expect(await refused(lock)).toMatchObject({ fault: { code: 'parameter.invalid' }, audit: [] });
  });

  it('does not quote a secret key that was given as recipient', async () => {
    const { fault } = await refused({ recipients: ['AGE-SECRET-KEY-1SECRET'] });
    expect((fault as Error).message).not.toContain('1SECRET');
  });
});

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

let application: TestApplication;
beforeAll(async () => {
  application = await TestApplication.open();
});
afterAll(() => application.close());

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
    const rows = await application.auditRows({
      action: 'challenge/close-all',
      limit: 5,
    });
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
