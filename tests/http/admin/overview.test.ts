import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { PolicyScope } from '../../../src/policy/stored-policy.ts';
import { valueOf } from '../../support/application/browser.ts';
import { applicationOfTests, OPERATOR, wrongResponse } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const EVERYTHING = 'tokens,userinfo,activeUsers,config,license,storageEncryption,metrics';
const PARTS = [
  'tokens',
  'active_users',
  'users',
  'licence',
  'configuration',
  'storage_encryption',
  'resolvers',
  'responses',
] as const;

type Value = Readonly<Record<(typeof PARTS)[number], unknown>>;

const application = applicationOfTests();
const bearers = new Map<string, string>();

async function policy(scope: PolicyScope, user: string, action: string, realm: string): Promise<void> {
  await application.setPolicy(`${scope}-${user}`, scope, action, { user, realm });
}

/** @param rights of the API token */
async function administrator(name: string, rights: readonly string[] = ['*']): Promise<void> {
  await application.services.administrators.add(OPERATOR, name, 'correct horse battery');
  bearers.set(name, await application.apiToken('test', rights, name));
}

const ask = (name: string, tag = '', method: 'get' | 'post' = 'post') =>
  application
    .send('/admin/installation/overview', {}, method)
    .set({ Authorization: `Bearer ${bearers.get(name) ?? ''}`, 'If-None-Match': tag });
const overviewOf = async (name: string): Promise<Value> => valueOf(await ask(name)) as Value;

const present = (value: Value): string[] => PARTS.filter((part) => value[part] !== null);

// All who ask within a second share one reading: here, it has always passed.
let passed = 0;
const realTime = performance.now.bind(performance);

beforeAll(async () => {
  jest.spyOn(performance, 'now').mockImplementation(() => realTime() + (passed += 1_000));
  await application.addRealm('north', ['nora', 'nils']);
  await application.addRealm('south', ['sue']);
  await application.enrolPlain('N1', SUITE, { user: 'nora', realm: 'north' });
  await application.enrolPlain('N2', SUITE, { user: 'nora', realm: 'north' });
  await application.enrolPlain('S1', SUITE, { user: 'sue', realm: 'south' });
  await application.enrolPlain('FREE', SUITE);
  await application.services.tokens.disable(OPERATOR, { serial: 'N2' });
  for (const name of ['all', 'north', 'bound', 'nobody', 'numbers', 'health']) {
    await administrator(name);
  }
  await administrator('narrow', ['monitoring:tokens']);
  await policy('monitoring', 'all', EVERYTHING, '*');
  await policy('system', 'all', 'read', '*');
  await policy('admin', 'all', '*', '*');
  await policy('monitoring', 'north', 'tokens,userinfo,activeUsers', 'north');
  await policy('monitoring', 'bound', '*', 'north');
  await policy('monitoring', 'numbers', 'metrics', '*');
  await policy('system', 'health', 'read', '*');
  await policy('monitoring', 'narrow', EVERYTHING, '*');
});
afterAll(() => {
  jest.restoreAllMocks();
});

