import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BackupCipher, type BackupLock } from '../../src/backup/backup-encryption.ts';
import { BackupService } from '../../src/backup/backup-service.ts';
import { BackupStore } from '../../src/backup/backup-store.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { Vault } from '../../src/keys/vault.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { OPERATOR } from '../support/values/callers.ts';

let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
});

afterAll(() => test.drop());

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
