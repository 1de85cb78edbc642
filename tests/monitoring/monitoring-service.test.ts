import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { MonitoringService } from '../../src/monitoring/monitoring-service.ts';
import { NO_REALM } from '../../src/monitoring/monitoring-query.ts';
import { checkPolicy } from '../../src/policy/policy.ts';
import { monitoringOver } from '../support/application/monitoring-over.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { insertState, insertTokens, type TokenSketch } from '../support/database/token-rows.ts';
import { countingSources } from '../support/application/user-sources.ts';
import { callerNamed } from '../support/values/callers.ts';
import { configurationOf } from '../support/values/configuration-value.ts';

const policyOf = (user: string, realm: string): ReturnType<typeof checkPolicy> =>
  checkPolicy({ name: user, scope: 'monitoring', action: '*', realm, user });

const configuration = configurationOf({
  resolvers: [{ name: 'people' }, { name: 'Staff', kind: 'passwd', settings: { fileName: '/x' } }],
  realms: [
    { name: 'north', resolvers: ['people'] },
    { name: 'south', resolvers: ['Staff', 'people'] },
    { name: 'west', resolvers: [] },
  ],
  policies: [policyOf('anna', '*'), policyOf('southerner', 'south'), policyOf('lost', 'nosuchrealm')],
});
const ANNA = callerNamed('anna');
const SOUTHERNER = callerNamed('southerner');

const owned = (serial: string, realms: readonly string[], owner: string): TokenSketch => {
  const [resolver = '', userId = ''] = owner.split('/');
  return { serial, realms, owner: { resolver, userId } };
};
const TOKENS: readonly TokenSketch[] = [
  ...['1', '2', '3'].map((user) => owned(`N${user}`, ['north'], `people/${user}`)),
  { serial: 'NS', realms: ['north', 'south'], active: false },
  ...['1', '2', '3', '4'].map((number) => ({ serial: `S${number}`, realms: ['south'] })),
  owned('S5', ['south'], 'people/3'),
  owned('O5', [], 'people/3'),
  ...['1', '2', '3', '4'].map((user) => owned(`O${user}`, [], `Staff/${user}`)),
  ...['1', '2'].map((user) => owned(`P${user}`, [], `Staff/${user}`)),
];

let test: TestDatabase;
let service: MonitoringService;

beforeAll(async () => {
  test = await createTestDatabase();
  await insertState(test.database, {
    resolvers: configuration.resolvers.map(({ name }) => name),
    realms: configuration.realms,
    tokens: TOKENS,
  });
  service = monitoringOver(test.database, configuration);
});
afterAll(() => test.drop());

/** @returns the service whose resolvers tell their numbers of users as the given function says */
function counting(
  users: (resolver: string) => Promise<number>,
  { timeoutMs = 30_000, under = configuration } = {},
): MonitoringService {
  return monitoringOver(test.database, under, { sources: countingSources(users), timeoutMs });
}

describe('token counts', () => {
  it('show total, total users and each requested status, by realm, and each token and user once in the summary', async () => {
    const report = await service.tokens(ANNA, {
      status: 'unassigned,active',
    });
    const row = (...numbers: number[]): unknown =>
      ['total', 'total users', 'unassigned', 'active'].map((status, index) => ({
        status,
        count: numbers[index],
      }));
    expect(report).toEqual({
      realms: [
        { realm: 'north', counts: row(4, 3, 1, 3) },
        { realm: 'south', counts: row(6, 1, 5, 5) },
        { realm: 'west', counts: row(0, 0, 0, 0) },
      ],
      summary: row(9, 3, 5, 8),
    });
  });

  it('of no realm come under its own name and are part of the summary, wherever it stands in the list', async () => {
    for (const realms of ['/:no realm:/,south', 'south,/:no realm:/']) {
      const report = await service.tokens(ANNA, { realms });
      expect(report.realms.map(({ realm }) => realm)).toEqual(realms.split(','));
      expect(report.summary.map(({ count }) => count)).toEqual([13, 5]);
    }
  });

  it('are those of the realms in each request, independent of earlier requests', async () => {
    const summaries: unknown[] = [];
    for (const realms of ['north', 'south', 'north,south', '*', 'north']) {
      const { summary } = await service.tokens(ANNA, { realms });
      summaries.push(summary.map(({ count }) => count));
    }
    expect(summaries).toEqual([
      [4, 3],
      [6, 1],
      [9, 3],
      [16, 7],
      [4, 3],
    ]);
  });

  it('are current, independent of earlier answers to the same request', async () => {
    const total = async (): Promise<unknown> =>
      (await service.tokens(ANNA, { realms: 'south' })).summary[0]?.count;
    expect(await total()).toBe(6);
    await insertTokens(test.database, [{ serial: 'NEW', realms: ['south'] }]);
    expect(await total()).toBe(7);
    await test.database.knex('tokens').where({ serial: 'NEW' }).delete();
    expect(await total()).toBe(6);
  });

  it('are bounded by the realms of the policies, also in the summary', async () => {
    for (const realms of [undefined, '*', 'north,south,/:no realm:/']) {
      const report = await service.tokens(SOUTHERNER, { realms });
      expect(report.realms.map(({ realm }) => realm)).toEqual(['south']);
      expect(report.summary.map(({ count }) => count)).toEqual([6, 1]);
    }
    await expect(service.tokens(SOUTHERNER, { realms: NO_REALM })).rejects.toMatchObject({
      code: 'right.missing',
    });
  });

  it('are empty for an administrator whose realms do not exist', async () => {
    const report = await service.tokens(callerNamed('lost'), {});
    expect(report).toEqual({
      realms: [],
      summary: [
        { status: 'total', count: 0 },
        { status: 'total users', count: 0 },
      ],
    });
  });
});

