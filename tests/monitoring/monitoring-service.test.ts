import { describe, expect, it } from '@jest/globals';

import type { MonitoringService } from '../../src/monitoring/monitoring-service.ts';
import { NO_REALM } from '../../src/monitoring/realm-choice.ts';
import { CALLER, monitoringIn, NOW } from '../support/fakes/monitoring-fakes.ts';
import { configurationOf } from '../support/values/configuration-value.ts';

const configuration = configurationOf({
  resolvers: [{ name: 'people' }, { name: 'Staff', kind: 'passwd', settings: { fileName: '/x' } }],
  realms: [
    { name: 'north', resolvers: ['people'] },
    { name: 'south', resolvers: ['Staff', 'people'] },
    { name: 'west', resolvers: [] },
  ],
  settings: new Map([['OcraMaxChallenges', '4']]),
});

const counts = {
  tokens: [
    { realms: ['north'], active: true, assigned: true, tokens: 3 },
    { realms: ['north', 'south'], active: false, assigned: false, tokens: 1 },
    { realms: ['south'], active: true, assigned: false, tokens: 5 },
    { realms: [], active: true, assigned: true, tokens: 7 },
  ],
  activeUsers: [
    { resolver: 'people', realms: ['north'], inNoRealm: false, users: 2 },
    { resolver: 'people', realms: ['north', 'south'], inNoRealm: true, users: 1 },
    { resolver: 'Staff', realms: [], inNoRealm: true, users: 4 },
  ],
};

