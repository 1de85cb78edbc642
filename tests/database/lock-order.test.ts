import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KeyService } from '../../src/keys/key-service.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { AuditStore } from '../../src/audit/audit-store.ts';
import { ensureAuditMonths } from '../../src/audit/pruning-store.ts';
import { openDatabase } from '../../src/database/database.ts';
import { KeyStore } from '../../src/keys/key-store.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { UserCountStore } from '../../src/monitoring/user-count-store.ts';
import { registerKey, testKeys } from '../support/application/test-keys.ts';
import { AuditedDatabase } from '../support/database/audited-database.ts';
import { OPERATOR } from '../support/values/callers.ts';
import { deferred, PATIENCE_MS } from '../support/values/until.ts';
import { whileHeld, untilWaiting } from '../support/database/held-statement.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

let audited: AuditedDatabase;
beforeEach(async () => {
  audited = await AuditedDatabase.create();
});
afterEach(() => audited.drop());

describe('a month of the audit that is made late', () => {
  beforeEach(async () => {
    // The database's own month, as where no server ran for long.
    audited.clock.time = new Date();
    await audited.tamper(
      `DROP TABLE audit_${audited.clock.time.toISOString().slice(0, 7).replace('-', '_')}`,
    );
  });

  it('fails no act that writes a row of it at that moment', async () => {
    const { knex } = audited.test.database;
    const server = audited.server();
    const making = await knex.transaction();
    await making.raw('SELECT ensure_audit_months(2)');
    const alone = server.audit.autocommit.write(ACT, 'alone', 'done');
    const within = server.transact(({ audit }) => audit.write(ACT, 'within', 'done'));
    await untilWaiting(audited.test.database, 2);
    await making.commit();
    await Promise.all([alone, within]);
    expect((await knex('audit').pluck<string[]>('subject')).sort()).toEqual(['alone', 'within']);
    await knex('audit_default').then((left) => {
      expect(left).toEqual([]);
    });
    await server.audit.autocommit.write(ACT, 'then', 'done');
    await audited.seal();
    expect(await audited.verify()).toMatchObject({ rows: 3, findings: 0 });
  });

  it('hides no row from an export that has begun before', async () => {
    const server = audited.server();
    await server.audit.autocommit.write(ACT, 'stray', 'done');
    const day = 86_400_000;
    const period = { since: new Date(Date.now() - day), until: new Date(Date.now() + day) };
    const subjects: string[] = [];
    const trail = await new AuditStore({ database: server }).trail(period);
    await ensureAuditMonths(audited.test.database);
    for await (const { rows } of trail.parts) {
      subjects.push(...rows.map(({ subject }) => subject));
    }
    expect(subjects).toEqual(['stray']);
  });
});

describe('operators who add an encryption key at once', () => {
  it('get one: the second is refused while that of the first waits for its turn', async () => {
    const { database } = audited.test;
    await registerKey(database, { keyId: 'aa'.repeat(8), canary: Buffer.from('canary') });
    const released = deferred<undefined>();
    let made = 0;
    const opened = testKeys();
    opened.source.provide = async () => {
      made += 1;
      const keyId = `bb${made}`.padEnd(16, '0');
      await released.promise;
      return { keyId, canary: Buffer.from('canary'), isMade: true };
    };
    const service = new KeyService({ keys: new KeyStore({ database }), opened, clock: systemClock });
    const adding = Promise.allSettled([service.add(OPERATOR), service.add(OPERATOR)]);
    await untilWaiting(database);
    released.resolve(undefined);
    expect((await adding).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(service.add(OPERATOR)).rejects.toMatchObject({ code: 'key.refused' });
    expect(made).toBe(1);
  });
});

describe('key files that are loaded at once', () => {
  const THE_LAST_TWO = /^insert into "tokens" .{0,3000}$/s;
  const tokensOf = (...serials: readonly string[]): ReturnType<typeof tokenValue>[] => {
    // More than one statement takes.
    const more = Array.from({ length: 1_000 }, (_, index) => `${serials.join('')}-${index}`);
    return [...serials, ...more].map((serial) => tokenValue(serial));
  };

  it('do not wait for each other in a circle where their serials differ in case', async () => {
    const { database, url } = audited.test;
    // A circle that the database does not end shows.
    await database.knex.raw(
      `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET deadlock_timeout = '10min'`,
    );
    const pool = openDatabase({ connection: url, applicationName: 'test', lockTimeoutMs: PATIENCE_MS / 2 });
    const loading = new TokenStore({ database: pool });
    const load = (...serials: readonly string[]): Promise<unknown> =>
      loading.insertAll(tokensOf(...serials), ACT);
    let second: Promise<unknown> = Promise.resolve();
    const first = whileHeld(
      THE_LAST_TWO,
      () => load('AAA', 'bbb'),
      async () => {
        second = load('aaa', 'BBB').catch((error: unknown) => error);
        await untilWaiting(database);
      },
    );
    await first;
    expect(await second).toMatchObject({ code: 'token.exists' });
    await pool.close();
  });
});

describe('the number of users of a resolver that is removed at that moment', () => {
  it('is not kept, and nothing fails', async () => {
    const { database } = audited.test;
    await database.knex('resolvers').insert({ name: 'gone', kind: 'ldap' });
    const [resolver] = await database.knex('resolvers').select<{ id: string }[]>('id');
    const removing = await database.knex.transaction();
    await removing('resolvers').where({ name: 'gone' }).delete();
    const keeping = new UserCountStore({ database }).keep({
      resolverId: resolver?.id ?? '',
      settingsHash: '',
      users: 1,
      countedAt: new Date(),
    });
    await untilWaiting(database);
    await removing.commit();
    await keeping;
    expect(await database.knex('resolver_user_counts')).toEqual([]);
  });
});
