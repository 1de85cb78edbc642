import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { BackupCipher } from '../../../src/backup/backup-encryption.ts';
import { type BackupSnapshot, packBackup } from '../../../src/backup/backup-format.ts';
import type { ChallengeOfToken } from '../../../src/challenges/challenge.ts';
import { type Installation, openInstallation } from '../../../src/compose/open-installation.ts';
import { restoreBackup } from '../../../src/compose/restore-backup.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { Vault } from '../../../src/keys/vault.ts';
import type { Token } from '../../../src/tokens/token.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { ServerClient } from '../../support/servers/server-client.ts';
import { runTankeeper, startServerProcess } from '../../support/servers/server-process.ts';
import { OPERATOR } from '../../support/values/callers.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { tokenValue } from '../../support/values/token-values.ts';
import { until } from '../../support/values/until.ts';

describe('another date style', () => {
  const folder = temporaryFolder();
  const database = databaseOfTests({ schema: 'empty' });

  async function setForDatabase(setting: string): Promise<void> {
    const name = new URL(database.url).pathname.slice(1);
    await database.rows(`ALTER DATABASE "${name}" SET ${setting}`);
  }

  // As reported: `ALTER ROLE tankeeper SET datestyle = 'German, DMY'`.
  it('a server and its commands work on a database with another date style', async () => {
    await setForDatabase("DateStyle = 'German, DMY'");
    await setForDatabase("TimeZone = 'Asia/Kathmandu'");
    const environment = { DATABASE_URL: database.url, DATA_DIR: folder, TRUST_PROXY: 'loopback' };
    const server = await startServerProcess(environment);
    const client = await ServerClient.open(server);
    expect((await fetch(`${server.baseUrl}/readyz`)).status).toBe(200);
    expect((await client.get('/system/getRealms')).status).toBe(200);
    const transaction = await client.openTransaction('T1');
    expect((await client.check(transaction)).body.result?.value).toMatchObject({ result: true });
    expect((await client.check(transaction)).body.result?.value).toMatchObject({ result: false });
    expect(await runTankeeper(['audit', 'verify'], environment)).toMatchObject({ code: 0 });
    const { output } = await runTankeeper(['doctor'], environment);
    expect(output).not.toMatch(/NaN|clock|failed/);
    expect(await server.stop()).toMatchObject({ code: 0 });
  });

  it('a server that would read nonsense refuses to start, and names the setting and the remedy', async () => {
    await setForDatabase('session_replication_role = replica');
    const environment = { DATABASE_URL: database.url, DATA_DIR: folder };
    const { code, output } = await runTankeeper(['serve'], environment);
    expect(code).toBe(1);
    expect(output).toContain("session_replication_role = 'replica'");
    expect(output).toContain("ALTER ROLE … IN DATABASE … SET session_replication_role = 'origin'");
    expect((await runTankeeper(['doctor'], environment)).output).toContain(
      "session_replication_role = 'replica'",
    );
  });
});

describe('a connection that is lost', () => {
  const ignore = (): void => undefined;
  const LOG = { error: ignore, warn: ignore, info: ignore, debug: ignore };
  const REVISION = 1n;
  const ISSUED = {
    challenge: { transactionId: 'a', question: 'Q', data: '' },
    token: { ...tokenValue('T1'), id: '1' } as unknown as Token,
  } as ChallengeOfToken;

  let installation: Installation;
  afterAll(() => installation.close());
  const folder = temporaryFolder();
  const test = databaseOfTests();

  beforeAll(async () => {
    const config = loadConfig({ DATA_DIR: folder, DATABASE_URL: test.url });
    installation = await openInstallation(config, 'server', LOG);
  });

  /** @returns the sessions that follow the database, and have looked at it */
  async function followers(): Promise<readonly number[]> {
    return test.database
      .knex('pg_stat_activity')
      .where({
        application_name: 'tankeeper listener',
        datname: test.database.knex.raw('current_database()'),
      })
      .whereLike('query', '%AS writable')
      .pluck<number[]>('pid');
  }

  it('a server that loses the connection that follows its database forgets the challenges that it has issued', async () => {
    const { issued } = installation.services;
    await until(async () => (await followers()).length === 1);
    issued.remember(REVISION, ISSUED);
    expect(issued.take(REVISION, 'a')).toBe(ISSUED);

    issued.remember(REVISION, ISSUED);
    const [before = 0] = await followers();
    await test.database.knex.raw('SELECT pg_terminate_backend(?)', [before]);
    await until(async () => (await followers()).some((pid) => pid !== before));
    expect(issued.take(REVISION, 'a')).toBeUndefined();
  });
});

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
