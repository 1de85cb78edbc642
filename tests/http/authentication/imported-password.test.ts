import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { Argon2PasswordHasher, shaCrypt } from '../../../src/users/password-hash.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { TestApplication } from '../../support/application/test-application.ts';

const PASSWORD = 'of the old server';
/** As LinOTP 3 hashes passwords, with fewer rounds. */
const SETTINGS = '$6$rounds=1000$saltsaltsaltsalt$';

let app: TestApplication;
let sql: Knex;
let close: () => Promise<void>;
let imported: string;
let beforeHash: () => Promise<void>;

/** Runs `beforeHash` before it hashes a new password. */
class HookedHasher extends Argon2PasswordHasher {
  override async hash(password: string): Promise<string> {
    await beforeHash();
    return super.hash(password);
  }
}

beforeEach(async () => {
  beforeHash = () => Promise.resolve();
  app = await TestApplication.open({ hasher: new HookedHasher(), credentialWindow: 60_000 });
  const database = openDatabase({ connection: app.databaseUrl, applicationName: 'test' });
  sql = database.knex;
  close = () => database.close();
  imported = SETTINGS + ((await shaCrypt(`${SETTINGS}x`, PASSWORD))?.made ?? '');
  await sql('administrators').insert({ name: 'helpdesk', password_hash: imported });
});

afterEach(async () => {
  await close();
  await app.close();
});

async function login(password = PASSWORD, server = app): Promise<number> {
  return (await server.send('/admin/login', { username: 'helpdesk', password })).status;
}

async function storedHash(): Promise<string> {
  const row = await sql('administrators').where({ name: 'helpdesk' }).first<{ password_hash: string }>();
  return row.password_hash;
}

function renewals(): Promise<readonly string[]> {
  return sql('audit').where({ action: 'administrator/rehash' }).pluck('outcome');
}

describe('an imported password hash', () => {
  it('is replaced by one of this server at the first right login, and no other', async () => {
    expect([await login('another'), await storedHash()]).toEqual([401, imported]);
    expect(await login()).toBe(200);
    const renewed = await storedHash();
    expect(renewed).toMatch(/^\$argon2id\$/);
    expect(await renewals()).toEqual(['password hash renewed']);
    expect([await login(), await login('another'), await storedHash()]).toEqual([200, 401, renewed]);
    expect(await renewals()).toHaveLength(1);
  });

  it('lets in each of two first logins at once, and is replaced once', async () => {
    const other = app.beside();
    const statuses = await Promise.all([login(), login(PASSWORD, other)]);
    await other.close();
    expect(statuses).toEqual([200, 200]);
    expect(await renewals()).toHaveLength(1);
  });

  it('is not put over a password that has been changed meanwhile', async () => {
    const changed = await new Argon2PasswordHasher().hash('of today');
    beforeHash = async () => {
      await sql('administrators').where({ name: 'helpdesk' }).update({ password_hash: changed });
    };
    expect([await login(), await storedHash(), await renewals()]).toEqual([401, changed, []]);
    expect(await login('of today')).toBe(200);
  });
});
