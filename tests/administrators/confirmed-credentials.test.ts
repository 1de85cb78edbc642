import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';

import { secretHash } from '../../src/administrators/session.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { AdministratorStore } from '../../src/administrators/administrator-store.ts';
import { ConfirmedCredentials } from '../../src/administrators/confirmed-credentials-store.ts';
import { CHORE_STEPS } from '../../src/housekeeping/housekeeping-store.ts';
import { openDatabase } from '../../src/database/database.ts';
import { DatabaseProxy } from '../support/database/database-proxy.ts';
import { whileHeld } from '../support/database/held-statement.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { NOW } from '../support/values/challenge-answers.ts';
import { ACT } from '../support/values/token-values.ts';

const WINDOW = 500;
const LATER = new Date(NOW.getTime() + 1_000);
const SESSION = Buffer.from('session hash');
const OTHER_SESSION = Buffer.from('another session hash');
const TOKEN = Buffer.from('token hash');

let test: TestDatabase;
/** Another server, which remembers nothing. */
let elsewhere: AdministratorStore;
let time: number;
let credentials: ConfirmedCredentials;
let store: AdministratorStore;

beforeAll(async () => {
  test = await createTestDatabase();
  elsewhere = new AdministratorStore({ database: test.database });
});

afterAll(() => test.drop());

beforeEach(async () => {
  await test.database.knex('administrators').delete();
  await addAll();
  time = 10_000;
  ({ credentials, store } = server());
  await credentials.confirm();
});

function server(): { credentials: ConfirmedCredentials; store: AdministratorStore } {
  const { database } = test;
  const own = new ConfirmedCredentials({
    database,
    random: systemRandom,
    window: WINDOW,
    elapsed: () => time,
  });
  return { credentials: own, store: new AdministratorStore({ database, credentials: own }) };
}

async function addAll(): Promise<void> {
  await elsewhere.insert('alice', 'hash', ACT);
  await elsewhere.insert('bob', 'hash', ACT);
  const proven = { administrator: 'alice', version: secretHash('hash') };
  await elsewhere.insertSession(proven, SESSION, LATER, ACT);
  await elsewhere.insertSession(proven, OTHER_SESSION, LATER, ACT);
  const token = { name: 'probe', administrator: 'alice', rights: ['monitoring:*'], expiresAt: LATER };
  await elsewhere.insertApiToken(token, TOKEN, ACT);
}

/** @returns the number of statements that the look-ups of the session and the API token took */
async function statementsOfBoth(): Promise<number> {
  const statements: string[] = [];
  const note = ({ sql }: { sql: string }): void => {
    statements.push(sql);
  };
  test.database.knex.on('query', note);
  await both();
  test.database.knex.off('query', note);
  return statements.length;
}

/** @returns the owners that the session and the API token have for this server */
async function both(): Promise<(string | undefined)[]> {
  return [await store.findSession(SESSION, NOW), (await store.findApiToken(TOKEN, NOW))?.administrator];
}

const revision = async (): Promise<unknown> =>
  (await test.database.knex('credential_state').first<{ revision: string }>('revision')).revision;

