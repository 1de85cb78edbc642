import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { buildProgram, runProgram } from '../../../src/cli/program.ts';
import { type Installation, openInstallation } from '../../../src/compose/open-installation.ts';
import { type Config, loadConfig } from '../../../src/config/config.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { OPERATION_GROUPS } from '../../../src/operations/operations.ts';
import { container, ocraPackage } from '../../support/values/pskc-documents.ts';
import { foreignRow } from '../../support/database/audited-database.ts';
import { becomeNextVersion, NEXT } from '../../support/database/next-migration.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { fakeCli } from '../../cli/fake-dependencies.ts';
import { fakeIo } from '../../cli/fake-io.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { hashOfAllTables, withoutAudit } from '../../http/admin/audited/audited-tables.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const ACTOR = 'operator:tester';
const line = (): void => undefined;
const LOG = { error: line, warn: line, info: line, debug: line };

let test: TestDatabase;
let config: Config;
let installation: Installation;

beforeAll(async () => {
  test = await createTestDatabase();
  await Promise.all([
    writeFile(at('password'), 'correct horse battery'),
    writeFile(at('keys.csv'), `serial,key\nTABLE,${'01'.repeat(20)}\n`),
    writeFile(at('keys.xml'), container({ packages: ocraPackage('IMPORTED', SUITE, Buffer.alloc(32, 1)) })),
  ]);
  config = configured(test.url);
  // A server, not a command, makes the key.
  await (await openInstallation(config, 'server', LOG)).close();
  installation = await openInstallation(config, 'command', LOG);
});
afterAll(async () => {
  await installation.close();
  await test.drop();
});
const folder = temporaryFolder();

/** A command reads the keys when it starts. */
async function reopen(): Promise<void> {
  await installation.close();
  installation = await openInstallation(config, 'command', LOG);
}

const at = (name: string): string => join(folder, name);

function configured(url: string): Config {
  return loadConfig({ DATABASE_URL: url, DATA_DIR: folder });
}

interface Ran {
  readonly code: number;
  readonly out: string;
}

async function run(
  words: readonly string[],
  { services }: Pick<Installation, 'services'> = installation,
): Promise<Ran> {
  const io = fakeIo();
  const { dependencies } = fakeCli(
    {},
    {
      io,
      openServices: () => Promise.resolve({ ...services, close: () => Promise.resolve() }),
      loadConfiguration: () => Promise.resolve(config),
      osUser: 'tester',
      random: systemRandom,
    },
  );
  const code = await runProgram(words, dependencies);
  return { code, out: `${io.out()}${io.err()}` };
}

/** @returns the outcome of `work`, and the rows of the audit that it has left */
async function rowsOf(
  work: () => Promise<Ran>,
  before?: () => Promise<unknown>,
): Promise<{ readonly code: number; readonly rows: readonly string[] }> {
  const [newest] = await test.rows<{ id: string }>('SELECT coalesce(max(id), 0)::text AS id FROM audit');
  await before?.();
  const { code } = await work();
  const rows = await test.rows<{ row: string }>(
    `SELECT actor || ' ' || action || ': ' || outcome AS row FROM audit WHERE id > $1 ORDER BY at, id`,
    [newest?.id],
  );
  return { code, rows: rows.map(({ row }) => row) };
}

async function state(): Promise<string> {
  return JSON.stringify(await test.rows(await hashOfAllTables(test.rows, {})));
}

/** A command: its words, and what the audit says of it, `action: outcome`; nothing of those that look. */
interface Act {
  readonly words: readonly string[];
  readonly says: readonly string[];
  /** The objects that must exist before. */
  readonly before?: () => Promise<unknown>;
}

/** Of a key pair that nobody has kept. */
const RECIPIENT = 'age1e7ltx5u2zueqp0dqxppc6ytf0km8j0qg9kjj99an7x8ttu2mcclsgywmq3';

