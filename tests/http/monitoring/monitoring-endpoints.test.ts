import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { METHODS, sendBy } from '../../support/application/http-methods.ts';
import { AS_ADMIN, createTestApp } from '../../support/application/http-app.ts';

const ANSWERS = {
  tokens: {
    head: [],
    data: [
      ['a', 'total', 3],
      ['Summary', 'total', 2],
    ],
    value: { Summary: { total: 2 }, Realms: { a: { total: 3 } } },
  },
  userinfo: { head: [], data: [['a', 'r', 4]], value: { Realms: { a: { r: 4 } } } },
  activeUsers: {
    head: [],
    data: [
      ['a', 'r', 1],
      ['Total', '', 1],
    ],
    value: { Realms: { a: { r: 1 } }, total: 1 },
  },
  config: {
    head: [],
    value: {
      sync: 'True',
      synctime: '2026-11-20T12:00:00.000Z',
      changed: '2026-11-20T11:59:59.123Z',
      now: '2026-11-20T12:00:00.000Z',
      total: 9,
      managedresolver: 1,
      passwdresolver: 2,
      sqlresolver: 3,
      ldapresolver: 4,
      policies: 1,
      realms: 1,
    },
  },
  license: { value: { support: 'community support' } },
  storageEncryption: { value: true },
};
const NAMES = Object.keys(ANSWERS) as (keyof typeof ANSWERS)[];
const DEPRECATION = ['deprecation', 'link', 'sunset'];

describe.each(NAMES)('/monitoring/%s', (name) => {
  it.each(METHODS)('answers %s', async (method) => {
    const { app } = createTestApp();
    const response = await sendBy(method, app, `/monitoring/${name}`, {}).set(AS_ADMIN);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      version: 'Tankeeper 1.2.3',
      jsonrpc: '2.0',
      result: { status: true, ...ANSWERS[name] },
      id: 1,
    });
  });

  it('answers POST exactly as GET, but for the headers that say it is deprecated', async () => {
    const { app } = createTestApp({ monitoringPostSunset: new Date('2027-12-31T00:00:00Z') });
    const get = await request(app).get(`/monitoring/${name}`).set(AS_ADMIN);
    const post = await request(app).post(`/monitoring/${name}`).set(AS_ADMIN);
    expect(post.text).toBe(get.text);
    expect(post.headers).toMatchObject({
      deprecation: '@1657843200',
      link: '</docs/monitoring-post>; rel="deprecation"; type="text/html"',
      sunset: 'Fri, 31 Dec 2027 00:00:00 GMT',
    });
    expect(Object.keys(get.headers).filter((header) => DEPRECATION.includes(header))).toEqual([]);
  });

  it('refuses POST once it is switched off', async () => {
    const { app, calls } = createTestApp({ monitoringPost: 'off' });
    const response = await request(app).post(`/monitoring/${name}`).set(AS_ADMIN);
    expect(response.status).toBe(405);
    expect(response.get('Allow')).toBe('GET, HEAD, OPTIONS');
    expect(response.get('Deprecation')).toBeUndefined();
    expect(calls).toEqual([]);
  });

  it.each(['get', 'post'] as const)('is closed to unauthenticated clients (%s)', async (method) => {
    const { app, calls } = createTestApp();
    const response = await request(app)[method](`/monitoring/${name}`);
    expect(response.status).toBe(401);
    expect(calls).toEqual([]);
  });
});

describe('/monitoring', () => {
  it('hands realms and statuses on as they were given, the last of a repeated name', async () => {
    const { app, calls } = createTestApp();
    await request(app)
      .get('/monitoring/tokens?realms=x&Status=unassigned%26inactive,active&realms=/:no%20realm:/')
      .set(AS_ADMIN);
    expect(calls[0]?.[2]).toEqual({ realms: '/:no realm:/', status: 'unassigned&inactive,active' });
  });

  it('announces no day of sunset before there is one', async () => {
    const response = await request(createTestApp().app).post('/monitoring/license').set(AS_ADMIN);
    expect(response.get('Deprecation')).toBe('@1657843200');
    expect(response.get('Sunset')).toBeUndefined();
  });

  it('says so in errors to a POST, too', async () => {
    const { app, fail } = createTestApp();
    fail('tokens', new ServiceError('right.missing', 'no'));
    const response = await request(app).post('/monitoring/tokens').set(AS_ADMIN);
    expect(response.body).toHaveProperty('result.error', { code: 410, message: 'ERR410: no' });
    expect(response.get('Deprecation')).toBe('@1657843200');
  });

  it('announces the deprecation, and repeats the id, to a client beyond its limit', async () => {
    const refuse = (): Promise<void> =>
      Promise.reject(
        new ServiceError('too-many-requests', 'Too many requests', {
          limit: 'client-requests',
          retryAfter: 7,
        }),
      );
    const { app, lines } = createTestApp({}, {}, { requests: { admit: refuse } });
    const response = await request(app).post('/monitoring/tokens?id=9').set(AS_ADMIN);
    expect(response.status).toBe(429);
    expect(response.get('Retry-After')).toBe('7');
    expect(response.get('Deprecation')).toBe('@1657843200');
    expect(response.body).toHaveProperty('id', 9);
    expect(lines).toContainEqual(
      expect.objectContaining({
        message: 'request',
        fields: expect.objectContaining({ path: '/monitoring/tokens', status: 429 }),
      }),
    );
  });

  it('links to a page that is there, without a password', async () => {
    const { app } = createTestApp();
    const link = (await request(app).post('/monitoring/tokens')).get('Link') ?? '';
    const page = await request(app).get(/^<([^>]+)>/.exec(link)?.[1] ?? '');
    expect(page.status).toBe(200);
    expect(page.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('GET /monitoring/tokens');
  });

  it('keeps hostile names of realms and statuses apart from its own', async () => {
    const counts = [{ status: '__proto__', count: 1 }];
    const { app } = createTestApp(
      {},
      {
        monitoring: {
          ...monitoringOf('<b>'),
          tokens: () => Promise.resolve({ realms: [{ realm: '__proto__', counts }], summary: counts }),
        },
      },
    );
    const response = await request(app).get('/monitoring/tokens').set(AS_ADMIN);
    expect(response.text).toContain('"__proto__": {\n               "__proto__": 1');
    const users = await request(app).get('/monitoring/userinfo').set(AS_ADMIN);
    expect(users.get('Content-Type')).toContain('application/json');
    expect(users.body).toHaveProperty('result.data', [['<b>', '<b>', 1]]);
  });
});

function monitoringOf(
  realm: string,
): NonNullable<Parameters<typeof createTestApp>[1]>['monitoring'] & object {
  const users = { realms: [{ realm, resolvers: [{ resolver: realm, users: 1 }] }] };
  const unused = (): Promise<never> => Promise.reject(new Error('not part of this test'));
  return {
    tokens: unused,
    userinfo: () => Promise.resolve(users),
    activeUsers: unused,
    config: unused,
    licence: unused,
    storageEncryption: unused,
  };
}
