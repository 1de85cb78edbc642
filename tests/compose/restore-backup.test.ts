import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { Readable } from 'node:stream';
import { type Installation, openInstallation } from '../../src/compose/open-installation.ts';
import { restoreBackup } from '../../src/compose/restore-backup.ts';
import { loadConfig } from '../../src/config/config.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { OPERATOR } from '../support/values/callers.ts';
import { temporaryFolder } from '../support/values/temporary-folder.ts';

const ignored = (): void => undefined;
const LOG = { error: ignored, warn: ignored, info: ignored, debug: ignored };

let installation: Installation;
afterAll(() => installation.close());

const folder = temporaryFolder();
const source = databaseOfTests();
const target = databaseOfTests({ schema: 'empty' });

beforeAll(async () => {
  const config = loadConfig({ DATA_DIR: folder, DATABASE_URL: source.url });
  installation = await openInstallation(config, 'server', LOG);
});

it('a backup in whose place another one is put while it is restored is not restored', async () => {
  const identity = await generateX25519Identity();
  const lock = { recipients: [await identityToRecipient(identity)] };
  const exported = async (): Promise<Buffer> => {
    const pieces: Uint8Array[] = [];
    const write = (bytes: Uint8Array): Promise<void> => Promise.resolve(void pieces.push(bytes));
    await installation.services.backups.export(OPERATOR, { lock, version: '1.2.3', write });
    return Buffer.concat(pieces);
  };
  // Of the same tables and columns.
  const files = [await exported(), await exported()];
  const request = {
    open: () => Readable.from([files.shift()]),
    unlock: { identities: [identity] },
    checksOnly: false,
  };
  const config = loadConfig({ DATA_DIR: folder, DATABASE_URL: target.url });
  const { signal } = new AbortController();
  await expect(restoreBackup(config, LOG, OPERATOR, request, signal)).rejects.toMatchObject({
    code: 'backup.invalid',
    message: expect.stringContaining('another one was put in its place') as unknown,
  });
  expect(await target.database.knex('pg_tables').where({ schemaname: 'public' })).toEqual([]);
});
