import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyInstallation } from './key-installation.ts';
import type { ServerProcess } from '../../support/servers/server-process.ts';
import { testProgram } from '../../support/servers/test-build.ts';
import { until } from '../../support/values/until.ts';

const TOKENS = 300;

let installation: KeyInstallation;
let server: ServerProcess;

beforeAll(async () => {
  installation = await KeyInstallation.create({ HOUSEKEEPING_INTERVAL: 'off' });
  server = await installation.start();
  await installation.load(TOKENS);
});

afterAll(() => installation.remove());

/** Runs a command until it waits for this lock, ends it by SIGKILL there, and lets go of the lock. */
async function killedAt(lock: string, ...words: readonly string[]): Promise<void> {
  const { knex } = installation.test.database;
  const holding = await knex.transaction();
  await holding.raw(`LOCK TABLE ${lock}`);
  const command = spawn(process.execPath, [testProgram(), ...words], {
    env: { PATH: process.env.PATH ?? '', ...installation.environment },
    stdio: 'ignore',
  });
  const ended = once(command, 'close') as Promise<[number | null, string | null]>;
  await until(isCommandWaiting);
  command.kill('SIGKILL');
  expect((await ended)[1]).toBe('SIGKILL');
  // PostgreSQL would still carry out the statement of the killed command once the lock is free.
  await knex.raw(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'tankeeper command'`);
  await holding.rollback();
}

async function isCommandWaiting(): Promise<boolean> {
  const { rows } = await installation.test.database.knex.raw<{ rows: unknown[] }>(
    `SELECT FROM pg_stat_activity WHERE datname = current_database()
       AND application_name = 'tankeeper command' AND wait_event_type = 'Lock'`,
  );
  return rows.length > 0;
}

const states = async (): Promise<readonly string[]> =>
  (await installation.keys()).map(({ state, secrets }) => `${state} ${secrets}`);
const keysInFile = (): readonly string[] => installation.vault().keyIds;

describe('a change of the key that is killed', () => {
  it('before the new key is registered leaves one in the file that the next try takes', async () => {
    await killedAt('encryption_keys IN SHARE MODE', 'key', 'add');
    expect(await states()).toEqual([`current ${TOKENS}`]);
    const [, prepared] = keysInFile();
    expect(prepared).toMatch(/^[0-9a-f]{16}$/);
    expect(await installation.json('key', 'add')).toMatchObject({ key_id: prepared, made: false });
    expect(keysInFile()).toHaveLength(2);
  });

  it('after the key became current goes on from there, also by two at once', async () => {
    await installation.readKeys(server);
    await killedAt('tokens IN EXCLUSIVE MODE', 'key', 'rotate', '--yes');
    expect(await states()).toEqual([`needed ${TOKENS}`, 'current 0']);
    const both = await Promise.all([
      installation.json<{ resealed: number; left: number }>('key', 'rotate'),
      installation.json<{ resealed: number; left: number }>('key', 'rotate'),
    ]);
    expect(both.map(({ left }) => left)).toEqual([0, 0]);
    expect(both.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(TOKENS);
    expect(await installation.openAll()).toBe(TOKENS);
    expect(await installation.confirm([server, server], 'LOADED0', 0)).toMatchObject({ result: true });
  });

  it('before the old one is retired leaves it in its place', async () => {
    const [old = ''] = (await installation.keys()).map(({ key_id: keyId }) => keyId);
    await killedAt('encryption_keys IN SHARE MODE', 'key', 'retire', old, '--yes');
    expect(await states()).toEqual(['unused 0', `current ${TOKENS}`]);
    await installation.json('key', 'retire', old, '--yes');
    expect(await installation.json('key', 'retire', old, '--yes')).toMatchObject({ changed: false });
    expect(keysInFile()).toHaveLength(2);
    expect(await installation.openAll()).toBe(TOKENS);
    expect(await installation.confirm([server, server], 'LOADED1', 0)).toMatchObject({ result: true });
  });
});
