import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { ProvenPassword } from '../../src/administrators/administrator.ts';
import { AdministratorStore } from '../../src/administrators/administrator-store.ts';
import { PasswordMemory, RememberedCredentials } from '../../src/administrators/remembered-credentials.ts';
import { secretHash } from '../../src/administrators/session.ts';
import { CHORE_STEPS } from '../../src/housekeeping/housekeeping-store.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { whileHeld } from '../support/database/held-statement.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { NOW } from '../support/values/challenge-answers.ts';
import { ACT } from '../support/values/token-values.ts';

const LATER = new Date(NOW.getTime() + 1_000);
const [SESSION, OTHER_SESSION, TOKEN] = ['session', 'another', 'token'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
];

const provenFor = (administrator: string): ProvenPassword => ({ administrator, version: Buffer.from('v') });

describe('a password that was verified', () => {
  it('makes every other one wrong, of this administrator only', () => {
    const passwords = new PasswordMemory(systemRandom);
    passwords.remember(provenFor('alice'), 'pässword');
    for (const other of ['', 'pässwor', 'pässword ', 'PÄSSWORD', 'pässword\0']) {
      expect(passwords.recall('alice', other)).toBe('other');
    }
    expect(passwords.recall('bob', 'pässword')).toBeUndefined();
    expect(passwords.recall('Alice', 'pässword')).toBeUndefined();
  });

  it('gives way to a new one', () => {
    const passwords = new PasswordMemory(systemRandom);
    const after = provenFor('alice');
    passwords.remember(provenFor('alice'), 'before');
    passwords.remember(after, 'after');
    expect(passwords.recall('alice', 'before')).toBe('other');
    expect(passwords.recall('alice', 'after')).toBe(after);
  });

  it('is kept under a key of this memory alone', () => {
    const keys: Buffer[] = [];
    const random = {
      ...systemRandom,
      bytes: (size: number): Buffer => {
        const key = systemRandom.bytes(size);
        keys.push(key);
        return key;
      },
    };
    for (let memory = 0; memory < 3; memory += 1) {
      new PasswordMemory(random).remember(provenFor('alice'), 'password');
    }
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(3);
    expect(keys.map(({ length }) => length)).toEqual([32, 32, 32]);
  });
});

describe('the memory', () => {
  it('is bounded: 1000 passwords, 10 000 sessions, 10 000 API tokens', () => {
    const credentials = new RememberedCredentials({ random: systemRandom });
    credentials.follow(true);
    const memory = credentials.current;
    const token = { name: 'n', administrator: 'alice', rights: ['*'], createdAt: LATER, expiresAt: null };
    for (let index = 0; index <= 10_000; index += 1) {
      memory?.sessions.set(String(index), { administrator: 'alice', expiresAt: LATER });
      memory?.apiTokens.set(String(index), token);
    }
    expect([memory?.sessions.size, memory?.apiTokens.size]).toEqual([10_000, 10_000]);
    for (let index = 0; index < 1_001; index += 1) {
      memory?.passwords.remember(provenFor(`name${index}`), 'password');
    }
    expect(memory?.passwords.recall('name0', 'password')).toBeUndefined();
    expect(memory?.passwords.recall('name1', 'password')).toBeDefined();
  });
});

