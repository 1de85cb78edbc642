import { expect, it } from '@jest/globals';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type BackupSnapshot, packBackup } from '../../src/backup/backup-format.ts';
import { restoreBackup } from '../../src/compose/restore-backup.ts';
import { loadConfig } from '../../src/config/config.ts';
import { BackupCipher } from '../../src/backup/backup-encryption.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { Vault } from '../../src/keys/vault.ts';
import { OPERATOR } from '../support/values/callers.ts';

const ignored = (): void => undefined;
const LOG = { error: ignored, warn: ignored, info: ignored, debug: ignored };

it('a forged backup whose keys are all retired makes no key file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tankeeper-forged-'));
  const identity = await generateX25519Identity();
  const snapshot: BackupSnapshot = {
    migrations: [],
    keys: [{ keyId: '0011223344556677', canary: Buffer.of(1), isRetired: true }],
    auditMonths: [],
    tables: [],
    copy: () => Readable.from([]),
  };
  const forger = new Vault({ keys: [Buffer.alloc(32, 7)], random: systemRandom });
  const lock = { recipients: [await identityToRecipient(identity)] };
  const request = {
    open: () =>
      new BackupCipher().encrypt(packBackup(snapshot, '1.2.3', new Date(), forger, new Map()), lock),
    unlock: { identities: [identity] },
    checksOnly: true,
  };
  const config = loadConfig({ DATA_DIR: folder });
  try {
    await expect(restoreBackup(config, LOG, OPERATOR, request, new AbortController().signal)).rejects.toThrow(
      'it names no encryption key',
    );
    expect(await readdir(folder)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
