import { expect, it } from '@jest/globals';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { headerLine } from '../../src/backup/backup-format.ts';
import { restoreBackup } from '../../src/compose/restore-backup.ts';
import { loadConfig } from '../../src/config/config.ts';
import { BackupCipher } from '../../src/backup/backup-encryption.ts';
import { OPERATOR } from '../support/values/callers.ts';

const ignored = (): void => undefined;
const LOG = { error: ignored, warn: ignored, info: ignored, debug: ignored };

it('a forged backup whose keys are all retired makes no key file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tankeeper-forged-'));
  const identity = await generateX25519Identity();
  const header = headerLine({
    version: '1.2.3',
    createdAt: new Date(),
    migrations: [],
    checksums: new Map(),
    identities: new Map(),
    auditMonths: [],
    keys: [{ keyId: '0011223344556677', canary: Buffer.of(1), isRetired: true }],
    tables: [],
  });
  const lines = async function* (): AsyncGenerator<string> {
    yield await Promise.resolve(header);
  };
  const lock = { recipients: [await identityToRecipient(identity)] };
  const request = {
    open: () => new BackupCipher().encrypt(lines(), lock),
    size: { all: 1, read: () => 1 },
    unlock: { identities: [identity] },
    checksOnly: true,
    closesChallenges: false,
    progress: () => undefined,
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
