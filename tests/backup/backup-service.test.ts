import { describe, expect, it } from '@jest/globals';
import { BackupService } from '../../src/backup/backup-service.ts';
import type { BackupLock } from '../../src/backup/ports.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { AgeBackupCipher } from '../../src/security/backup-encryption.ts';
import { SecretVault } from '../../src/security/vault/secret-vault.ts';
import { OPERATOR } from '../support/values/callers.ts';

/** @returns the fault of an export with that lock, and the audit rows that it has written */
async function refused(lock: BackupLock): Promise<{ fault: unknown; audit: string[] }> {
  const audit: string[] = [];
  const backups = new BackupService({
    store: {
      note: (_act, outcome) => {
        audit.push(outcome);
        return Promise.resolve();
      },
      estimate: () => Promise.resolve(0),
      read: () => Promise.reject(new Error('was read')),
    },
    cipher: () => Promise.resolve(new AgeBackupCipher()),
    keys: new SecretVault({ keys: [Buffer.alloc(32, 7)], random: systemRandom }),
    clock: systemClock,
  });
  const request = { lock, version: '1.2.3', write: () => Promise.resolve() };
  const fault: unknown = await backups.export(OPERATOR, request).catch((error: unknown) => error);
  return { fault, audit };
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
