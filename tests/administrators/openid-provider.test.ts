import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OpenidProvider, type OpenidSettings } from '../../src/administrators/openid-provider.ts';
import { CLIENT, TestOpenidProvider } from '../support/servers/openid-provider.ts';

const SIGN_IN = { state: 'a state', nonce: 'a nonce', verifier: 'v'.repeat(43) };
const IGNORE = (): void => undefined;
const logged: unknown[] = [];
const LOG = {
  error: IGNORE,
  warn: (...line: unknown[]): void => {
    logged.push(line);
  },
  info: IGNORE,
  debug: IGNORE,
};

let server: TestOpenidProvider;

beforeAll(async () => {
  server = await TestOpenidProvider.start();
});
const usual = (): object => ({
  claims: { preferred_username: 'ann' },
  userinfo: {},
  methods: undefined,
  clientId: CLIENT.clientId,
  secret: CLIENT.clientSecret,
  rawBasic: false,
  description: undefined,
  published: undefined,
  issuer: undefined,
});
beforeEach(() => {
  Object.assign(server.behaviour, usual());
  logged.length = 0;
});
afterAll(() => server.stop());

function openProvider(
  clock: { offset?: number } = {},
  registration: Partial<OpenidSettings> = {},
): OpenidProvider {
  return new OpenidProvider({
    ...CLIENT,
    issuer: server.issuer,
    redirectUrl: `${server.issuer}/callback`,
    scopes: 'openid',
    log: LOG,
    clock,
    nameClaim: 'preferred_username',
    groupsClaim: 'groups',
    requestTimeout: 3,
    ...registration,
  });
}

async function signIn(registration: Partial<OpenidSettings> = {}): Promise<unknown> {
  const provider = openProvider({}, registration);
  const back = await server.signIn(await provider.authorizationUrl(SIGN_IN));
  const person = await provider.identify(Object.fromEntries(back.searchParams), SIGN_IN);
  return 'unproven' in person ? undefined : person.name;
}

describe('a machine whose clock is two hours off', () => {
  it.each([7_200_000, -7_200_000])(
    'lets people sign in, also when it changes later (%i ms)',
    async (offset) => {
      server.behaviour.claims = { preferred_username: 'ann' };
      const clock = { offset: 0 };
      const provider = openProvider(clock);
      const realNow = Date.now;
      const now = jest.spyOn(Date, 'now').mockImplementation(() => realNow() + clock.offset);
      try {
        for (const difference of [0, offset, 0]) {
          clock.offset = difference;
          const asked = await fetch(await provider.authorizationUrl(SIGN_IN), { redirect: 'manual' });
          const { searchParams } = new URL(asked.headers.get('location') ?? '');
          const answer = { code: searchParams.get('code') ?? '', state: SIGN_IN.state, iss: server.issuer };
          expect(await provider.identify(answer, SIGN_IN)).toMatchObject({ name: 'ann' });
        }
      } finally {
        now.mockRestore();
      }
    },
  );
});

describe('a provider to which this server proves itself', () => {
  it.each([
    [undefined],
    [['client_secret_basic', 'client_secret_post']],
    [['client_secret_post']],
    [['private_key_jwt', 'client_secret_post']],
    [['client_secret_jwt']],
  ])('is shown the secret as its metadata says: %j', async (methods) => {
    server.behaviour.methods = methods;
    expect(await signIn()).toBe('ann');
  });

  it('is shown it as the configuration says, where its metadata is wrong', async () => {
    server.behaviour.methods = ['client_secret_basic', 'client_secret_post'];
    server.behaviour.rawBasic = true;
    expect(await signIn()).toBeUndefined();
    expect(await signIn({ clientAuthentication: 'client_secret_post' })).toBe('ann');
  });

  it('may read names and secrets as they are, or decoded', async () => {
    const clientId = 'tan-keeper.prod_1~x';
    const secret = 'a-b.c/d=e!f$g&h';
    Object.assign(server.behaviour, { clientId, secret, rawBasic: true });
    expect(await signIn({ clientId, clientSecret: secret })).toBe('ann');
    server.behaviour.rawBasic = false;
    expect(await signIn({ clientId, clientSecret: secret })).toBe('ann');
    Object.assign(server.behaviour, { clientId: 'a:b', secret: '100 %+ü€' });
    expect(await signIn({ clientId: 'a:b', clientSecret: '100 %+ü€' })).toBe('ann');
  });

  it('is named in the log where it takes none of these ways', async () => {
    server.behaviour.methods = ['private_key_jwt'];
    expect(await signIn()).toBeUndefined();
    expect(JSON.stringify(logged)).toContain('the provider takes none of client_secret_basic');
  });
});

describe('a claim', () => {
  const groups = ['desk'];

  it.each<[string, Record<string, unknown>]>([
    ['realm_access.roles', { realm_access: { roles: groups } }],
    ['resource_access.tan.example.com.roles', { resource_access: { 'tan.example.com': { roles: groups } } }],
    ['https://x.example/groups', { 'https://x.example/groups': groups }],
    ['https://x.example/app.roles', { 'https://x.example/app': { roles: groups } }],
    ['a.b', { 'a.b': groups, a: { b: ['others'] } }],
    ['a.b.c', { 'a.b': {}, a: { 'b.c': groups } }],
  ])('%s is read as the name of one, or as one inside another', async (groupsClaim, claims) => {
    for (const [inToken, inUserinfo] of [
      [claims, {}],
      [{}, claims],
    ]) {
      server.behaviour.claims = { preferred_username: 'ann', ...inToken };
      server.behaviour.userinfo = inUserinfo ?? {};
      const provider = openProvider({}, { groupsClaim });
      const back = await server.signIn(await provider.authorizationUrl(SIGN_IN));
      const answer = Object.fromEntries(back.searchParams);
      expect(await provider.identify(answer, SIGN_IN)).toEqual({ name: 'ann', groups });
    }
  });

  it.each(['constructor.name', 'groups.length', 'groups.0', 'realm_access', '.', 'groups.'])(
    '%s is not there where the provider has not told it',
    async (groupsClaim) => {
      server.behaviour.claims = { preferred_username: 'ann', other: 'x' };
      const provider = openProvider({}, { groupsClaim });
      const back = await server.signIn(await provider.authorizationUrl(SIGN_IN));
      const answer = Object.fromEntries(back.searchParams);
      expect(await provider.identify(answer, SIGN_IN)).toEqual({ name: 'ann', groups: undefined });
    },
  );
});

describe('a provider that hangs', () => {
  it('holds up twenty sign-ins at most: the others are refused at once', async () => {
    const { issuer } = server;
    const provider = openProvider();
    await provider.authorizationUrl(SIGN_IN);
    server.behaviour.hangs = true;
    const refused: unknown[] = [];
    const asked = Array.from({ length: 25 }, () =>
      provider
        .identify({ code: 'a code', state: SIGN_IN.state, iss: issuer }, SIGN_IN)
        .catch((error: unknown) => refused.push(error)),
    );
    await Promise.race(asked);
    await new Promise(setImmediate);
    expect(refused).toHaveLength(5);
    expect(refused).toContainEqual(expect.objectContaining({ code: 'sign-in.unavailable' }));
    await Promise.all(asked);
    expect(refused).toHaveLength(25);
    server.behaviour.hangs = false;
    expect(
      await provider.identify({ code: 'a code', state: SIGN_IN.state, iss: issuer }, SIGN_IN),
    ).toHaveProperty('unproven');
  });
});