describe('active users', () => {
  it('come by realm and by its resolvers in their order, and once in the total', async () => {
    expect(await service.activeUsers(ANNA, {})).toEqual({
      realms: [
        { realm: 'north', resolvers: [{ resolver: 'people', users: 3 }] },
        {
          realm: 'south',
          resolvers: [
            { resolver: 'Staff', users: 0 },
            { resolver: 'people', users: 1 },
          ],
        },
        { realm: 'west', resolvers: [] },
      ],
      total: 3,
    });
  });

  it('with * include users whose active token is in no realm, under the resolvers they come from', async () => {
    const report = await service.activeUsers(ANNA, { realms: '*' });
    expect(report.realms.at(-1)).toEqual({
      realm: NO_REALM,
      resolvers: [
        { resolver: 'Staff', users: 4 },
        { resolver: 'people', users: 1 },
      ],
    });
    expect(report.total).toBe(7);
  });

  it('are bounded by the realms of the policies, also in the total', async () => {
    const report = await service.activeUsers(SOUTHERNER, { realms: '*' });
    expect(report.realms.map(({ realm }) => realm)).toEqual(['south']);
    expect(report.total).toBe(1);
  });
});

describe('users of a realm', () => {
  const users = (resolver: string): Promise<number> => Promise.resolve(resolver === 'people' ? 40 : 2);

  it('come from its resolvers; a resolver of two realms is queried once', async () => {
    const context: string[] = [];
    const service = counting((resolver) => {
      context.push(resolver);
      return users(resolver);
    });
    expect(await service.userinfo(ANNA, { realms: 'south,north' })).toEqual({
      realms: [
        {
          realm: 'south',
          resolvers: [
            { resolver: 'Staff', users: 2 },
            { resolver: 'people', users: 40 },
          ],
        },
        { realm: 'north', resolvers: [{ resolver: 'people', users: 40 }] },
      ],
    });
    expect(context).toEqual(['Staff', 'people']);
  });

  it('are none for no realm, for every administrator, and other realms are not read', async () => {
    const service = counting(users);
    expect(await service.userinfo(SOUTHERNER, { realms: NO_REALM })).toEqual({ realms: [] });
    expect((await service.userinfo(SOUTHERNER, { realms: '*' })).realms.map(({ realm }) => realm)).toEqual([
      'south',
    ]);
    await expect(service.userinfo(SOUTHERNER, { realms: 'north' })).rejects.toMatchObject({
      code: 'right.missing',
    });
  });

  it('are an error that names the resolver when one fails, never 0', async () => {
    const failing = counting((resolver) =>
      resolver === 'Staff' ? Promise.reject(new Error('password=x')) : users(resolver),
    );
    await expect(failing.userinfo(ANNA, {})).rejects.toMatchObject({
      code: 'resolver.unavailable',
      message: "Users cannot be counted, resolver unavailable: 'Staff'",
    });
    expect((await failing.userinfo(ANNA, { realms: 'north' })).realms).toHaveLength(1);
  });

  it('are an error that names each resolver that does not answer in time', async () => {
    const hanging = counting(() => new Promise(() => undefined), { timeoutMs: 5 });
    await expect(hanging.userinfo(ANNA, {})).rejects.toMatchObject({
      code: 'resolver.unavailable',
      message: "Users cannot be counted, resolver unavailable: 'Staff', 'people'",
    });
  });

  it('are an error when opening the resolver fails at once, or a realm names one that is not there', async () => {
    const broken = counting(() => {
      throw new Error('no such driver');
    });
    await expect(broken.userinfo(ANNA, { realms: 'north' })).rejects.toMatchObject({
      code: 'resolver.unavailable',
    });
    const lost = counting(users, {
      under: configurationOf({ realms: [{ name: 'north', resolvers: ['gone'] }] }),
    });
    await expect(lost.userinfo(ANNA, {})).rejects.toMatchObject({
      message: expect.stringContaining("'gone'"),
    });
  });

  it('are queried in parallel', async () => {
    let waiting = 0;
    const release: (() => void)[] = [];
    const together = counting(() => {
      waiting += 1;
      return new Promise((resolve) => {
        release.push(() => {
          resolve(1);
        });
        if (waiting === 2) {
          release.forEach((go) => {
            go();
          });
        }
      });
    });
    expect((await together.userinfo(ANNA, { realms: 'south' })).realms).toEqual([
      {
        realm: 'south',
        resolvers: [
          { resolver: 'Staff', users: 1 },
          { resolver: 'people', users: 1 },
        ],
      },
    ]);
  });
});

describe('without the right', () => {
  const STRANGER = callerNamed('stranger');
  const actions: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['tokens', () => service.tokens(STRANGER, { realms: 'unknown', status: 'foo' })],
    ['userinfo', () => service.userinfo(STRANGER, { realms: 'unknown' })],
    ['activeUsers', () => service.activeUsers(STRANGER, { realms: 'unknown' })],
    ['config', () => service.config(STRANGER)],
    ['license', () => service.licence(STRANGER)],
    ['storageEncryption', () => service.storageEncryption(STRANGER)],
  ];

  it.each(actions)('%s is refused before anything else is read', async (action, ask) => {
    await expect(ask()).rejects.toMatchObject({
      code: 'right.missing',
      payload: { policy: { scope: 'monitoring', action } },
    });
  });
});
