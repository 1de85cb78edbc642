import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { ResolverTrialService } from '../../../src/resolvers/resolver-service.ts';
import { describeTrial } from '../../../src/resolvers/user-source.ts';
import { AccessControl } from '../../../src/policy/access-control.ts';
import { DatabaseProxy } from '../../support/database/database-proxy.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { callerNamed } from '../../support/values/callers.ts';
import { GivenConfiguration } from '../../support/values/configuration-value.ts';
import { reachOf, sqlSettings } from '../../support/servers/sql-resolver.ts';
import {
  OPERATOR,
  type Result,
  type TestApplication,
  applicationOfTests,
} from '../../support/application/test-application.ts';

const SECRET = 'a stored password';

let proxy: DatabaseProxy;
let settings: Record<string, string>;
/** A server of somebody who collects passwords. */
let collector: Server;
let connections = 0;
let collectorPort: string;

const application = applicationOfTests();
afterAll(async () => {
  collector.close();
  await proxy.stop();
});
const people = databaseOfTests({ schema: 'empty' });

beforeAll(async () => {
  await people.database.knex.raw(`
    CREATE TABLE people (id integer, "user" text, password text, salt text, "givenName" text, sn text, mail text,
      "telephoneNumber" text, mobile text);
    INSERT INTO people (id, "user", sn) SELECT number, 'user' || number, 'Berg' FROM generate_series(1, 9) AS number`);
  proxy = await DatabaseProxy.start(people.url);
  settings = sqlSettings(reachOf(proxy.url).reach);
  await application.setResolver('crm', 'sql', settings, SECRET);
  await application.services.realms.set(OPERATOR, { name: 'customers', resolvers: ['crm'] });
  collector = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  collectorPort = String((collector.address() as AddressInfo).port);
});

const ask = (...given: Parameters<TestApplication['ask']>) => application.ask(...given);
const tryOut = (given: Record<string, string>): Promise<Result> => ask('/admin/resolver/test', given);
/** The parameters for the stored resolver with other settings. */
const changed = (
  set: Record<string, string>,
  others: Record<string, string> = {},
): Record<string, string> => ({ name: 'crm', set: JSON.stringify(set), ...others });
/** Those for a new one. */
const unheard = (set: Record<string, string>, kind = 'sql'): Record<string, string> => ({
  name: 'new',
  kind,
  set: JSON.stringify(kind === 'sql' ? { ...settings, ...set } : set),
});
const rows = async () =>
  (await application.auditRows({ action: 'resolver/test', limit: 50 })).map(({ outcome }) => outcome);

