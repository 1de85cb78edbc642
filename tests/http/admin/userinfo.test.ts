import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DatabaseProxy } from '../../support/database/database-proxy.ts';
import { type SilentServer, startSilentServer } from '../../support/servers/silent-server.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';
import { reachOf, sqlSettings } from '../../support/servers/sql-resolver.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

interface Stale {
  readonly users: number;
  readonly age: number;
  readonly since: string;
  readonly reason: string;
}

interface UserInfo {
  readonly data?: readonly unknown[];
  readonly value?: { readonly Realms: unknown; readonly stale?: Readonly<Record<string, Stale>> };
  readonly error?: { readonly code: number; readonly message: string };
}

const SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';
const ANNA = 'anna:x:1:1:::\n';
const EVA = 'eva:x:2:2:::\n';

let application: TestApplication;
let folder: string;
let fileName: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-userinfo-'));
  fileName = join(folder, 'passwd');
});

afterEach(async () => {
  await application.close();
  await rm(folder, { recursive: true });
});

async function userinfo(context = application, realms = ''): Promise<UserInfo> {
  return (await context.ask('/monitoring/userinfo', { realms }, 'get')) as UserInfo;
}

async function addFile(): Promise<void> {
  await writeFile(fileName, ANNA + EVA);
  await setFile(fileName);
  await application.services.realms.set(OPERATOR, { name: 'bank', resolvers: ['file'] });
}

async function setFile(name: string): Promise<void> {
  await application.setResolver('file', 'passwd', { fileName: name });
}

async function keptUsers(): Promise<readonly number[]> {
  return (await application.sql('resolver_user_counts').orderBy('users').pluck<string[]>('users')).map(
    Number,
  );
}

describe.each(['documented', 'linotp'] as const)('a resolver that fails, in the dialect %s', (dialect) => {
  beforeEach(async () => {
    application = await TestApplication.open({ dialect });
    await addFile();
  });

  it('is answered for by its last known count with its age, and without a word of it once it is back', async () => {
    const fresh = await userinfo();
    expect(fresh.value).toEqual({ Realms: { bank: { file: 2 } } });
    application.clock.advance(90.7);
    await rm(fileName);
    const stale = await userinfo();
    expect(stale).toEqual({
      ...fresh,
      value: {
        Realms: { bank: { file: 2 } },
        stale: {
          file: {
            users: 2,
            age: 90,
            since: '2026-11-20T12:00:00.000Z',
            reason: "The resolver 'file' is unavailable: its file cannot be used, it does not exist",
          },
        },
      },
    });
    await writeFile(fileName, ANNA);
    expect((await userinfo()).value).toEqual({ Realms: { bank: { file: 1 } } });
  });

  it('is reported as an error with its name where it never answered, never as 0 users', async () => {
    await rm(fileName);
    await application.addRealm('shop', ['anna']);
    expect((await userinfo()).error?.message).toMatch(
      /Users cannot be counted, resolver unavailable: 'file'$/,
    );
    expect((await userinfo(application, 'shop')).value).toEqual({ Realms: { shop: { shop: 1 } } });
  });
});

describe('the last known count', () => {
  beforeEach(async () => {
    application = await TestApplication.open();
    await addFile();
    await userinfo();
    // Counts are kept while the answer is on its way, or after.
    await expectSoon(keptUsers).toEqual([2]);
  });

  it('is answered after a restart, and by other servers', async () => {
    application.clock.advance(3600);
    await writeFile(fileName, 'broken\n');
    const restarted = application.restarted();
    expect((await userinfo(restarted)).value).toMatchObject({
      Realms: { bank: { file: 2 } },
      stale: { file: { users: 2, age: 3600, since: '2026-11-20T12:00:00.000Z' } },
    });
  });

  it('is void once the resolver is set up otherwise, and goes with the resolver', async () => {
    await setFile(join(folder, 'another'));
    expect((await userinfo()).error?.message).toContain("'file'");
    expect((await userinfo(application.restarted())).error?.message).toContain("'file'");
    await setFile(fileName);
    await rm(fileName);
    expect((await userinfo()).value?.stale?.file?.users).toBe(2);
    await application.services.realms.remove(OPERATOR, 'bank');
    await application.services.resolvers.remove(OPERATOR, 'file');
    expect(await keptUsers()).toEqual([]);
  });

  it('follows the resolver', async () => {
    await writeFile(fileName, ANNA);
    await userinfo();
    await expectSoon(keptUsers).toEqual([1]);
  });
});