describe('sessions and API tokens', () => {
  const test = databaseOfTests();
  /** Another server, which remembers nothing. */
  let elsewhere: AdministratorStore;
  let time: number;
  let credentials: RememberedCredentials;
  let store: AdministratorStore;

  beforeAll(() => {
    elsewhere = new AdministratorStore({ database: test.database });
  });

  beforeEach(async () => {
    await test.database.knex('administrators').delete();
    for (const name of ['alice', 'bob']) {
      await elsewhere.insert(name, 'hash', ACT);
    }
    const proven = { administrator: 'alice', version: secretHash('hash') };
    await elsewhere.insertSession(proven, SESSION, LATER, ACT);
    await elsewhere.insertSession(proven, OTHER_SESSION, LATER, ACT);
    const token = { name: 'probe', administrator: 'alice', rights: ['monitoring:*'], expiresAt: LATER };
    await elsewhere.insertApiToken(token, TOKEN, ACT);
    time = 10_000;
    credentials = new RememberedCredentials({ random: systemRandom, elapsed: () => time });
    credentials.follow(true);
    store = new AdministratorStore({ database: test.database, credentials });
  });

  /** @returns the owners that the session and the API token have for this server */
  const both = async (): Promise<(string | undefined)[]> => [
    await store.findSession(SESSION, NOW),
    (await store.findApiToken(TOKEN, NOW))?.administrator,
  ];

  /** @returns the number of statements that the look-ups of both took */
  async function statementsOfBoth(): Promise<number> {
    let statements = 0;
    const note = (): void => {
      statements += 1;
    };
    test.database.knex.on('query', note);
    await both();
    test.database.knex.off('query', note);
    return statements;
  }

  it('are read once in ten seconds, however often they are used', async () => {
    expect(await statementsOfBoth()).toBe(2);
    time += 9_999;
    expect(await statementsOfBoth()).toBe(0);
    time += 1;
    expect(await statementsOfBoth()).toBe(2);
  });

  it('are read each time while this server is not told of changes, and once more when it is', async () => {
    await both();
    credentials.follow(false);
    expect(await statementsOfBoth()).toBe(2);
    expect(await statementsOfBoth()).toBe(2);
    credentials.follow(true);
    expect(await statementsOfBoth()).toBe(2);
    expect(await statementsOfBoth()).toBe(0);
  });

  it('end at their expiry, also in memory', async () => {
    await both();
    expect(await store.findSession(SESSION, LATER)).toBeUndefined();
    expect(await store.findApiToken(TOKEN, LATER)).toBeUndefined();
  });

  it('that are unknown are read each time', async () => {
    expect(await store.findSession(Buffer.from('soon'), NOW)).toBeUndefined();
    const proven = { administrator: 'bob', version: secretHash('hash') };
    await elsewhere.insertSession(proven, Buffer.from('soon'), LATER, ACT);
    expect(await store.findSession(Buffer.from('soon'), NOW)).toBe('bob');
  });

  it.each<[string, () => Promise<unknown>]>([
    ['of a session', () => store.revokeSession(OTHER_SESSION, ACT)],
    ['by a password', () => store.setPassword('bob', 'new', ACT)],
    ['of an API token', () => store.removeApiToken('bob', 'none', ACT)],
    ['of an administrator', () => store.remove('bob', ACT)],
  ])('are forgotten at a revocation %s by this server, without a notice', async (_name, revoke) => {
    await both();
    await revoke();
    expect(await statementsOfBoth()).toBe(2);
  });

  it('do not fill the memory after a revocation by a read that began before', async () => {
    const memory = credentials.current;
    const found = await whileHeld(
      /from "sessions"/,
      () => store.findSession(SESSION, NOW),
      async () => {
        await elsewhere.revokeSession(OTHER_SESSION, ACT);
        credentials.forget();
      },
    );
    expect(found).toBe('alice');
    expect(memory?.sessions.size).toBe(1);
    expect(credentials.current?.sessions.size).toBe(0);
  });

  describe('tell all servers of a change that may revoke one', () => {
    let client: pg.Client;
    let notices: string[];
    beforeEach(async () => {
      notices = [];
      client = new pg.Client({ connectionString: test.url });
      await client.connect();
      client.on('notification', ({ channel, payload }) => notices.push(`${channel} ${payload ?? ''}`));
      await client.query('LISTEN tankeeper_configuration');
    });

    const heard = async (): Promise<readonly string[]> => {
      await client.query('SELECT 1');
      await client.end();
      return [...new Set(notices)];
    };

    it.each<[string, () => Promise<unknown>]>([
      ['a logout', () => elsewhere.revokeSession(SESSION, ACT)],
      ['a new password', () => elsewhere.setPassword('alice', 'new', ACT)],
      ['the removal of an API token', () => elsewhere.removeApiToken('alice', 'probe', ACT)],
      ['the removal of an administrator', () => elsewhere.remove('alice', ACT)],
      [
        'another name, by hand',
        () => test.database.knex('administrators').where({ name: 'alice' }).update({ name: 'eve' }),
      ],
      [
        'a session deleted by hand',
        // By the clock of the database, which the test does not set.
        async () => {
          await test.database.knex('sessions').update({ expires_at: '9999-01-01' });
          await client.query('SELECT 1');
          notices.length = 0;
          await test.database.knex('sessions').delete();
        },
      ],
      [
        'a truncation',
        async () => {
          await test.database.knex.raw('TRUNCATE administrators CASCADE');
        },
      ],
    ])('%s', async (_name, change) => {
      await change();
      expect(await heard()).toEqual(['tankeeper_configuration public']);
    });

    it('but not of one that is rolled back, of new credentials, and of housekeeping', async () => {
      const rolledBack = test.database.knex.transaction(async (transaction) => {
        await transaction('sessions').update({ revoked_at: transaction.fn.now() });
        throw new Error('rolled back');
      });
      await expect(rolledBack).rejects.toThrow('rolled back');
      await elsewhere.insert('carol', 'hash', ACT);
      const proven = { administrator: 'bob', version: secretHash('hash') };
      await elsewhere.insertSession(proven, Buffer.from('new'), new Date(0), ACT);
      const token = { name: 'new', administrator: 'bob', rights: ['*'], expiresAt: null };
      await elsewhere.insertApiToken(token, Buffer.from('new'), ACT);
      const step = CHORE_STEPS.find(({ chore }) => chore === 'sessions');
      const due = {
        sessionsEndBy: NOW,
        challengesEndBefore: NOW,
        limitsEndBy: NOW,
        responsesByHourBefore: NOW,
        responsesCountedBefore: NOW,
      };
      const removed = await test.database.knex.transaction((transaction) =>
        step?.remove(transaction, due, 100),
      );
      expect(removed).toBe(1);
      expect(await heard()).toEqual([]);
    });
  });
});
