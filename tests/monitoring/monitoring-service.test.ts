import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { MonitoringService } from '../../src/monitoring/monitoring-service.ts';
import { checkPolicy } from '../../src/policy/policy.ts';
import { monitoringOver } from '../support/application/monitoring-over.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { insertState, type TokenSketch } from '../support/database/token-rows.ts';
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
  it('are those of the realms in each request, independent of earlier requests', async () => {
    // Without pending changes all requests share one snapshot.
    await test.database.knex.raw('SELECT fold_counts(10000)');
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
});

describe('users of a realm', () => {
  const users = (resolver: string): Promise<number> => Promise.resolve(resolver === 'people' ? 40 : 2);

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
