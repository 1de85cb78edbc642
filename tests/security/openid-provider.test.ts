import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OpenidProvider } from '../../src/security/openid-provider.ts';
import { CLIENT, TestOpenidProvider } from '../support/servers/openid-provider.ts';

const SIGN_IN = { state: 'a state', nonce: 'a nonce', verifier: 'v'.repeat(43) };
const IGNORE = (): void => undefined;
const LOG = { error: IGNORE, warn: IGNORE, info: IGNORE, debug: IGNORE };

let server: TestOpenidProvider;

beforeAll(async () => {
  server = await TestOpenidProvider.start();
});
afterAll(() => server.stop());

describe('a provider that hangs', () => {
  it('holds up twenty sign-ins at most: the others are refused at once', async () => {
    const { issuer } = server;
    const provider = new OpenidProvider({
      ...CLIENT,
      issuer,
      redirectUrl: `${issuer}/callback`,
      scopes: 'openid',
      log: LOG,
      nameClaim: 'preferred_username',
      groupsClaim: 'groups',
      requestTimeout: 3,
    });
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
