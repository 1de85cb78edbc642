import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Act } from '../../src/policy/caller.ts';
import { type Sealed, keyIdOf, newKey, Vault } from '../../src/keys/vault.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { KeyStore } from '../../src/keys/key-store.ts';
import { SEALED_TABLES } from '../../src/keys/resealing-store.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { deferred } from '../support/values/until.ts';
import { eventualRefusal } from '../support/values/refusal.ts';
import { registerKey } from '../support/application/test-keys.ts';
import { untilWaiting } from '../support/database/held-statement.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';

const ONE = Buffer.alloc(32, 1);
const TWO = Buffer.alloc(32, 2);
const ACT: Act = { actor: 'operator:test', action: 'keys/test', client: '', requestId: 'test' };
/** More than two chunks. */
const TOKENS = 230;
/** Hashes, signatures, and what a security module or a key itself has sealed: no secret of the vault's. */
const NOT_SEALED = [
  'api_tokens.token_hash',
  'passkeys.public_key',
  'sessions.session_hash',
  'sign_in_attempts.attempt_hash',
  'sign_in_attempts.password_version',
  'used_sign_ons.state_hash',
  'user_sessions.session_hash',
  'encryption_keys.canary',
  'encryption_keys.wrapped',
  'imported_entries.fingerprint',
  'imported_tokens.fingerprint',
];

const vaultWith = (...keys: Buffer[]): Vault => new Vault({ keys, random: systemRandom });
const [old, both, fresh] = [vaultWith(ONE), vaultWith(TWO, ONE), vaultWith(TWO)];
const secretOf = (purpose: string, subject: string): Buffer => Buffer.from(`${purpose} of ${subject}`);
const serialOf = (index: number): string => `T${String(index).padStart(3, '0')}`;

let test: TestDatabase;
let rotation: KeyStore;

beforeEach(async () => {
  test = await createTestDatabase();
  await registerKey(test.database, newKey(ONE, systemRandom));
  rotation = new KeyStore({ database: test.database });
  await rotation.add(() => Promise.resolve({ ...newKey(TWO, systemRandom), isMade: true }), ACT);
});

afterEach(() => test.drop());

const WEBHOOK = {
  url: 'https://hook.example.com/',
  allows_http: false,
  events: [],
  realms: [],
  previous_until: new Date('2100-01-01T00:00:00Z'),
};

/** A row with every secret that there can be, in each table. */
async function fill(vault: Vault, count = TOKENS): Promise<void> {
  const { knex } = test.database;
  const secretsOf = (table: (typeof SEALED_TABLES)[number], subject: string): Record<string, Buffer> =>
    Object.fromEntries(
      Object.entries(table.secrets).map(([column, purpose]) => [
        column,
        vault.seal(secretOf(purpose, subject), purpose, subject),
      ]),
    );
  const [tokens, resolvers, configuration, , webhooks] = SEALED_TABLES;
  if (
    tokens === undefined ||
    resolvers === undefined ||
    configuration === undefined ||
    webhooks === undefined
  ) {
    throw new Error('There are more tables, or fewer');
  }
  const rows = Array.from({ length: count }, (_, index) => ({
    serial: serialOf(index),
    type: 'ocra',
    active: true,
    realm_set_id: 1,
    ...secretsOf(tokens, serialOf(index)),
  }));
  await knex('tokens').insert(rows);
  await knex('resolvers').insert({ name: 'r', kind: 'managed', ...secretsOf(resolvers, 'r') });
  await knex('configuration').insert({ key: 'k', value: '', ...secretsOf(configuration, 'k') });
  await knex('webhooks').insert({ ...WEBHOOK, name: 'w', ...secretsOf(webhooks, 'w') });
}

/** Opens every secret of the database. @returns their number */
async function openAll(vault: Vault): Promise<number> {
  let opened = 0;
  for (const { table, subject, secrets } of SEALED_TABLES) {
    const rows = await test.database
      .knex(table)
      .select<Record<string, Buffer | string | null>[]>(subject, ...Object.keys(secrets));
    for (const row of rows) {
      const owner = String(row[subject]);
      for (const [column, purpose] of Object.entries(secrets)) {
        const sealed = row[column];
        if (Buffer.isBuffer(sealed)) {
          expect(vault.open(sealed as Sealed, purpose, owner)).toEqual(secretOf(purpose, owner));
          opened += 1;
        }
      }
    }
  }
  return opened;
}

const reseal = (): ReturnType<KeyStore['reseal']> => rotation.reseal(both, () => undefined, ACT);