describe('a session and an API token', () => {
  it('are read once, and then taken from memory while that is confirmed', async () => {
    expect(await statementsOfBoth()).toBe(2);
    for (let round = 0; round < 4; round += 1) {
      expect(await both()).toEqual(['alice', 'alice']);
      expect(await statementsOfBoth()).toBe(0);
      time += WINDOW - 100;
      await credentials.confirm();
    }
  });

  it('are read each time when the confirmation is over, and come from memory again after the next one', async () => {
    await both();
    time += WINDOW;
    expect(await statementsOfBoth()).toBe(2);
    expect(await statementsOfBoth()).toBe(2);
    await credentials.confirm();
    expect(await statementsOfBoth()).toBe(0);
  });

  it('are read again after a minute, though nothing has changed', async () => {
    await both();
    for (let passed = 0; passed < 60_000; passed += 400) {
      time += 400;
      await credentials.confirm();
    }
    expect(await statementsOfBoth()).toBe(2);
    expect(await statementsOfBoth()).toBe(0);
  });

  it('end at their expiry, also in memory', async () => {
    await both();
    const statements: unknown[] = [];
    test.database.knex.on('query', (query) => statements.push(query));
    expect(await store.findSession(SESSION, LATER)).toBeUndefined();
    expect(await store.findApiToken(TOKEN, LATER)).toBeUndefined();
    test.database.knex.removeAllListeners('query');
    expect(statements).toEqual([]);
  });

  it('that are unknown are read each time', async () => {
    for (let round = 0; round < 2; round += 1) {
      expect(await store.findSession(Buffer.from('soon'), NOW)).toBeUndefined();
      expect(await store.findApiToken(Buffer.from('soon'), NOW)).toBeUndefined();
    }
    const proven = { administrator: 'bob', version: secretHash('hash') };
    await elsewhere.insertSession(proven, Buffer.from('soon'), LATER, ACT);
    expect(await store.findSession(Buffer.from('soon'), NOW)).toBe('bob');
  });

  it('are read each time where there is no window', async () => {
    const { database } = test;
    const none = new ConfirmedCredentials({ database, random: systemRandom });
    store = new AdministratorStore({ database, credentials: none });
    await none.confirm();
    expect(none.current).toBeUndefined();
    expect(await statementsOfBoth()).toBe(2);
    expect(await statementsOfBoth()).toBe(2);
  });
});

type Owners = readonly (string | undefined)[];

const CHANGES: Readonly<Record<string, readonly [change: () => Promise<unknown>, left: Owners]>> = {
  'a logout': [() => elsewhere.revokeSession(SESSION, ACT), [undefined, 'alice']],
  'a new password': [() => elsewhere.setPassword('alice', 'new', ACT), [undefined, 'alice']],
  'a new password that revokes API tokens': [
    () => elsewhere.setPassword('alice', 'new', ACT, { revokesApiTokens: true }),
    [undefined, undefined],
  ],
  'the removal of the API token': [
    () => elsewhere.removeApiToken('alice', 'probe', ACT),
    ['alice', undefined],
  ],
  'the removal of the administrator': [() => elsewhere.remove('alice', ACT), [undefined, undefined]],
  'another name, by hand': [
    () => test.database.knex('administrators').where({ name: 'alice' }).update({ name: 'eve' }),
    ['eve', 'eve'],
  ],
  'a session deleted by hand': [
    // By the clock of the database, which the test does not set.
    async () => {
      await test.database.knex('sessions').update({ expires_at: '9999-01-01' });
      await test.database.knex('sessions').where({ session_hash: SESSION }).delete();
    },
    [undefined, 'alice'],
  ],
  'a shorter session, by hand': [
    () => test.database.knex('sessions').update({ expires_at: NOW }),
    [undefined, 'alice'],
  ],
  'a truncation': [() => test.database.knex.raw('TRUNCATE administrators CASCADE'), [undefined, undefined]],
};

