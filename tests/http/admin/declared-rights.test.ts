import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { z } from 'zod';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';
import { declaredEndpoints } from '../../support/description/declared-endpoints.ts';

const endpoints = declaredEndpoints();
/** It takes two. */
const OTHER = '/admin/policy/explain-refusal';
const withRight = endpoints.filter(({ path, requires }) => requires.includes(':') && path !== OTHER);
const rights = [...new Set(withRight.map(({ requires }) => requires))];

let tokens = 0;
let application: TestApplication;
beforeAll(async () => {
  application = await TestApplication.open();
});
afterAll(() => application.close());

/** @returns the message of the error that the endpoint answers to an API token with those rights; empty: none */
async function refusal(endpoint: (typeof endpoints)[number], held: readonly string[]): Promise<string> {
  tokens += 1;
  const { token } = await application.services.administrators.addApiToken(OPERATOR, 'admin', {
    name: `probe ${tokens}`,
    rights: [...held],
  });
  const given = Object.entries(endpoint.parameters.shape)
    .filter(([, schema]) => !(schema as z.ZodType).safeParse(undefined).success)
    .map(([parameter]) => [parameter, 'x']);
  const client = request(application.app);
  const requested = endpoint.methods.includes('POST')
    ? client.post(endpoint.path)
    : client.get(endpoint.path);
  const answer = await requested
    .set('Authorization', `Bearer ${token}`)
    .type('form')
    .send(Object.fromEntries(given) as object);
  const { result } = answer.body as { readonly result?: { readonly error?: { readonly message: string } } };
  return result?.error?.message ?? '';
}

describe('an API token', () => {
  it.each(withRight.map((endpoint) => [endpoint.path, endpoint.requires, endpoint] as const))(
    'needs for %s the right %s, and no other',
    async (_path, right, endpoint) => {
      const others = rights.filter((one) => one !== right);
      expect(await refusal(endpoint, others)).toBe(`ERR410: This API token does not have the right ${right}`);
      expect(await refusal(endpoint, [right])).not.toMatch(/^ERR410/);
    },
  );

  it('or another credential is asked for where anything changes, but for what any site may call', () => {
    const fromAnySite = endpoints.filter((endpoint) => endpoint.fromAnySite === true);
    expect(fromAnySite.map(({ path, access, changesState }) => [path, access, changesState])).toEqual([
      ['/ocra/check_t', 'open', true],
      ['/validate/check', 'open', true],
      ['/validate/check_s', 'open', true],
      ['/validate/check_t', 'open', true],
      ['/validate/simplecheck', 'open', true],
      ['/validate/samlcheck', 'open', true],
      ['/validate/check_status', 'open', true],
    ]);
    const byCookieOfPrograms = endpoints.filter((endpoint) => endpoint.endsLogin === true);
    expect(byCookieOfPrograms.map(({ path }) => path)).toEqual(['/admin/logout']);
  });

  it('needs no right where none is declared', () => {
    expect(
      endpoints
        .filter(({ requires }) => !requires.includes(':'))
        .map(({ path, requires }) => [path, requires]),
    ).toEqual([
      ['/ocra/check_t', 'transaction'],
      ['/admin/getsession', 'password'],
      ['/admin/dropsession', 'credential'],
      ['/admin/login', 'password'],
      ['/admin/logout', 'credential'],
      ['/admin/sign-in/methods', 'nothing'],
      ['/admin/sign-in', 'password'],
      ['/admin/sign-in/finish', 'sign-in'],
      ['/admin/confirmation', 'credential'],
      ['/admin/confirmation/finish', 'credential'],
      ['/admin/passkeys', 'credential'],
      ['/admin/passkeys/options', 'credential'],
      ['/admin/passkeys/remove', 'credential'],
      ['/admin/sign-in/passkey-link', 'link'],
      ['/admin/sign-in/passkey', 'sign-in'],
      ['/self/sign-in', 'user-password'],
      ['/self/sign-in/finish', 'sign-in'],
      ['/self/sign-out', 'user-session'],
      ['/self/tokens', 'user-session'],
      ['/self/rename', 'user-session'],
      ['/self/lock', 'user-session'],
      ['/self/enrol', 'user-session'],
      ['/self/enrol/finish', 'user-session'],
      ['/self/enrol/cancel', 'user-session'],
      ['/admin/password', 'credential'],
      ['/admin/rights', 'credential'],
      ['/validate/check', 'nothing'],
      ['/validate/check_s', 'nothing'],
      ['/validate/check_t', 'transaction'],
      ['/validate/simplecheck', 'nothing'],
      ['/validate/samlcheck', 'nothing'],
      ['/validate/check_status', 'nothing'],
      ['/admin/helpdesk/search', 'credential'],
      ['/admin/installation/overview', 'credential'],
      ['/admin/installation/health', 'credential'],
      ['/maintenance/ok', 'nothing'],
      ['/maintenance/check_status', 'nothing'],
      ['/healthcheck/status', 'nothing'],
      ['/healthz', 'nothing'],
      ['/startupz', 'nothing'],
      ['/readyz', 'nothing'],
      ['/docs/monitoring-post', 'nothing'],
    ]);
  });
});