describe('the list of sealed columns', () => {
  it('names every column of bytes in the schema, or it is known to hold no sealed secret', async () => {
    const { rows } = await test.database.knex.raw<{ rows: { name: string }[] }>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type = 'bytea' AND table_name !~ '^audit'`,
    );
    const sealed = SEALED_TABLES.flatMap(({ table, secrets }) =>
      Object.keys(secrets).map((column) => `${table}.${column}`),
    );
    expect(rows.map(({ name }) => name).sort()).toEqual([...sealed, ...NOT_SEALED].sort());
  });
});

describe('sealing anew', () => {
  const everything = TOKENS * 5 + 4;

  beforeEach(() => rotation.makeCurrent(keyIdOf(TWO), ACT));

  it('leaves nothing that needs the old key, and then finds nothing to do', async () => {
    await fill(old);
    const reported: string[] = [];
    const done = await rotation.reseal(
      both,
      (secrets, total) => reported.push(`${secrets} of ${total}`),
      ACT,
    );
    expect(done).toEqual({ resealed: everything, left: 0, unreadable: [], unreadableCount: 0 });
    expect(await openAll(fresh)).toBe(everything);
    expect(reported[0]).toBe(`0 of ${everything}`);
    expect(reported.at(-1)).toBe(`${everything} of ${everything}`);
    expect(new Set(reported).size).toBeGreaterThan(3);
    expect(await reseal()).toMatchObject({ resealed: 0, left: 0 });
  });

  it('passes over a row that somebody holds, and comes back to it', async () => {
    await fill(old);
    const holding = await test.database.knex.transaction();
    await holding('tokens')
      .where({ serial: serialOf(5) })
      .forUpdate()
      .select('id');
    const running = reseal();
    await sleep(100);
    await holding.commit();
    expect(await running).toMatchObject({ resealed: everything, left: 0 });
    expect(await openAll(fresh)).toBe(everything);
  });

  it('never writes over what is changed at the same time', async () => {
    await fill(old);
    const store = new TokenStore({ database: test.database });
    const serials = Array.from({ length: 50 }, (_, index) => serialOf((index * 37) % TOKENS));
    const changed = (async () => {
      for (const serial of serials) {
        const pin = both.seal(Buffer.from(`new ${serial}`), 'pin', serial);
        await store.update(serial, { secrets: { pin } }, ACT);
      }
    })();
    const { left } = await reseal();
    await changed;
    expect(left).toBe(0);
    const rows = await test.database
      .knex('tokens')
      .whereIn('serial', serials)
      .select<{ serial: string; pin: Sealed }[]>('serial', 'pin');
    expect(rows.map(({ serial, pin }) => fresh.open(pin, 'pin', serial).toString()).sort()).toEqual(
      serials.map((serial) => `new ${serial}`).sort(),
    );
  });

  it('names what cannot be opened, leaves it as it is, and does all else', async () => {
    await fill(old, 3);
    const elsewhere = old.seal(Buffer.from('x'), 'pin', 'another');
    await test.database
      .knex('tokens')
      .where({ serial: serialOf(1) })
      .update({ pin: elsewhere });
    expect(await reseal()).toEqual({
      resealed: 3 * 5 + 4 - 1,
      left: 0,
      unreadable: ['tokens T001, pin'],
      unreadableCount: 1,
    });
    const row = await test.database
      .knex('tokens')
      .where({ serial: serialOf(1) })
      .first<{ pin: Buffer }>('pin');
    expect(row.pin).toEqual(elsewhere);
    expect((await eventualRefusal(rotation.retire(keyIdOf(ONE), ACT))).message).toContain('1 secret is');
  });

  it('may be done by two at the same time: each secret is done by one of them', async () => {
    await fill(old);
    const [one, other] = await Promise.all([reseal(), reseal()]);
    expect([one.left, other.left, one.resealed + other.resealed]).toEqual([0, 0, everything]);
    expect(await openAll(fresh)).toBe(everything);
  });

  it('ends where another rotation makes another key current, and leaves the rest to that one', async () => {
    await fill(old);
    const third = Buffer.alloc(32, 3);
    const latest = vaultWith(third, TWO, ONE);
    await rotation.add(() => Promise.resolve({ ...newKey(third, systemRandom), isMade: true }), ACT);
    // Somebody holds a row, so that sealing anew is not over before the other rotation begins.
    const holding = await test.database.knex.transaction();
    await holding('tokens')
      .where({ serial: serialOf(TOKENS - 1) })
      .forUpdate()
      .select('id');
    const begun = deferred<undefined>();
    const overtaken = eventualRefusal(
      rotation.reseal(
        both,
        (done) => {
          if (done > 0) {
            begun.resolve(undefined);
          }
        },
        ACT,
      ),
    );
    await begun.promise;
    await rotation.makeCurrent(keyIdOf(third), ACT);
    await holding.commit();
    const { code, message } = await overtaken;
    expect([code, message]).toEqual(['key.refused', expect.stringContaining('another rotation')]);
    expect(await openAll(both)).toBe(everything);
    expect(await rotation.reseal(latest, () => undefined, ACT)).toMatchObject({
      resealed: everything,
      left: 0,
    });
    expect(await openAll(vaultWith(third))).toBe(everything);
    expect(await rotation.retire(keyIdOf(TWO), ACT)).toBe(true);
  });
});

describe('retiring a key', () => {
  it('is refused while it is the current one, is unknown, or has sealed a secret', async () => {
    await fill(old, 1);
    const refused = async (keyId: string): Promise<string> =>
      (await eventualRefusal(rotation.retire(keyId, ACT))).message;
    expect(await refused(keyIdOf(ONE))).toContain('is the current one');
    await rotation.makeCurrent(keyIdOf(TWO), ACT);
    expect(await refused(keyIdOf(ONE))).toContain('is still needed: 9 secrets are sealed with it');
    expect(await refused('0'.repeat(16))).toContain('There is no key');
    await reseal();
    expect(await rotation.retire(keyIdOf(ONE), ACT)).toBe(true);
    expect(await rotation.retire(keyIdOf(ONE), ACT)).toBe(false);
  });

  it('waits for who is about to store what that key sealed, and is refused then', async () => {
    await rotation.makeCurrent(keyIdOf(TWO), ACT);
    const enrolling = await test.database.knex.transaction();
    const seed = old.seal(Buffer.from('x'), 'seed', 'T');
    await enrolling('tokens').insert({ serial: 'T', type: 'ocra', active: true, realm_set_id: 1, seed });
    const retiring = eventualRefusal(rotation.retire(keyIdOf(ONE), ACT));
    await untilWaiting(test.database);
    await enrolling.commit();
    expect((await retiring).message).toContain('1 secret is');
  });

  it.each([
    ['a new token', { serial: 'NEW' }, 'insert'],
    ['a token that is there', { serial: 'T000' }, 'update'],
  ] as const)('lets nothing be sealed with it from then on: not %s', async (_, { serial }, kind) => {
    await fill(fresh, 1);
    await rotation.makeCurrent(keyIdOf(TWO), ACT);
    await rotation.retire(keyIdOf(ONE), ACT);
    const seed = old.seal(Buffer.from('x'), 'seed', serial);
    const { knex } = test.database;
    const attempt =
      kind === 'insert'
        ? knex('tokens').insert({ serial, type: 'ocra', active: true, realm_set_id: 1, seed })
        : knex('tokens').where({ serial }).update({ seed });
    expect((await eventualRefusal(Promise.resolve(attempt))).code).toBe('key.unavailable');
    const resolver = knex('resolvers').update({ secret: old.seal(Buffer.from('x'), 'resolver', 'r') });
    expect((await eventualRefusal(Promise.resolve(resolver))).code).toBe('key.unavailable');
  });

  it('nor in any of the sealed columns that there are, by update or insert', async () => {
    await fill(fresh, 1);
    await rotation.makeCurrent(keyIdOf(TWO), ACT);
    await rotation.retire(keyIdOf(ONE), ACT);
    const imported = {
      serial: 'any',
      fingerprint: Buffer.from('x'),
      token_version: 1,
      type_name: 'ocra',
      otp_length: 6,
      key_form: 'key',
      info: {},
      resolver_class: '',
      resolver_id: '',
      user_id: '',
    };
    const [token] = await test.database.knex('tokens').pluck<string[]>('id');
    await test.database.knex('imported_tokens').insert({ token_id: token, ...imported });
    const rows: Readonly<Record<string, object>> = {
      imported_tokens: imported,
      tokens: { serial: 'NEW', type: 'ocra', active: true, realm_set_id: 1 },
      resolvers: { name: 'new', kind: 'managed' },
      configuration: { key: 'new', value: '' },
      webhooks: { ...WEBHOOK, name: 'new' },
    };
    for (const { table, secrets } of SEALED_TABLES) {
      for (const [column, purpose] of Object.entries(secrets)) {
        const sealed = { [column]: old.seal(Buffer.from('x'), purpose, 'any') };
        for (const attempt of [
          test.database.knex(table).update(sealed),
          test.database.knex(table).insert({ ...rows[table], ...sealed }),
        ]) {
          const { code } = await eventualRefusal(Promise.resolve(attempt));
          expect({ table, column, code }).toEqual({ table, column, code: 'key.unavailable' });
        }
      }
    }
  });
});

describe('each act', () => {
  it('stands in the audit', async () => {
    await fill(old, 1);
    await rotation.makeCurrent(keyIdOf(TWO), ACT);
    await reseal();
    await rotation.retire(keyIdOf(ONE), ACT);
    const rows = await test.database
      .knex('audit')
      .where({ action: 'keys/test' })
      .orderBy('id')
      .select<{ subject: string; outcome: string }[]>('subject', 'outcome');
    expect(rows.map(({ subject, outcome }) => `${subject} ${outcome}`)).toEqual([
      `${keyIdOf(TWO)} added`,
      `${keyIdOf(TWO)} current`,
      `${keyIdOf(TWO)} sealed 9 anew, 0 left`,
      `${keyIdOf(ONE)} retired`,
    ]);
  });
});