describe.each(Object.entries(CHANGES))('%s on another server', (_name, [change, left]) => {
  it('is noticed at the next comparison, and at the end of the window without one', async () => {
    expect(await both()).toEqual(['alice', 'alice']);
    await change();
    time += WINDOW - 1;
    expect(await both()).toEqual(['alice', 'alice']);
    time += 1;
    expect(await both()).toEqual(left);
    await credentials.confirm();
    expect(await both()).toEqual(left);
    expect(await both()).toEqual(left);
  });

  it('is noticed at once after a notice', async () => {
    await both();
    await change();
    credentials.expire();
    expect(await both()).toEqual(left);
  });

  it('sends the notice once, when it is committed', async () => {
    const client = new pg.Client({ connectionString: test.url });
    await client.connect();
    const notices: unknown[] = [];
    client.on('notification', ({ channel, payload }) => notices.push([channel, payload]));
    await client.query('LISTEN tankeeper_configuration');
    const before = await revision();
    const rolledBack = test.database.knex.transaction(async (transaction) => {
      await transaction('sessions').update({ revoked_at: transaction.fn.now() });
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    await client.query('SELECT 1');
    expect(notices).toEqual([]);
    expect(await revision()).toBe(before);
    await change();
    await client.query('SELECT 1');
    expect(new Set(notices.map(String))).toEqual(new Set(['tankeeper_configuration,public']));
    expect(await revision()).not.toBe(before);
    await client.end();
  });
});

describe('the revision', () => {
  const REVOKE = 'UPDATE sessions SET revoked_at = now() WHERE session_hash = $1';
  let client: pg.Client;

  beforeEach(async () => {
    client = new pg.Client({ connectionString: test.url });
    await client.connect();
  });
  afterEach(() => client.end());

  async function within(): Promise<string | undefined> {
    const { rows } = await client.query<{ revision: string }>('SELECT revision FROM credential_state');
    return rows[0]?.revision;
  }

  it('changes with every transaction of one connection, and once in each', async () => {
    const seen = [await revision()];
    for (const session of [SESSION, OTHER_SESSION]) {
      await client.query('BEGIN');
      await client.query('SET CONSTRAINTS ALL IMMEDIATE');
      await client.query(REVOKE, [session]);
      const once = await within();
      await client.query('UPDATE sessions SET revoked_at = now()');
      await client.query('DELETE FROM api_tokens');
      expect(await within()).toBe(once);
      await client.query('COMMIT');
      seen.push(await revision());
    }
    expect(new Set(seen).size).toBe(3);
  });

  it('changes also where the first change of the transaction was taken back', async () => {
    const before = await revision();
    await client.query('BEGIN');
    await client.query('SET CONSTRAINTS ALL IMMEDIATE');
    await client.query('SAVEPOINT first');
    await client.query(REVOKE, [SESSION]);
    await client.query('ROLLBACK TO first');
    expect(await within()).toBe(before);
    await client.query(REVOKE, [OTHER_SESSION]);
    await client.query('COMMIT');
    expect(await revision()).not.toBe(before);
  });
});

describe('what revokes nothing', () => {
  it('leaves the revision as it is: logins, new administrators and API tokens, and housekeeping', async () => {
    const before = await revision();
    await test.database.knex('administrators').insert({ name: 'carol', password_hash: 'hash' });
    const proven = { administrator: 'bob', version: secretHash('hash') };
    await elsewhere.insertSession(proven, Buffer.from('new'), new Date(0), ACT);
    const token = { name: 'new', administrator: 'bob', rights: ['*'], expiresAt: null };
    await elsewhere.insertApiToken(token, Buffer.from('new'), ACT);
    expect(await revision()).toBe(before);
    await elsewhere.revokeSession(SESSION, ACT);
    const revoked = await revision();
    expect(revoked).not.toBe(before);
    const step = CHORE_STEPS.find(({ chore }) => chore === 'sessions');
    const removed = await test.database.knex.transaction((transaction) =>
      step?.remove(
        transaction,
        {
          sessionsEndBy: NOW,
          challengesEndBefore: NOW,
          limitsEndBy: NOW,
          responsesByHourBefore: NOW,
          responsesCountedBefore: NOW,
        },
        100,
      ),
    );
    expect(removed).toBe(2);
    expect(await revision()).toBe(revoked);
  });
});

describe('a revocation through this server', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['of a session', () => store.revokeSession(OTHER_SESSION, ACT)],
    ['by a password', () => store.setPassword('bob', 'new', ACT)],
    ['of an API token', () => store.removeApiToken('bob', 'none', ACT)],
    ['of an administrator', () => store.remove('bob', ACT)],
  ])('%s is noticed at once, without a notice', async (_name, revoke) => {
    await both();
    expect(credentials.current).toBeDefined();
    await revoke();
    expect(credentials.current).toBeUndefined();
    expect(await statementsOfBoth()).toBe(2);
  });
});

