import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { AS_ADMIN, createTestApp, type DomainCall } from '../../support/application/http-app.ts';

interface Row {
  readonly path: string;
  readonly given: Readonly<Record<string, string>>;
  readonly calls: readonly DomainCall[];
  readonly value: unknown;
}

const CALLER = expect.objectContaining({ principal: expect.anything() });
const FORETOLD = [{ code: 'realm.default', text: 'it is the default realm' }];
const AT = '2026-11-20T10:55:31.000Z';
const LICENCE = {
  valid: true,
  reason: null,
  unit: 'user',
  licensed: 5,
  active: 2,
  starts: null,
  ends: AT,
  fields: { licensee: 'Example AG' },
};

const LOOKS: readonly Row[] = [
  ...(['remove', 'set', 'default'] as const).map((act) => ({
    path: '/system/realmConsequences',
    given: { act, realm: 'r', resolvers: 'a, b' },
    calls: [
      {
        remove: ['ofRealmRemoval', 'r'] as const,
        set: ['ofRealmChange', { name: 'r', resolvers: ['a', 'b'] }] as const,
        default: ['ofDefaultRealm', 'r'] as const,
      }[act],
    ],
    value: FORETOLD,
  })),
  {
    path: '/system/realmConsequences',
    given: { act: 'default', realm: ' ' },
    calls: [['ofDefaultRealm', null]],
    value: FORETOLD,
  },
  {
    path: '/system/resolverConsequences',
    given: { resolver: 'r' },
    calls: [['ofResolverRemoval', 'r']],
    value: FORETOLD,
  },
  {
    path: '/system/userConsequences',
    given: { resolver: 'r', username: 'u' },
    calls: [['ofUserRemoval', { resolver: 'r', login: 'u' }]],
    value: FORETOLD,
  },
  {
    path: '/system/userConsequences',
    given: { resolver: 'r', username: 'u', password_only: '1' },
    calls: [['ofPasswordRemoval', { resolver: 'r', login: 'u' }]],
    value: FORETOLD,
  },
  {
    path: '/system/keys',
    given: { count: '1' },
    calls: [['showKeys', true]],
    value: {
      keys: [
        {
          keyid: '0123456789abcdef',
          current: true,
          added: AT,
          current_since: AT,
          retired: null,
          secrets: 7,
        },
      ],
      servers: [{ place: 'tan1:4711', keyids: ['0123456789abcdef'], seals_with: '0123456789abcdef' }],
      counted: AT,
    },
  },
  { path: '/system/licence', given: {}, calls: [['showLicence']], value: null },
];

const CHANGES: readonly Row[] = [
  {
    path: '/system/testResolver',
    given: { name: 'n' },
    calls: [['tryResolver', CALLER, { name: 'n' }]],
    value: { readable: true, users: 3, first: null },
  },
  {
    path: '/system/testResolver',
    given: { name: 'n', type: 'ldapresolver', LDAPURI: 'ldap://x', bindpw: 'p' },
    calls: [
      [
        ...(['tryResolver', CALLER] as const),
        { name: 'n', kind: 'ldap', settings: { ldapuri: 'ldap://x', bindpw: 'p' } },
      ],
    ],
    value: { readable: true, users: 3, first: null },
  },
  {
    path: '/system/users/add',
    given: { resolver: 'r', username: 'anna', surname: 'Berg', password: '' },
    calls: [['addUser', CALLER, expect.objectContaining({ resolver: 'r', login: 'anna', surname: 'Berg' })]],
    value: { userid: '7' },
  },
  {
    path: '/system/users/password',
    given: { resolver: 'r', username: 'anna', password: 'a long one' },
    calls: [['setUserPassword', CALLER, { resolver: 'r', login: 'anna', password: 'a long one' }]],
    value: true,
  },
  {
    path: '/system/users/password',
    given: { resolver: 'r', username: 'anna' },
    calls: [['setUserPassword', CALLER, { resolver: 'r', login: 'anna', password: '' }]],
    value: true,
  },
  {
    path: '/system/users/password',
    given: { resolver: 'r', username: 'anna', remove: '1' },
    calls: [['setUserPassword', CALLER, { resolver: 'r', login: 'anna', password: null }]],
    value: true,
  },
  {
    path: '/system/users/remove',
    given: { resolver: 'r', username: 'anna' },
    calls: [['removeUser', CALLER, { resolver: 'r', login: 'anna' }]],
    value: true,
  },
  {
    path: '/system/licence/install',
    given: { licence: 'a.b.c' },
    calls: [['installLicence', CALLER, 'a.b.c']],
    value: LICENCE,
  },
  { path: '/system/licence/remove', given: {}, calls: [['removeLicence', CALLER]], value: true },
];

const ALL = [...LOOKS, ...CHANGES];

describe('the endpoints of an installation', () => {
  it.each(ALL)('reach the domain: $path $given', async ({ path, given, calls: expected, value }) => {
    const { app, calls } = createTestApp();
    const response = await request(app).post(path).type('form').send(given).set(AS_ADMIN);
    expect(response.body).toHaveProperty('result', { status: true, value });
    expect(calls).toEqual(expected);
  });

  it.each(ALL)('authenticate first: $path $given', async ({ path, given }) => {
    const { app, calls } = createTestApp();
    expect((await request(app).post(path).type('form').send(given)).status).toBe(401);
    expect(calls).toEqual([]);
  });

  it.each(CHANGES)('change nothing by GET, or for another site: $path $given', async ({ path, given }) => {
    const { app, calls } = createTestApp();
    expect((await request(app).get(path).query(given).set(AS_ADMIN)).status).toBe(405);
    const headers = { ...AS_ADMIN, 'Sec-Fetch-Site': 'cross-site' };
    expect((await request(app).post(path).type('form').send(given).set(headers)).status).toBe(403);
    expect(calls).toEqual([]);
  });

  it('describe every kind of resolver', async () => {
    const { app } = createTestApp();
    const { body } = (await request(app).post('/system/resolverKinds').set(AS_ADMIN)) as {
      body: { result: { value: { kind: string; settings: { name: string; secret: boolean }[] }[] } };
    };
    const secrets = body.result.value.map(({ kind, settings }) => [
      kind,
      settings.filter(({ secret }) => secret).map(({ name }) => name),
    ]);
    expect(secrets).toEqual([
      ['managed', []],
      ['passwd', []],
      ['sql', ['Password']],
      ['ldap', ['BINDPW']],
    ]);
  });

  it('refuse an unknown act of which to foretell', async () => {
    const { app } = createTestApp();
    const given = { act: 'burn', realm: 'r' };
    const response = await request(app)
      .post('/system/realmConsequences')
      .type('form')
      .send(given)
      .set(AS_ADMIN);
    expect(response.body).toHaveProperty('result.error.message', expect.stringContaining("'remove', 'set'"));
  });
});