describe('token counts', () => {
  it('show total, total users and each requested status, by realm, and each token and user once in the summary', async () => {
    const report = await monitoringIn({ configuration, counts }).tokens(CALLER, {
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
        { realm: 'south', counts: row(6, 1, 6, 5) },
        { realm: 'west', counts: row(0, 0, 0, 0) },
      ],
      summary: row(9, 3, 6, 8),
    });
  });

  it('of no realm come under its own name and are part of the summary, wherever it stands in the list', async () => {
    const service = monitoringIn({ configuration, counts });
    for (const realms of ['/:no realm:/,south', 'south,/:no realm:/']) {
      const report = await service.tokens(CALLER, { realms });
      expect(report.realms.map(({ realm }) => realm)).toEqual(realms.split(','));
      expect(report.summary.map(({ count }) => count)).toEqual([13, 5]);
    }
  });

  it('are those of the realms in each request, independent of earlier requests', async () => {
    const service = monitoringIn({ configuration, counts });
    const summaries: unknown[] = [];
    for (const realms of ['north', 'south', 'north,south', '*', 'north']) {
      const { summary } = await service.tokens(CALLER, { realms });
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
    const world = { configuration, counts };
    const service = monitoringIn(world);
    const before = await service.tokens(CALLER, { realms: 'south' });
    world.counts = { ...counts, tokens: counts.tokens.slice(0, 2) };
    const after = await service.tokens(CALLER, { realms: 'south' });
    expect([before, after].map(({ summary }) => summary[0]?.count)).toEqual([6, 1]);
  });

  it('are bounded by the realms of the policies, also in the summary', async () => {
    const service = monitoringIn({ configuration, counts, granted: ['south'] });
    for (const realms of [undefined, '*', 'north,south,/:no realm:/']) {
      const report = await service.tokens(CALLER, { realms });
      expect(report.realms.map(({ realm }) => realm)).toEqual(['south']);
      expect(report.summary.map(({ count }) => count)).toEqual([6, 1]);
    }
    await expect(service.tokens(CALLER, { realms: NO_REALM })).rejects.toMatchObject({
      code: 'right.missing',
    });
  });

  it('are empty for an administrator whose realms do not exist', async () => {
    const report = await monitoringIn({ configuration, counts, granted: ['nosuchrealm'] }).tokens(CALLER, {});
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
    const service = monitoringIn({ configuration, counts });
    expect(await service.activeUsers(CALLER, {})).toEqual({
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
    const report = await monitoringIn({ configuration, counts }).activeUsers(CALLER, { realms: '*' });
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
    const service = monitoringIn({ configuration, counts, granted: ['south'] });
    const report = await service.activeUsers(CALLER, { realms: '*' });
    expect(report.realms.map(({ realm }) => realm)).toEqual(['south']);
    expect(report.total).toBe(1);
  });
});

describe('users of a realm', () => {
  const users = (resolver: string): Promise<number> => Promise.resolve(resolver === 'people' ? 40 : 2);

  it('come from its resolvers; a resolver of two realms is queried once', async () => {
    const context: string[] = [];
    const service = monitoringIn({
      configuration,
      users: (resolver) => {
        context.push(resolver);
        return users(resolver);
      },
    });
    expect(await service.userinfo(CALLER, { realms: 'south,north' })).toEqual({
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
    const service = monitoringIn({ configuration, users, granted: ['south'] });
    expect(await service.userinfo(CALLER, { realms: NO_REALM })).toEqual({ realms: [] });
    expect((await service.userinfo(CALLER, { realms: '*' })).realms.map(({ realm }) => realm)).toEqual([
      'south',
    ]);
    await expect(service.userinfo(CALLER, { realms: 'north' })).rejects.toMatchObject({
      code: 'right.missing',
    });
  });

  it('are an error that names the resolver when one fails, never 0', async () => {
    const failing = monitoringIn({
      configuration,
      users: (resolver) => (resolver === 'Staff' ? Promise.reject(new Error('password=x')) : users(resolver)),
    });
    await expect(failing.userinfo(CALLER, {})).rejects.toMatchObject({
      code: 'resolver.unavailable',
      message: "Users cannot be counted, resolver unavailable: 'Staff'",
    });
    expect((await failing.userinfo(CALLER, { realms: 'north' })).realms).toHaveLength(1);
  });

  it('are an error that names each resolver that does not answer in time', async () => {
    const hanging = monitoringIn({
      configuration,
      resolverTimeLimit: 5,
      users: () => new Promise(() => undefined),
    });
    await expect(hanging.userinfo(CALLER, {})).rejects.toMatchObject({
      code: 'resolver.unavailable',
      message: "Users cannot be counted, resolver unavailable: 'Staff', 'people'",
    });
  });

  it('are an error when opening the resolver fails at once, or a realm names one that is not there', async () => {
    const broken = monitoringIn({
      configuration,
      users: () => {
        throw new Error('no such driver');
      },
    });
    await expect(broken.userinfo(CALLER, { realms: 'north' })).rejects.toMatchObject({
      code: 'resolver.unavailable',
    });
    const lost = monitoringIn({
      configuration: configurationOf({ realms: [{ name: 'north', resolvers: ['gone'] }] }),
    });
    await expect(lost.userinfo(CALLER, {})).rejects.toMatchObject({
      message: expect.stringContaining("'gone'"),
    });
  });

  it('are queried in parallel', async () => {
    let waiting = 0;
    const release: (() => void)[] = [];
    const together = monitoringIn({
      configuration,
      users: () => {
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
      },
    });
    expect((await together.userinfo(CALLER, { realms: 'south' })).realms).toEqual([
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

describe('the configuration check', () => {
  it('counts the parts of the configuration and reports that the server is up to date', async () => {
    expect(await monitoringIn({ configuration }).config(CALLER)).toEqual({
      sync: true,
      readAt: configuration.readAt,
      changedAt: configuration.changedAt,
      now: NOW,
      total: 6,
      values: 1,
      resolvers: { managed: 1, passwd: 1, sql: 0, ldap: 0 },
      policies: 0,
      realms: 3,
    });
  });

  it('says that it is not, when the database has moved on', async () => {
    const stored = { revision: 2n, changedAt: new Date('2026-11-20T10:29:00Z') };
    expect(await monitoringIn({ configuration, stored }).config(CALLER)).toMatchObject({
      sync: false,
      readAt: configuration.readAt,
      changedAt: stored.changedAt,
    });
  });

  it('says that it is not, when the database was put back and has changed as often since', async () => {
    const stored = { revision: configuration.revision, changedAt: new Date('2026-11-20T10:29:00Z') };
    expect(await monitoringIn({ configuration, stored }).config(CALLER)).toMatchObject({ sync: false });
  });

  it('reports the configuration before this request, not the one that it reads for the request', async () => {
    const assumed = configurationOf({ revision: configuration.revision - 1n });
    expect(await monitoringIn({ configuration, assumed }).config(CALLER)).toMatchObject({
      sync: false,
      total: 0,
    });
  });

  it('reports the configuration that it reads for this request where it had none before', async () => {
    expect(await monitoringIn({ configuration, assumed: 'nothing' }).config(CALLER)).toMatchObject({
      sync: true,
      total: 6,
    });
  });

  it('is up to date where it has read a change made after its read of the database', async () => {
    const older = { revision: configuration.revision - 1n, changedAt: new Date('2026-11-20T10:00:00Z') };
    const overtaken = monitoringIn({ configuration, assumed: 'nothing', storedInTurn: [older] });
    expect(await overtaken.config(CALLER)).toMatchObject({ sync: true, changedAt: configuration.changedAt });
    const putBack = monitoringIn({ configuration, stored: older });
    expect(await putBack.config(CALLER)).toMatchObject({ sync: false, changedAt: older.changedAt });
  });

  it.each(['before', 'after'])(
    'treats a change %s its read, which was noticed meanwhile, as noticed',
    async (when) => {
      const newer = configurationOf({ revision: configuration.revision + 1n });
      const moving = monitoringIn({
        configuration,
        stored: when === 'before' ? newer : configuration,
        assumedInTurn: [configuration, newer],
      });
      expect(await moving.config(CALLER)).toMatchObject({ sync: true });
    },
  );
});

describe('licence and storage encryption', () => {
  it('no licence is installed', async () => {
    expect(await monitoringIn({ configuration }).licence(CALLER)).toEqual({ kind: 'none' });
  });

  it.each([true, false])('storage encryption is the result of the probe: %s', async (encrypts) => {
    expect(await monitoringIn({ configuration, encrypts }).storageEncryption(CALLER)).toBe(encrypts);
  });
});

describe('without the right', () => {
  const actions: readonly (readonly [string, (service: MonitoringService) => Promise<unknown>])[] = [
    ['tokens', (service) => service.tokens(CALLER, { realms: 'unknown', status: 'foo' })],
    ['userinfo', (service) => service.userinfo(CALLER, { realms: 'unknown' })],
    ['activeUsers', (service) => service.activeUsers(CALLER, { realms: 'unknown' })],
    ['config', (service) => service.config(CALLER)],
    ['license', (service) => service.licence(CALLER)],
    ['storageEncryption', (service) => service.storageEncryption(CALLER)],
  ];

  it.each(actions)('%s is refused before anything else is read', async (action, ask) => {
    await expect(ask(monitoringIn({ configuration, granted: 'none' }))).rejects.toMatchObject({
      code: 'right.missing',
      payload: { policy: { scope: 'monitoring', action } },
    });
  });
});