describe('a read that began before a revocation', () => {
  it('does not fill the memory of the state after it', async () => {
    const memory = credentials.current;
    const found = await whileHeld(
      /from "sessions"/,
      () => store.findSession(SESSION, NOW),
      async () => {
        await elsewhere.revokeSession(OTHER_SESSION, ACT);
        await credentials.confirm();
      },
    );
    expect(found).toBe('alice');
    expect(memory?.sessions.size).toBe(1);
    expect(credentials.current).not.toBe(memory);
    expect(credentials.current?.sessions.size).toBe(0);
  });
});

describe('a comparison', () => {
  it('that began before a revocation confirms nothing after it', async () => {
    await both();
    await whileHeld(
      /from "credential_state"/,
      () => credentials.confirm(),
      async () => {
        await elsewhere.revokeSession(SESSION, ACT);
        credentials.expire();
      },
    );
    expect(credentials.current).toBeUndefined();
    expect(await both()).toEqual([undefined, 'alice']);
  });

  it('that fails lets nothing be taken from memory, not even when the next one succeeds', async () => {
    const proxy = await DatabaseProxy.start(test.url);
    const database = openDatabase({ connection: proxy.url, acquireTimeoutMs: 20_000 });
    const own = new ConfirmedCredentials({
      database,
      random: systemRandom,
      window: WINDOW,
      elapsed: () => time,
    });
    const away = new AdministratorStore({ database, credentials: own });
    await own.confirm();
    expect(await away.findSession(SESSION, NOW)).toBe('alice');
    await proxy.cut();
    expect(await away.findSession(SESSION, NOW)).toBe('alice');
    await expect(own.confirm()).rejects.toMatchObject({ code: 'database.unavailable' });
    expect(own.current).toBeUndefined();
    await expect(away.findSession(SESSION, NOW)).rejects.toMatchObject({ code: 'database.unavailable' });
    await proxy.restore();
    await own.confirm();
    expect(own.current?.sessions.size).toBe(0);
    await database.close();
    await proxy.stop();
  });

  it('fails where the row of the revision is gone', async () => {
    await test.database.knex('credential_state').delete();
    await expect(credentials.confirm()).rejects.toThrow('credential_state has lost its row');
    expect(credentials.current).toBeUndefined();
    await test.database
      .knex('credential_state')
      .insert({ revision: test.database.knex.raw('gen_random_uuid()') });
  });
});

describe('revocations at the same time', () => {
  it('do not wait for each other before their commits', async () => {
    const changing = await test.database.knex.transaction();
    await changing('administrators').where({ name: 'bob' }).update({ password_hash: 'new' });
    await changing('api_tokens').delete();
    // Would wait for ever if the open transaction had the lock of the revision already.
    expect(await elsewhere.revokeSession(SESSION, ACT)).toBe(true);
    await changing.commit();
  });

  it('are all noticed', async () => {
    const sessions = Array.from({ length: 30 }, (_, index) => Buffer.from(`session ${index}`));
    const proven = { administrator: 'alice', version: secretHash('hash') };
    await Promise.all(sessions.map((one) => elsewhere.insertSession(proven, one, LATER, ACT)));
    const found = (): Promise<unknown[]> => Promise.all(sessions.map((one) => store.findSession(one, NOW)));
    expect(await found()).toEqual(sessions.map(() => 'alice'));
    await Promise.all([
      ...sessions.slice(0, 20).map((one) => elsewhere.revokeSession(one, ACT)),
      elsewhere.setPassword('alice', 'new', ACT),
      elsewhere.removeApiToken('alice', 'probe', ACT),
    ]);
    await credentials.confirm();
    expect(await found()).toEqual(sessions.map(() => undefined));
  });
});