const act = (words: string, ...says: string[]): Act => ({
  words: words.split(' ').map((word) => word.replace('@', `${folder}/`)),
  says,
});
const sql = (statement: string) => (): Promise<unknown> => test.rows(statement);

/** Stands for the id of the former key. */
const FORMER = 'FORMER';

async function formerKey(): Promise<string> {
  const rows = await test.rows<{ key_id: string }>(
    'SELECT key_id FROM encryption_keys WHERE NOT is_current ORDER BY created_at LIMIT 1',
  );
  return rows[0]?.key_id ?? '';
}

/** Each but `migrate`, which is below, and two operations, in an order in which each finds what it needs. */
const acts = (): readonly Act[] => [
  act('admin add bert --password-file @password', 'administrator/add: created'),
  act(`token init --serial T1 --suite ${SUITE} --generate`, 'admin/init: created'),
  act('import pskc @keys.xml', 'token/import: created'),
  act('import csv @keys.csv', 'token/import: created'),
  act('resolver add people', 'resolver/set: created'),
  act('user list --resolver people'),
  act('count'),
  act('count --verify'),
  {
    ...act('count --verify --repair', 'count/repair: repaired, 1 drifted'),
    before: sql('INSERT INTO user_counts (resolver_id, users) VALUES (4711, 3) ON CONFLICT DO NOTHING'),
  },
  act(
    'housekeeping run',
    'housekeeping/run: removed 0 challenges, 0 sessions, 0 rate limits, 0 response minutes',
  ),
  act('housekeeping run --dry-run'),
  {
    ...act('challenge close-all', 'challenge/close-all: closed 1 open ones'),
    before: sql(`INSERT INTO challenges (transaction_id, token_id, question, data, issued_at, open_until)
      SELECT 'open', id, '1', '', now(), now() FROM tokens LIMIT 1 ON CONFLICT DO NOTHING`),
  },
  act('key add', 'key/add: added'),
  {
    ...act('key rotate --yes', 'key/rotate: current', 'key/rotate: sealed 3 anew, 0 left'),
    before: reopen,
  },
  act(`key retire ${FORMER} --yes`, 'key/retire: retired'),
  act('audit verify'),
  act(`export @backup.age --recipient ${RECIPIENT}`, `backup/export: handed out, encrypted for ${RECIPIENT}`),
  act('audit export --output -', 'audit/export: handed out as jsonl'),
  {
    ...act(
      'audit prune --before 2020-02-01 --unverified --yes',
      'audit/prune: pruned before 2020-02-01, 2 rows',
    ),
    before: sql(foreignRow('old', '2020-01-05')),
  },
];

/** These have no installation, or one of their own; and what `serve` does, the server does. */
// prettier-ignore
const APART = [
  'serve', 'config', 'demo', 'device scan', 'device list', 'device forget',
  'device activation-code',
  'restore',
  // It issues challenges as /ocra/request does: tests/campaigns/guides/getting-started.
  'challenge issue',
  // It opens the installation by itself, and changes nothing: tests/campaigns/doctor.
  'doctor',
  // They need a LinOTP database: tests/linotp.
  'import linotp',
];

/** Commands that call the services as their paths do: tests/http/admin/audited. */
const OPERATIONS = OPERATION_GROUPS.flatMap(({ operations }) => operations.map(({ name }) => name));

function pathsOf(command: Command, path: readonly string[] = []): readonly string[] {
  return command.commands.length === 0
    ? [path.join(' ')]
    : command.commands.flatMap((one) => pathsOf(one, [...path, one.name()]));
}

const paths = pathsOf(buildProgram(fakeCli().dependencies));
const pathOf = (words: readonly string[]): string =>
  paths.find((path) => `${words.join(' ')} `.startsWith(`${path} `)) ?? words.join(' ');

/** The outcome of a command, first where no row could be written, then where it could. */
interface Outcome {
  readonly command: string;
  readonly withoutAudit: string;
  readonly code: number;
  readonly rows: readonly string[];
}