describe('/admin/resolver/test', () => {
  it('reads the users of the stored resolver, and of one with other settings', async () => {
    expect((await tryOut({ name: 'crm' })).value).toMatchObject({ is_readable: true, users: 9 });
    const { value } = await tryOut(changed({ where: 'id < 4' }));
    expect(value).toMatchObject({ is_readable: true, users: 3 });
    expect((value as { first: unknown[] }).first[0]).toEqual({
      login: 'user1',
      user_id: '1',
      given_name: '',
      surname: 'Berg',
      email: '',
      phone: '',
    });
    expect(((await tryOut({ name: 'crm' })).value as { first: unknown[] }).first).toHaveLength(9);
    expect((await application.services.resolvers.show('crm')).settings.Where).toBeUndefined();
  });

  it('shows those whose names begin with the words that are looked for, twenty at most', async () => {
    const found = async (find: string): Promise<unknown> => (await tryOut({ name: 'crm', find })).value;
    expect(await found('USER3')).toMatchObject({ users: 9, first: [{ login: 'user3' }], has_more: false });
    expect(await found('user3 ber')).toMatchObject({ first: [{ login: 'user3' }] });
    expect(await found('ser3')).toMatchObject({ first: [] });
    expect(await found("%' OR 1=1 --")).toMatchObject({ first: [] });
    expect(await found('a b c d e')).toMatchObject({ first: [], has_more: false });
    const many = '(SELECT number AS id, number AS login FROM generate_series(1, 25) AS number) AS many';
    await people.database.knex.raw(`CREATE VIEW many AS SELECT * FROM ${many}`);
    const { value } = await tryOut(changed({ Table: 'many', Map: '{"userid": "id", "username": "login"}' }));
    expect(value).toMatchObject({ users: 25, has_more: true });
    expect((value as { first: unknown[] }).first).toHaveLength(20);
  });

  it('counts users only, and tells what the other entries lack and which users share an id', async () => {
    await people.database.knex.raw(`
      CREATE TABLE partly (id text, "user" text);
      INSERT INTO partly VALUES ('1', 'anna'), ('1', 'bert'), (NULL, 'carl'), ('', 'dora'), ('5', '')`);
    const { value } = await tryOut(changed({ Table: 'partly', Map: '{"userid": "id", "username": "user"}' }));
    expect(value).toMatchObject({
      is_readable: true,
      users: 2,
      first: [{ login: 'anna' }, { login: 'bert' }],
      found: { entries: 5, without_id: 2, without_login: 1, sharing_id: 2 },
    });
    const some = { ...settings, Table: 'partly', Map: '{"userid": "id", "username": "user"}' };
    await application.setResolver('some', 'sql', some);
    expect(describeTrial({ found: await application.services.resolvers.test('some') })).toBe(
      '5 entries, 2 users, 2 without id, 1 without login, 2 that share an id, and so own the same tokens',
    );
  });

  it('tells why the users cannot be read, without any address', async () => {
    const { value } = await tryOut(unheard({ Port: collectorPort }));
    expect(value).toEqual({ is_readable: false, reason: expect.any(String) });
    expect(JSON.stringify(value)).not.toContain(collectorPort);
    expect((await tryOut(changed({ Table: 'nobody' }))).value).toMatchObject({ is_readable: false });
  });

  it.each([
    ['Port', () => collectorPort],
    ['Server', () => 'localhost'],
    ['User', () => 'somebody'],
    ['conParams', () => 'sslmode=require'],
    ['Driver', () => 'mysql'],
  ])('sends the stored password nowhere else: %s', async (setting, value) => {
    const before = connections;
    const result = await tryOut(changed({ [setting]: value() }));
    expect(result.error?.message).toContain(`must be given again, as ${setting} would change`);
    expect(connections).toBe(before);
  });

  it('tries another server with a password that is given', async () => {
    const before = connections;
    await tryOut(changed({ Port: collectorPort }, { secret: 'another' }));
    expect(connections).toBeGreaterThan(before);
  });

  it('uses the stored password no more where it is to be removed', async () => {
    const before = connections;
    const given = changed({ Port: collectorPort }, { remove_secret: '1' });
    expect((await tryOut(given)).value).toMatchObject({ is_readable: false });
    expect(connections).toBeGreaterThan(before);
    expect((await tryOut({ ...given, secret: 'p' })).error?.message).toMatch(/^Give a password or remove/);
  });

  it('uses no password that is replaced while the trial begins', async () => {
    // This server still has the configuration from before.
    const late = application.restarted({ configurationWindow: 3_600_000 });
    await late.services.configuration.current();
    await application.setResolver('crm', 'sql', settings, 'for another server');
    const { value } = await late.ask('/admin/resolver/test', changed({}));
    expect(value).toEqual({ is_readable: false, reason: 'its password was changed at this moment' });
    expect((await tryOut({ name: 'crm' })).value).toMatchObject({ is_readable: true });
  });

  it.each([
    [{ fileName: '/etc/passwd' }, 'passwd', 'no file can be named over HTTP'],
    [{ Server: '/var/run/postgresql' }, 'sql', 'the path of a socket'],
    [{}, 'ldap', 'LDAPURI is missing'],
    [{ bindpw: SECRET }, 'ldap', 'The setting bindpw holds a password'],
    [{ connect: 'mysql://u@h/d' }, 'sql', 'The setting connect holds a password'],
    [{ Server: 'mysql://u:secret@h/d' }, 'sql', 'The setting Server holds a password'],
  ])('tries and adds nothing that may not be: %j', async (set: Record<string, string>, kind, message) => {
    for (const verb of ['test', 'add']) {
      const { error } = await ask(`/admin/resolver/${verb}`, unheard(set, kind));
      expect(error?.message).toContain(message);
      expect(error?.message).not.toMatch(/secret@|a stored password/);
    }
  });

  it('is of no other kind than the stored one, and of none that does not exist', async () => {
    expect((await tryOut({ name: 'crm', kind: 'managed' })).error?.message).toContain(
      'of the kind sql and cannot become managed',
    );
    expect((await tryOut({ name: 'nobody' })).error?.message).toContain("There is no resolver 'nobody'");
  });

  it('is in the audit with the address, and never with a password', async () => {
    const all = await rows();
    expect(all).toContain(`begun, at 127.0.0.1:${collectorPort}`);
    expect(all).toContain(`failed, at 127.0.0.1:${collectorPort}`);
    expect(all).toContain(`done, 9 users, at ${settings.Server ?? ''}:${settings.Port ?? ''}`);
    expect(JSON.stringify([all, application.logged])).not.toMatch(/a stored password|another"/);
  });

  it('shows users to those only who may list them', async () => {
    const { resolverTrials } = application.services;
    const caller = (...rights: string[]) => callerNamed('anna', { rights });
    const first = async (...rights: string[]) => {
      const trial = await resolverTrials.try(caller(...rights), { name: 'crm' });
      return trial.isReadable ? trial.first?.length : trial;
    };
    expect(await first('system:write')).toBeUndefined();
    expect(await first('system:write', 'admin:userlist')).toBe(9);
    await application.setPolicy('system', 'system', '*', { user: '*' });
    await application.addRealm('other');
    await application.setPolicy('list', 'admin', 'userlist', { user: 'anna', realm: 'other' });
    expect(await first('*')).toBeUndefined();
    await application.setPolicy('list', 'admin', 'userlist', { user: 'anna', realm: 'customers' });
    expect(await first('*')).toBe(9);
    const trial = await resolverTrials.try(caller('*'), { name: 'unheard', kind: 'sql', settings });
    expect(trial).toMatchObject({ isReadable: true });
    expect(trial).not.toHaveProperty('first');
  });
});

it('/system/setResolver keeps the password that is given as empty, and removes it on request', async () => {
  const set = async (given: Record<string, string>): Promise<string | undefined> => {
    const parameters = { type: 'sqlresolver', ...settings, name: 'spare', ...given };
    return (await ask('/system/setResolver', parameters)).error?.message;
  };
  const stamp = async () => (await application.services.resolvers.show('spare')).secretStamp;
  await set({ Password: 'a spare one' });
  const stored = await stamp();
  expect(stored).toEqual(expect.any(String));
  expect(await set({ Password: '' })).toBeUndefined();
  expect(await stamp()).toBe(stored);
  expect(await set({ Server: 'other.example' })).toContain('must be given again');
  expect(await set({ Password: 'p', remove_password: '1' })).toMatch(/^Give a password or remove/);
  expect(await set({ Server: 'other.example', remove_password: '1' })).toBeUndefined();
  expect(await stamp()).toBeNull();
});

it('/admin/resolver/add and /set add what is new, change what is named, and keep the rest', async () => {
  const { resolvers } = application.services;
  const name = 'own';
  const add = { ...unheard({ Where: 'id < 4' }), name, secret: SECRET };
  expect(await ask('/admin/resolver/add', add)).toMatchObject({ value: true });
  expect((await ask('/admin/resolver/add', add)).error?.message).toBe("There is a resolver 'own' already");
  const { settings: first, secretStamp } = await resolvers.show(name);
  expect(first).toMatchObject({ Table: 'people', Where: 'id < 4' });
  const set = (given: Record<string, string>) => ask('/admin/resolver/set', { name, ...given });
  expect(await set({ set: '{"WHERE": "", "limit": "7"}' })).toMatchObject({ value: true });
  expect(await resolvers.show(name)).toMatchObject({ settings: { Limit: '7' }, secretStamp });
  expect({ ...(await resolvers.show(name)).settings, Where: 'id < 4' }).toEqual({ ...first, Limit: '7' });
  expect((await set({ set: '{"Limit": "8"}', expected: JSON.stringify(first) })).error?.message).toBe(
    "The resolver 'own' was changed by admin meanwhile; nothing was changed now",
  );
  expect((await set({ set: '{"Server": "else.example"}' })).error?.message).toContain('must be given again');
  expect((await set({ set: '["Limit"]' })).error?.message).toContain('a JSON object of texts');
  expect(await set({ remove_secret: '1' })).toMatchObject({ value: true });
  expect((await resolvers.show(name)).secretStamp).toBeNull();
  expect((await ask('/admin/resolver/set', { name: 'nobody' })).error?.message).toContain('nobody');
});

describe('a trial', () => {
  const parts = {
    configuration: new GivenConfiguration({ resolvers: [{ id: '1', name: 'far' }] }),
    access: new AccessControl({ clock: { now: () => new Date(0) } }),
    files: { assertNamable: () => Promise.resolve() },
  };

  it('is in the audit before it connects', async () => {
    const done: string[] = [];
    const open = () => {
      done.push('connected');
      throw new Error('the server breaks down');
    };
    const trials = new ResolverTrialService({
      ...parts,
      trial: { secrets: { open: () => Promise.resolve(undefined) }, open },
      noteTrial: (_resolver, outcome) => Promise.resolve(void done.push(outcome)),
    });
    await expect(trials.try(OPERATOR, { name: 'far' })).rejects.toThrow('the server breaks down');
    expect(done).toEqual(['begun', 'connected']);
  });

  const ANNA = callerNamed('anna', { rights: ['*'] });
  const service = (list: () => Promise<never[]>, trialLimit: number) =>
    new ResolverTrialService({
      ...parts,
      trial: {
        secrets: { open: () => Promise.resolve(undefined) },
        open: () =>
          Object.assign(
            () => ({
              findByLogin: () => Promise.resolve(undefined),
              findById: () => Promise.resolve(undefined),
              count: () => Promise.resolve(1),
              examine: () =>
                Promise.resolve({ entries: 1, users: 1, withoutId: 0, withoutLogin: 0, sharingId: 0 }),
              checkPassword: () => Promise.resolve(false),
              list,
            }),
            { close: () => Promise.resolve() },
          ),
      },
      noteTrial: () => Promise.resolve(),
      trialLimit,
    });

  it('ends where a source takes too long', async () => {
    const trial = await service(() => new Promise(() => undefined), 20).try(ANNA, { name: 'far' });
    expect(trial).toEqual({ isReadable: false, reason: 'it has not told its users in time' });
  });

  it('is refused where too many run', async () => {
    const busy = service(() => new Promise(() => undefined), 200);
    const all = await Promise.allSettled(Array.from({ length: 7 }, () => busy.try(ANNA, { name: 'far' })));
    const refused = all.filter(({ status }) => status === 'rejected');
    expect(refused).toEqual([
      expect.objectContaining({ reason: expect.objectContaining({ code: 'server.busy' }) }),
    ]);
  });
});