describe('a resolver that hangs', () => {
  let proxy: DatabaseProxy;
  let silent: SilentServer | undefined;

  async function start(resolverTimeout: number): Promise<void> {
    application = await TestApplication.open({ resolverTimeout });
    proxy = await DatabaseProxy.start(application.databaseUrl);
    await addSql();
    await addFile();
    await application.addRealm('shop', ['anna', 'eva', 'olga']);
    const resolvers = ['file', 'people', 'shop'];
    await application.services.realms.set(OPERATOR, { name: 'bank', resolvers });
    expect((await userinfo(application, 'bank')).value).toEqual({
      Realms: { bank: { file: 2, people: 4, shop: 3 } },
    });
  }

  afterEach(async () => {
    await silent?.stop();
    await proxy.stop();
  });

  async function addSql(): Promise<void> {
    await application.sql.raw(
      `CREATE TABLE people AS SELECT id, 'user' || id AS login FROM generate_series(1, 4) AS id`,
    );
    const { reach, password } = reachOf(proxy.url);
    const settings = sqlSettings(reach, { Map: '{"userid": "id", "username": "login"}' });
    await application.setResolver('people', 'sql', settings, password || null);
  }

  async function hang(): Promise<SilentServer> {
    const { port } = new URL(proxy.url);
    await proxy.cut();
    silent = await startSilentServer(Number(port));
    return silent;
  }

  it('delays nothing but userinfo: everything else is answered meanwhile', async () => {
    await start(60);
    await application.enrolPlain('OCRA1', SUITE);
    const { transactionid, question } = await application.challenge('OCRA1');
    const hanging = await hang();
    const order: string[] = [];
    const late = Promise.all(
      Array.from({ length: 20 }, () => userinfo(application, 'bank').finally(() => order.push('userinfo'))),
    );
    await hanging.connected(1);
    expect(await application.check(transactionid, application.respond(SUITE, question))).toEqual({
      failcount: 0,
      result: true,
    });
    expect((await application.asAdmin('/monitoring/tokens', {}, 'get')).body).toHaveProperty('result.data');
    expect((await application.send('/healthz', {}, 'get')).status).toBe(200);
    expect((await userinfo(application, 'shop')).value).toEqual({ Realms: { shop: { shop: 3 } } });
    order.push('everything else');
    expect(hanging.connections()).toBe(1);
    await hanging.stop();
    silent = undefined;
    for (const { value } of await late) {
      expect(value).toMatchObject({
        Realms: { bank: { file: 2, people: 4, shop: 3 } },
        stale: { people: { users: 4 } },
      });
    }
    expect(order[0]).toBe('everything else');
  });

  it('is back when it answers again, and is in the log twice', async () => {
    await start(3);
    await hang();
    expect((await userinfo(application, 'bank')).value?.stale).toHaveProperty('people');
    expect((await userinfo(application, 'bank')).value?.stale).toHaveProperty('people');
    await silent?.stop();
    silent = undefined;
    expect((await userinfo(application, 'bank')).value?.stale).toHaveProperty('people');
    await proxy.restore();
    expect((await userinfo(application, 'bank')).value).toEqual({
      Realms: { bank: { file: 2, people: 4, shop: 3 } },
    });
    const reported = application.logged.filter((line) => /^\{"message":"A resolver .*"people"/.test(line));
    expect(reported).toHaveLength(2);
  });
});
