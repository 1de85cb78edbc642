import { beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigurationStore } from '../../src/configuration/configuration-store.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { NOW } from '../support/values/challenge-answers.ts';
import { openDatabase } from '../../src/database/database.ts';
import { whileHeld, untilWaiting } from '../support/database/held-statement.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

const test = databaseOfTests();
let store: ConfigurationStore;

beforeAll(() => {
  store = new ConfigurationStore({ database: test.database, clock: { now: () => NOW } });
});

const resolverNamed = (name: string) => ({ name, kind: 'managed', settings: {} }) as const;

describe('the configuration of a fresh installation', () => {
  it('has one policy, which lets every administrator use /ocra, and nothing else', async () => {
    const configuration = await store.current();
    expect(configuration.policies).toEqual([
      {
        name: 'ocra-administrators',
        scope: 'ocra',
        action: 'request, status, activationcode, calcOTP, secondfactor',
        realm: '*',
        user: '*',
        client: '',
        time: '',
        active: true,
      },
    ]);
    expect(configuration).toMatchObject({ realms: [], resolvers: [], readAt: NOW });
    expect([...configuration.settings]).toEqual([]);
  });
});

describe('the configuration that a server keeps', () => {
  it('is the same object as long as nothing has changed', async () => {
    const configuration = await store.current();
    await test.database.audit.autocommit.write(ACT, 'other', 'done');
    expect(await store.current()).toBe(configuration);
    expect(store.kept).toBe(configuration);
  });

  it('has the receivers of events of its revision, or of a later one, whenever one is added', async () => {
    const database = openDatabase({ connection: test.url, applicationName: 'test', poolSize: 2 });
    try {
      const server = new ConfigurationStore({ database, clock: { now: () => NOW } });
      const webhook = {
        url: 'https://siem.example.com',
        allows_http: false,
        events: ['token.locked'],
        realms: [],
      };
      await whileHeld(
        /AS policies,/,
        () => server.current(),
        () => test.database.knex('webhooks').insert({ ...webhook, name: 'siem', secret: Buffer.alloc(40) }),
      );
      await server.current();
      expect(database.audit.outbox.hasReceivers).toBe(true);
    } finally {
      await database.close();
      await test.database.knex('webhooks').delete();
    }
  });

  it('is read again when the database was put back to an earlier state', async () => {
    const kept = await store.current();
    await test.database.knex('configuration_state').update({ revision: 1 });
    expect(await store.current()).not.toBe(kept);
    expect((await store.current()).revision).toBe(1n);
  });

  it('is undefined before it was first asked for', () => {
    const fresh = new ConfigurationStore({ database: test.database, clock: { now: () => NOW } });
    expect(fresh.kept).toBeUndefined();
  });

  it('always shows a change to whoever asks after it, however many ask at once', async () => {
    for (const round of Array.from({ length: 20 }, (_, index) => String(index))) {
      const bystanders = Array.from({ length: 5 }, () => store.current());
      await store.putSettings(new Map([['round', round]]), ACT);
      expect((await store.current()).settings.get('round')).toBe(round);
      await Promise.all(bystanders);
    }
  });
});

describe('realms', () => {
  it('made at the same time by several servers have one default', async () => {
    await store.removeRealm('north', ACT);
    await store.removeRealm('south', ACT);
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => store.putRealm(name, [], ACT)));
    expect((await store.current()).realms.filter(({ isDefault }) => isDefault)).toHaveLength(1);
  });
});

describe('resolvers', () => {
  it('that are being removed cannot be given to a token', async () => {
    await store.putResolver({ ...resolverNamed('leaving'), kind: 'passwd' }, ACT);
    const removing = await test.database.knex.transaction();
    const [resolver] = await removing('resolvers')
      .where({ name: 'leaving' })
      .delete()
      .returning<{ id: string }[]>('id');
    const owner = { resolverId: resolver?.id ?? '', resolver: 'leaving', userId: '1', login: 'ann' };
    const inserted = new TokenStore({ database: test.database })
      .insert(tokenValue('Late', { owner }), ACT)
      .catch((error: unknown) => error);
    await untilWaiting(test.database);
    await removing.commit();
    expect(await inserted).toMatchObject({ code: 'resolver.unknown' });
  });

  it('are either removed or given to a token, when both is tried at once', async () => {
    const tokens = new TokenStore({ database: test.database });
    for (const round of [1, 2, 3, 4, 5]) {
      await store.putResolver({ ...resolverNamed('raced'), kind: 'passwd' }, ACT);
      const id = (await store.current()).resolvers.find(({ name }) => name === 'raced')?.id ?? '';
      const owner = { resolverId: id, resolver: 'raced', userId: '1', login: 'ann' };
      const [inserted, removed] = await Promise.allSettled([
        tokens.insert(tokenValue(`Raced${round}`, { owner }), ACT),
        store.removeResolver('raced', ACT),
      ]);
      expect([inserted.status, removed.status].sort()).toEqual(['fulfilled', 'rejected']);
      const left = await tokens.list({ serial: `Raced${round}` });
      await tokens.removeAll(
        left.map(({ serial }) => serial),
        ACT,
      );
    }
  });
});
