import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { printedPassword } from '../../support/servers/server-client.ts';
import {
  runTankeeper,
  type ServerProcess,
  startServerProcess,
} from '../../support/servers/server-process.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { PATIENCE_MS } from '../../support/values/until.ts';

/** Within what time a server notices what another one has changed, asked or not. */
const PROMISED_MS = 1_000;

interface Configuration {
  readonly sync: string;
  readonly synctime: string;
  readonly changed: string;
  readonly total: number;
  readonly policies: number;
  readonly realms: number;
  readonly managedresolver: number;
}

let folder: string;
let database: TestDatabase;
let environment: Readonly<Record<string, string>>;
let servers: readonly ServerProcess[] = [];
let authorization: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-two-configurations-'));
  database = await createTestDatabase();
  environment = { DATABASE_URL: database.url, DATA_DIR: folder };
  const first = await startServerProcess(environment);
  servers = [first, await startServerProcess(environment)];
  const password = await printedPassword(first);
  authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
});

afterAll(async () => {
  const ends = await Promise.all(servers.map((server) => server.stop()));
  rmSync(folder, { recursive: true });
  await database.drop();
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
});

async function ask(server: number, path: string, parameters: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(
    `${servers[server]?.baseUrl ?? ''}${path}?${new URLSearchParams(parameters).toString()}`,
    { headers: { Authorization: authorization } },
  );
  const { result } = (await response.json()) as { result: { status: boolean; value: unknown } };
  expect(result.status).toBe(true);
  return result.value;
}

/** A busy server may be late with asking by itself: then it learns by this request, and says so once. */
async function configurationOf(server: number): Promise<Configuration> {
  const first = (await ask(server, '/monitoring/config')) as Configuration;
  return first.sync === 'True' ? first : ((await ask(server, '/monitoring/config')) as Configuration);
}

/** The first answers of both servers after the time that is promised. */
async function afterwards(): Promise<readonly [Configuration, Configuration]> {
  await sleep(PROMISED_MS);
  return Promise.all([configurationOf(0), configurationOf(1)]);
}

const CHANGES: Readonly<Record<string, () => Promise<unknown>>> = {
  'a policy, through the first server': () =>
    ask(0, '/system/setPolicy', {
      name: 'noticed',
      scope: 'monitoring',
      action: '*',
      realm: '*',
      user: '*',
      active: 'True',
    }),
  'a resolver, by the command line': () => runTankeeper(['resolver', 'add', 'people'], environment),
  'a realm, by the command line': () =>
    runTankeeper(['realm', 'add', 'bank', '--resolvers', 'people'], environment),
  'a value, through the second server': () => ask(1, '/system/setConfig', { OcraMaxChallenges: '7' }),
  'a value, by hand in the database': () =>
    database.database.knex('configuration').where({ key: 'OcraMaxChallenges' }).update({ value: '8' }),
  'a policy, by hand in the database': () =>
    database.database.knex('policies').where({ name: 'noticed' }).delete(),
};

describe('two servers on one database', () => {
  it.each(Object.keys(CHANGES))('both know of a change of %s, within a second', async (name) => {
    const [before] = await afterwards();
    await CHANGES[name]?.();
    const [first, second] = await afterwards();
    expect([first.sync, second.sync]).toEqual(['True', 'True']);
    expect(Date.parse(first.changed)).toBeGreaterThan(Date.parse(before.changed));
    expect(second.changed).toBe(first.changed);
    for (const { synctime, changed } of [first, second]) {
      expect(Date.parse(synctime)).toBeGreaterThanOrEqual(Date.parse(changed));
    }
    const counts = ({ total, policies, realms, managedresolver }: Configuration) => ({
      total,
      policies,
      realms,
      managedresolver,
    });
    expect(counts(second)).toEqual(counts(first));
  });

  it('both know of a change whose notice got lost, and are told of changes again', async () => {
    const { knex } = database.database;
    const listeners = async (): Promise<number[]> => {
      const { rows } = await knex.raw<{ rows: { pid: number }[] }>(
        `SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'tankeeper listener'`,
      );
      return rows.map(({ pid }) => pid);
    };
    const before = await listeners();
    expect(before).toHaveLength(2);
    await knex.raw('SELECT pg_terminate_backend(pid) FROM unnest(?::int[]) AS pid', [before]);
    await knex('configuration').insert({ key: 'unheard', value: '1' });
    const [first, second] = await afterwards();
    expect([first.sync, second.sync]).toEqual(['True', 'True']);
    const deadline = performance.now() + PATIENCE_MS;
    while ((await listeners()).length < 2 && performance.now() < deadline) {
      await sleep(20);
    }
    const after = await listeners();
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    expect(after).toHaveLength(2);
  });
});
