import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { OpenidProvider } from '../../src/administrators/openid-provider.ts';
import { CLIENT, TestOpenidProvider } from '../support/servers/openid-provider.ts';

const SIGN_IN = { state: 'a state', nonce: 'a nonce', verifier: 'v'.repeat(43) };
const IGNORE = (): void => undefined;
const LOG = { error: IGNORE, warn: IGNORE, info: IGNORE, debug: IGNORE };

let server: TestOpenidProvider;

beforeAll(async () => {
  server = await TestOpenidProvider.start();
});
afterAll(() => server.stop());

function openProvider(clock: { offset?: number } = {}): OpenidProvider {
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
  });
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
    expect(await provider.identify({ code: 'a code', state: SIGN_IN.state, iss: issuer }, SIGN_IN)).toBe(
      undefined,
    );
  });
});
