import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { secretHash } from '../../src/administrators/session.ts';
import { AdministratorStore } from '../../src/administrators/administrator-store.ts';
import { NOW } from '../support/values/challenge-answers.ts';
import { untilWaiting } from '../support/database/held-statement.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { ACT } from '../support/values/token-values.ts';

const LATER = new Date(NOW.getTime() + 1_000);

const test = databaseOfTests();
let store: AdministratorStore;

beforeAll(() => {
  store = new AdministratorStore({ database: test.database });
});

beforeEach(async () => {
  await test.database.knex('administrators').delete();
  await test.database.knex.raw("SELECT set_config('tankeeper.audit', 'open', true); DELETE FROM audit");
});

const names = async (): Promise<string[]> => (await store.list()).map(({ name }) => name);
const proven = (administrator: string, hash: string) => ({ administrator, version: secretHash(hash) });

describe('administrators', () => {
  it('cannot have names that differ only in case, nor one with a NUL character', async () => {
    await store.insert('alice', 'hash', ACT);
    for (const name of ['alice', 'Alice', 'ALICE']) {
      await expect(store.insert(name, 'other', ACT)).rejects.toMatchObject({ code: 'administrator.exists' });
    }
    await expect(store.insert('a\0', 'hash', ACT)).rejects.toMatchObject({ code: 'parameter.invalid' });
    expect(await store.find('alice')).toMatchObject({ passwordHash: 'hash' });
  });
});

describe('the first administrator', () => {
  it('is created by one of several servers that start at once', async () => {
    const created = await Promise.all(
      Array.from({ length: 8 }, (_, index) => store.insertFirst(`admin${index}`, 'hash', ACT)),
    );
    expect(created.filter(Boolean)).toHaveLength(1);
    expect(await names()).toHaveLength(1);
  });

  it('is not created beside another that is being added', async () => {
    const adding = await test.database.knex.transaction();
    await adding('administrators').insert({ name: 'alice', password_hash: 'hash' });
    const first = store.insertFirst('admin', 'hash', ACT);
    // Without the lock it does not wait, and is the first as it sees it.
    await Promise.race([first, untilWaiting(test.database)]);
    await adding.commit();
    expect(await first).toBe(false);
    expect(await names()).toEqual(['alice']);
  });
});

describe('the last administrator', () => {
  it('cannot be removed', async () => {
    await store.insert('alice', 'hash', ACT);
    await expect(store.remove('alice', ACT)).rejects.toMatchObject({ code: 'administrator.invalid' });
    expect(await store.remove('nobody', ACT)).toBe(false);
    expect(await store.remove('a\0', ACT)).toBe(false);
    expect(await names()).toEqual(['alice']);
  });

  it('stays when another one is being removed', async () => {
    await store.insert('alice', 'hash', ACT);
    await store.insert('bob', 'hash', ACT);
    const removing = await test.database.knex.transaction();
    await removing('administrators').where({ name: 'alice' }).delete();
    const last = store.remove('bob', ACT).catch((error: unknown) => error);
    // Without the lock it does not wait, and sees the other one.
    await Promise.race([last, untilWaiting(test.database)]);
    await removing.commit();
    expect(await last).toMatchObject({ code: 'administrator.invalid' });
    expect(await names()).toEqual(['bob']);
  });
});

describe('sessions', () => {
  const session = Buffer.from('session hash');

  beforeEach(async () => {
    await store.insert('alice', 'hash', ACT);
    await store.insert('bob', 'hash', ACT);
    expect(await store.insertSession(proven('alice', 'hash'), session, LATER, ACT)).toBe(true);
  });

  it('are not opened any more with a password that was changed after it was verified', async () => {
    const late = Buffer.from('late');
    await store.setPassword('alice', 'new', ACT);
    expect(await store.insertSession(proven('alice', 'hash'), late, LATER, ACT)).toBe(false);
    expect(await store.findSession(late, NOW)).toBeUndefined();
    expect(await store.insertSession(proven('alice', 'new'), late, LATER, ACT)).toBe(true);
  });

  it('that are being opened while the password changes wait for the change, and are not opened', async () => {
    const late = Buffer.from('late');
    const changing = await test.database.knex.transaction();
    await changing('administrators').where({ name: 'alice' }).update({ password_hash: 'new' });
    const opening = store.insertSession(proven('alice', 'hash'), late, LATER, ACT);
    await untilWaiting(test.database);
    await changing.commit();
    expect(await opening).toBe(false);
    expect(await store.findSession(late, NOW)).toBeUndefined();
  });

  it('that were about to be opened when the password changes end with the change', async () => {
    const late = Buffer.from('late');
    const opening = await test.database.knex.transaction();
    const [row] = await opening('administrators')
      .where({ name: 'alice' })
      .forShare()
      .select<{ id: string }[]>('id');
    await opening('sessions').insert({ administrator_id: row?.id, session_hash: late, expires_at: LATER });
    const changing = store.setPassword('alice', 'new', ACT);
    await untilWaiting(test.database);
    await opening.commit();
    await changing;
    expect(await store.findSession(late, NOW)).toBeUndefined();
  });

  it('never outlive a password, however opening and changing meet', async () => {
    for (let round = 0; round < 20; round += 1) {
      const [before, after] = [`hash ${round}`, `hash ${round + 1}`];
      await store.setPassword('alice', before, ACT);
      const sessions = Array.from({ length: 8 }, (_, index) => Buffer.from(`${round} ${index}`));
      await Promise.all([
        ...sessions.map((one) => store.insertSession(proven('alice', before), one, LATER, ACT)),
        store.setPassword('alice', after, ACT),
      ]);
      const left = await Promise.all(sessions.map((one) => store.findSession(one, NOW)));
      expect(left).toEqual(sessions.map(() => undefined));
    }
  });
});