describe('the overview', () => {
  it('counts tokens by realm and status, each once in the summary', async () => {
    await lockToken();
    const { tokens, active_users } = await overviewOf('all');
    const one = { total: 1, active: 1, inactive: 0, assigned: 1, unassigned: 0, locked: 0 };
    expect(tokens).toEqual({
      realms: [
        { ...one, realm: 'north', total: 2, inactive: 1, assigned: 2 },
        { ...one, realm: 'south', locked: 1 },
        { ...one, realm: '/:no realm:/', assigned: 0, unassigned: 1 },
      ],
      summary: { total: 4, active: 3, inactive: 1, assigned: 3, unassigned: 1, locked: 1 },
    });
    expect(active_users).toEqual({
      realms: [
        { realm: 'north', users: 1 },
        { realm: 'south', users: 1 },
        { realm: '/:no realm:/', users: 0 },
      ],
      total: 2,
    });
  });

  it('shows nothing of other realms to a caller who is bound to one', async () => {
    const value = await overviewOf('north');
    expect(present(value)).toEqual(['tokens', 'active_users', 'users']);
    expect(value.tokens).toMatchObject({ realms: [{ realm: 'north', total: 2 }], summary: { total: 2 } });
    expect(value.active_users).toEqual({ realms: [{ realm: 'north', users: 1 }], total: 1 });
    expect(value.users).toEqual([{ resolver: 'north', realms: ['north'], users: 2, counted_at: null }]);
    expect(JSON.stringify(value)).not.toMatch(/south|no realm|sue/);
  });

  it('shows nothing that is of no realm to a caller who is bound to realms, also to all of them', async () => {
    expect(present(await overviewOf('bound'))).toEqual(['tokens', 'active_users', 'users']);
    await policy('monitoring', 'bound', '*', 'north, south');
    expect(present(await overviewOf('bound'))).toEqual(['tokens', 'active_users', 'users']);
    await policy('monitoring', 'bound', '*', '*');
    expect(present(await overviewOf('bound'))).toEqual(PARTS.filter((part) => part !== 'resolvers'));
  });

  it.each([
    ['nobody', []],
    ['numbers', ['responses']],
    ['health', ['resolvers']],
    ['narrow', ['tokens']],
    ['all', PARTS],
  ])('has for %s the parts %j', async (name, parts) => {
    expect(present(await overviewOf(name))).toEqual(parts);
  });

  it('is not sent again to a client that has it, until what the client may see has changed', async () => {
    const read = (name: string, held: string) => ask(name, held, 'get');
    const first = await read('north', '"none"');
    const tag = first.get('ETag') ?? '';
    expect(first.headers).toMatchObject({
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
      'cache-control': 'no-store',
    });
    const again = await read('north', tag);
    const told = [again.status, again.text, again.get('ETag'), again.get('Cache-Control')];
    expect(told).toEqual([304, '', tag, 'no-store']);
    expect((await read('all', tag)).status).toBe(200);
    // RFC 9110 keeps 304 for reading.
    expect((await ask('north', tag)).status).toBe(200);
    await policy('monitoring', 'north', 'tokens', 'north');
    const changed = await read('north', tag);
    expect([changed.status, present(valueOf(changed) as Value)]).toEqual([200, ['tokens']]);
    await policy('monitoring', 'north', 'tokens,userinfo,activeUsers', 'north');
    expect((await read('nobody-at-all', tag)).status).toBe(401);
  });

  it('has the state of licence, configuration and encryption', async () => {
    const value = await overviewOf('all');
    expect(value.licence).toMatchObject({ state: 'none', licensed: null });
    expect(value.configuration).toMatchObject({
      sync: true,
      realms: 2,
      resolvers: { managed: 2, ldap: 0 },
    });
    expect(value.storage_encryption).toBe(true);
  });
});

/** Locks the token of the south by a wrong response to each of ten challenges. */
async function lockToken(): Promise<void> {
  for (let tries = 0; tries < 10; tries += 1) {
    const { transactionid, question } = await application.challenge('S1');
    await application.check(transactionid, wrongResponse(application.respond(SUITE, question)));
  }
}

it('responses in the overview are those of the last hour that any server has written, by outcome', async () => {
  const from = application.clock.now();
  await application.services.observations.flush();
  const { transactionid, question } = await application.challenge('N1');
  await application.check(transactionid, application.respond(SUITE, question));
  await application.check('f'.repeat(20), '12345678');
  const before = await overviewOf('all');
  expect(before.responses).not.toHaveProperty('outcomes.accepted');
  const other = application.restarted();
  await application.services.observations.flush();
  await other.services.observations.flush();
  const { responses } = (await overviewOf('all')) as unknown as {
    responses: {
      outcomes: Record<string, number>;
      p50: number;
      p95: number;
      minutes: { minute: string; outcomes: Record<string, number> }[];
    };
  };
  expect(responses.outcomes).toMatchObject({ accepted: 1, unknown: 1, wrong: 10 });
  expect(responses.p95).toBeGreaterThanOrEqual(responses.p50);
  expect(responses.minutes).toHaveLength(60);
  expect(responses.minutes[59]).toMatchObject({
    minute: from.toISOString(),
    outcomes: { accepted: 1 },
  });
  application.clock.advance(3_600);
  expect(await overviewOf('all')).toHaveProperty('responses.outcomes', {});
  application.clock.set(from);
});

it('resolvers in the overview have the state of their last use, by any server, and are not asked', async () => {
  await application.setResolver('File', 'passwd', { fileName: '/nowhere/passwd' });
  await application.services.realms.set(OPERATOR, { name: 'file', resolvers: ['File'] });
  const file = { resolver: 'File', kind: 'passwd', succeeded_at: null };
  const north = { resolver: 'north', kind: 'managed', state: 'available', failed_at: null };
  expect(await overviewOf('all')).toMatchObject({
    users: expect.arrayContaining([{ resolver: 'File', realms: ['file'], users: null, counted_at: null }]),
    resolvers: expect.arrayContaining([
      { ...file, state: 'unknown', failed_at: null },
      { ...north, succeeded_at: expect.anything() },
    ]),
  });
  await application.asAdmin('/admin/userlist', { realm: 'file', username: '*' });
  await application.services.observations.flush();
  expect(await overviewOf('all')).toHaveProperty(
    'resolvers',
    expect.arrayContaining([
      { ...file, state: 'unavailable', failed_at: application.clock.now().toISOString() },
    ]),
  );
});