async function outcomeOf({ words, before }: Act): Promise<Outcome> {
  const former = await formerKey();
  const given = words.map((word) => (word === FORMER ? former : word));
  await before?.();
  const was = await state();
  let unaudited = '';
  await withoutAudit(test.rows, async () => {
    const { code } = await run(given);
    unaudited = `${code === 0 ? 'done' : 'failed'}, ${(await state()) === was ? 'nothing' : 'something'} changed`;
  });
  const { code, rows } = await rowsOf(() => run(given), before);
  return { command: pathOf(given), withoutAudit: unaudited, code, rows };
}

describe('the commands', () => {
  it('are all known here: whether they act, look, or have no installation', () => {
    const known = acts().map(({ words }) => pathOf(words));
    expect(new Set([...known, ...APART, ...OPERATIONS, 'migrate'])).toEqual(new Set(paths));
  });

  it('write a row for each act, or do nothing where it cannot be written; those that look write none', async () => {
    const outcomes: Outcome[] = [];
    for (const one of acts()) {
      outcomes.push(await outcomeOf(one));
    }
    expect(outcomes).toEqual(
      acts().map(({ words, says }) => ({
        command: pathOf(words),
        withoutAudit: `${says.length === 0 ? 'done' : 'failed'}, nothing changed`,
        code: 0,
        rows: says.map((text) => `${ACTOR} ${text}`),
      })),
    );
  });
});

describe('a database that takes no writes', () => {
  it('is searched and verified all the same, but hands nothing out', async () => {
    const readOnly = `${test.url}${test.url.includes('?') ? '&' : '?'}options=-c%20default_transaction_read_only%3Don`;
    const standby = await openInstallation(configured(readOnly), 'command', LOG);
    try {
      expect((await run(['audit', 'search'], standby)).code).toBe(0);
      expect((await run(['audit', 'verify'], standby)).code).toBe(0);
      const { code, out } = await run(['audit', 'export', '--output', '-'], standby);
      expect(code).toBe(1);
      expect(out).toMatch(/^tankeeper: .*the server accepts no writes/);
    } finally {
      await standby.close();
    }
  });
});

describe('migrating a database that is in use', () => {
  const migrated = `migrate: migrated 1, up to ${NEXT}`;
  let becomeThisVersion: () => void;
  beforeAll(() => {
    becomeThisVersion = becomeNextVersion();
  });
  beforeEach(async () => {
    await test.database.knex('knex_migrations').where({ name: NEXT }).delete();
    await test.database.knex('knex_migration_checksums').where({ name: NEXT }).delete();
  });
  afterAll(() => {
    becomeThisVersion();
  });
  const migrating = (): ReturnType<typeof rowsOf> => rowsOf(() => run(['migrate']));

  it('is not what another command does: it is refused', async () => {
    await expect(openInstallation(config, 'command', LOG)).rejects.toThrow(
      'the database is older than this program: run `tankeeper migrate`, or start the server, which does so itself',
    );
    expect(await test.database.knex('knex_migrations').where({ name: NEXT })).toEqual([]);
  });

  it('is a row of the audit, once', async () => {
    expect(await migrating()).toEqual({ code: 0, rows: [`${ACTOR} ${migrated}`] });
    expect(await migrating()).toEqual({ code: 0, rows: [] });
  });

  it('is one also where the keys are elsewhere, and none is made', async () => {
    await rename(at('encryption.key'), at('elsewhere'));
    try {
      expect(await migrating()).toEqual({ code: 0, rows: [`${ACTOR} ${migrated}`] });
      await expect(readFile(at('encryption.key'))).rejects.toMatchObject({ code: 'ENOENT' });
    } finally {
      await rename(at('elsewhere'), at('encryption.key'));
    }
  });

  it('is a row of a server that does so when it starts', async () => {
    const { rows } = await rowsOf(async () => {
      const server = await openInstallation(config, 'server', LOG);
      await server.close();
      return { code: 0, out: '' };
    });
    expect(rows).toEqual([`server ${migrated}`]);
  });
});
