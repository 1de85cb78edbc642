import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import request, { type Response } from 'supertest';
import { AS_ADMIN, OPERATOR, TestApplication } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const ANSWERS = {
  tokens: {
    head: [],
    data: [
      ['a', 'total', 2],
      ['a', 'total users', 1],
      ['Summary', 'total', 2],
      ['Summary', 'total users', 1],
    ],
    value: {
      Summary: { total: 2, 'total users': 1 },
      Realms: { a: { total: 2, 'total users': 1 } },
    },
  },
  userinfo: { head: [], data: [['a', 'a', 2]], value: { Realms: { a: { a: 2 } } } },
  activeUsers: {
    head: [],
    data: [
      ['a', 'a', 1],
      ['Total', '', 1],
    ],
    value: { Realms: { a: { a: 1 } }, total: 1 },
  },
  config: {
    head: [],
    value: {
      sync: 'True',
      synctime: TIME,
      changed: TIME,
      now: TIME,
      total: 3,
      managedresolver: 1,
      passwdresolver: 0,
      sqlresolver: 0,
      ldapresolver: 0,
      policies: 1,
      realms: 1,
    },
  },
  license: { value: { support: 'community support' } },
  storageEncryption: { value: true },
};
const NAMES = Object.keys(ANSWERS) as (keyof typeof ANSWERS)[];
const DEPRECATION = ['deprecation', 'link', 'sunset'];

let application: TestApplication;
beforeAll(async () => {
  application = await TestApplication.open({
    http: { monitoringPostSunset: new Date('2027-12-31T00:00:00Z') },
  });
  await application.addRealm('a', ['ann', 'bob']);
  await application.enrolPlain('A1', SUITE, { user: 'ann', realm: 'a' });
  await application.enrolPlain('A2', SUITE);
  await application.services.tokens.setRealms(OPERATOR, { serial: 'A2', realms: ['a'] });
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => application.close());

const get = async (path: string): Promise<Response> =>
  request(application.app).get(`/monitoring/${path}`).set(AS_ADMIN);

describe.each(NAMES)('/monitoring/%s', (name) => {
  it('answers POST as GET, but for the headers that say it is deprecated', async () => {
    const answer = await get(name);
    const post = await request(application.app).post(`/monitoring/${name}`).set(AS_ADMIN);
    const expected = {
      version: 'Tankeeper test',
      jsonrpc: '2.0',
      result: { status: true, ...ANSWERS[name] },
      id: 1,
    };
    expect(answer.body).toEqual(expected);
    expect(post.body).toEqual(expected);
    expect(post.headers).toMatchObject({
      deprecation: '@1657843200',
      link: '</docs/monitoring-post>; rel="deprecation"; type="text/html"',
      sunset: 'Fri, 31 Dec 2027 00:00:00 GMT',
    });
    expect(Object.keys(answer.headers).filter((header) => DEPRECATION.includes(header))).toEqual([]);
  });

  it('refuses POST once it is switched off', async () => {
    const { app } = application.restarted({ http: { monitoringPost: 'off' } });
    const response = await request(app).post(`/monitoring/${name}`).set(AS_ADMIN);
    expect(response.status).toBe(405);
    expect(response.get('Allow')).toBe('GET, HEAD, OPTIONS');
    expect(response.get('Deprecation')).toBeUndefined();
  });
});

describe('/monitoring', () => {
  it('takes realms and statuses in any case of letters, the last of a repeated name', async () => {
    const { body } = (await get(
      'tokens?realms=x&Status=unassigned%26inactive,active&realms=/:no%20realm:/',
    )) as { body: unknown };
    expect(body).toHaveProperty('result.value.Realms', {
      '/:no realm:/': { total: 0, 'total users': 0, 'unassigned&inactive': 0, active: 0 },
    });
  });

  it('announces no day of sunset before there is one, and the deprecation in errors and limits, too', async () => {
    const { token } = await application.services.administrators.addApiToken(OPERATOR, 'admin', {
      name: 'license',
      rights: ['monitoring:license'],
    });
    const limits = { exempt: [], clientRequests: 2 };
    const { app } = application.restarted({ http: {}, limits });
    const post = async (path: string): Promise<Response> =>
      request(app).post(`/monitoring/${path}`).set('Authorization', `Bearer ${token}`);
    const shown = await post('license');
    const refused = await post('tokens');
    const limited = await post('tokens?id=9');
    expect(refused.body).toHaveProperty('result.error.code', 410);
    expect([limited.status, limited.get('Retry-After')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(limited.body).toHaveProperty('id', 9);
    for (const response of [shown, refused, limited]) {
      expect(response.get('Deprecation')).toBe('@1657843200');
      expect(response.get('Sunset')).toBeUndefined();
    }
  });

  it('links to a page that is there, without a password', async () => {
    const { app } = application;
    const link = (await request(app).post('/monitoring/tokens')).get('Link') ?? '';
    const page = await request(app).get(/^<([^>]+)>/.exec(link)?.[1] ?? '');
    expect(page.status).toBe(200);
    expect(page.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('GET /monitoring/tokens');
  });

  it('keeps hostile names of realms and statuses apart from its own', async () => {
    const counts = [{ status: '__proto__', count: 1 }];
    jest
      .spyOn(application.services.monitoring, 'tokens')
      .mockResolvedValue({ realms: [{ realm: '__proto__', counts }], summary: counts });
    expect((await get('tokens')).text).toContain('"__proto__": {\n               "__proto__": 1');
  });
});
