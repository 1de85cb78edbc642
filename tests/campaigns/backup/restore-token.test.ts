import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { type Ended, runCli } from '../../cli/cli-process.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { ServerClient } from '../../support/servers/server-client.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { APP_KEY, totpAt } from '../../support/values/authenticator-app.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';

let environment: Readonly<Record<string, string>>;
let server: ServerProcess;
let client: ServerClient;

afterAll(() => server.stop());

const folder = temporaryFolder();
const database = databaseOfTests();

beforeAll(async () => {
  environment = { DATABASE_URL: database.url, DATA_DIR: folder };
  server = await startServerProcess(environment);
  client = await ServerClient.open(server);
  await database.database.knex.raw(`
    INSERT INTO resolvers (name, kind) VALUES ('people', 'managed');
    INSERT INTO realms (name) VALUES ('bank');
    INSERT INTO realm_resolvers SELECT r.id, s.id, 1 FROM realms AS r, resolvers AS s;
    INSERT INTO users (resolver_id, login) SELECT id, 'ann' FROM resolvers`);
  await client.openTransaction('T1');
  await client.openTransaction('T2');
  await asked('/admin/assign', { serial: 'T1', user: 'ann@bank' });
  await asked('/admin/init', { type: 'totp', serial: 'TOTP1', otpkey: APP_KEY });
  const identity = await generateX25519Identity();
  await writeFile(join(folder, 'identity'), identity);
  const lock = ['--recipient', await identityToRecipient(identity)];
  expect(await runCli(['export', join(folder, 'b.age'), ...lock], environment)).toMatchObject({ code: 0 });
});

async function asked(path: string, parameters: Record<string, string>): Promise<void> {
  expect((await client.post(path, parameters)).body.result).toMatchObject({ status: true });
}

function restore(serial: string): Promise<Ended> {
  const unlock = ['--identity-file', join(folder, 'identity')];
  return runCli(['restore', join(folder, 'b.age'), ...unlock, '--token', serial], environment);
}

async function rowOf(serial: string): Promise<unknown> {
  const { rows } = await database.database.knex.raw<{ rows: unknown[] }>(
    `SELECT seed, counter, active, realm_set_id, owner_resolver_id, owner_login, created_at FROM tokens
     WHERE serial = ?`,
    [serial],
  );
  return rows[0];
}

describe('tankeeper restore --token', () => {
  it('brings a removed token back as it was, while a server runs, and none of its challenges', async () => {
    const before = await rowOf('T1');
    expect(before).toMatchObject({ owner_login: 'ann' });
    await asked('/admin/remove', { serial: 'T1' });
    expect(await rowOf('T1')).toBeUndefined();
    expect(await restore('T1')).toMatchObject({ code: 0, err: '' });
    expect(await rowOf('T1')).toEqual(before);
    const open = database.database.knex('challenges').join('tokens', 'tokens.id', 'token_id');
    expect(await open.where({ serial: 'T1' }).count()).toEqual([{ count: '0' }]);
    const audit: unknown = await database.database.knex('audit').where({ action: 'backup/restore' }).first();
    expect(audit).toMatchObject({
      subject: 'T1',
      outcome: expect.stringMatching(/^restored from 20/) as unknown,
      realm: 'bank',
    });
    expect(await runCli(['count', '--verify'], environment)).toMatchObject({ code: 0 });
    expect(await runCli(['audit', 'verify'], environment)).toMatchObject({ code: 0 });
  });

  it('takes no response of TOTP again that was accepted after the backup', async () => {
    const pass = totpAt(new Date());
    const accepts = async (): Promise<unknown> =>
      (await client.post('/validate/check_s', { serial: 'TOTP1', pass })).body.result?.value;
    expect(await accepts()).toBe(true);
    await asked('/admin/remove', { serial: 'TOTP1' });
    expect(await restore('TOTP1')).toMatchObject({ code: 0, err: '' });
    expect(await accepts()).toBe(false);
  });

  it('changes no token that is there, and names one that the backup does not have', async () => {
    const taken = await restore('T2');
    expect(taken).toMatchObject({
      code: 1,
      err: expect.stringContaining("the serial 'T2' already") as unknown,
    });
    const unknown = await restore('T9');
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining("the serial 'T9'") as unknown });
  });

  it('puts a token into no realm of another name', async () => {
    await asked('/admin/remove', { serial: 'T1' });
    await asked('/system/delRealm', { realm: 'bank' });
    const ended = await restore('T1');
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining("no realm 'bank'") as unknown });
    expect(await rowOf('T1')).toBeUndefined();
  });
});
