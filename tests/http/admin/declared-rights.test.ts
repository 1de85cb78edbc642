import { beforeAll, describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { errorOf } from '../../support/application/browser.ts';
import {
  applicationOfTests,
  BoundedAdministrators,
  OPERATOR,
  type Result,
} from '../../support/application/test-application.ts';
import { declaredEndpoints } from '../../support/description/declared-endpoints.ts';
import { callerNamed } from '../../support/values/callers.ts';

const endpoints = declaredEndpoints();
/** It takes two. */
const OTHER = '/admin/policy/explain-refusal';
const withRight = endpoints.filter(({ path, requires }) => requires.includes(':') && path !== OTHER);
const rights = [...new Set(withRight.map(({ requires }) => requires))];

let tokens = 0;
const application = applicationOfTests();

/** @returns the message of the error that the endpoint answers to an API token with those rights; empty: none */
async function refusal(endpoint: (typeof endpoints)[number], held: readonly string[]): Promise<string> {
  tokens += 1;
  const token = await application.apiToken(`probe ${tokens}`, held);
  const given = Object.entries(endpoint.parameters.shape)
    .filter(([, schema]) => !(schema as z.ZodType).safeParse(undefined).success)
    .map(([parameter]) => [parameter, 'x']);
  const parameters = Object.fromEntries(given) as Record<string, string>;
  const answer = await application
    .send(endpoint.path, parameters, endpoint.methods.includes('POST') ? 'post' : 'get')
    .set('Authorization', `Bearer ${token}`);
  return errorOf(answer) ?? '';
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
      ['/admin/passkey/list', 'credential'],
      ['/admin/passkey/options', 'credential'],
      ['/admin/passkey/remove', 'credential'],
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
      ['/self/enrol/prove', 'user-session'],
      ['/self/enrol/cancel', 'user-session'],
      ['/admin/password', 'credential'],
      ['/admin/rights', 'credential'],
      ['/validate/check', 'nothing'],
      ['/validate/check_s', 'nothing'],
      ['/validate/check_t', 'transaction'],
      ['/validate/simplecheck', 'nothing'],
      ['/validate/samlcheck', 'nothing'],
      ['/validate/check_status', 'nothing'],
      ['/admin/session/list', 'credential'],
      ['/admin/session/end', 'credential'],
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

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

beforeAll(async () => {
  await application.addRealm('bank', ['ann']);
  await application.addRealm('shop');
  await application.enrolPlain('A1', SUITE, { user: 'ann', realm: 'bank' });
  await application.enrolPlain('A2', SUITE);
  await application.services.tokens.setRealms(OPERATOR, { serial: 'A2', realms: ['shop'] });
});

const ask = (act: string, given: Record<string, string> = {}): Promise<Result> =>
  application.ask(`/admin/token/${act}`, given);

const listed = async (given: Readonly<Record<string, string>> = {}): Promise<readonly string[]> =>
  ((await ask('list', given)).value as { tokens: { serial: string }[] }).tokens.map(({ serial }) => serial);

describe('the operations on tokens over HTTP', () => {
  it('list by filters, and show all but secrets', async () => {
    expect(await listed()).toEqual(['A1', 'A2']);
    expect(await listed({ user: 'ann@bank' })).toEqual(['A1']);
    expect(await listed({ realm: 'shop', status: 'unassigned' })).toEqual(['A2']);
    expect(await listed({ limit: '1', cursor: 'A1' })).toEqual(['A2']);
    const { value } = await ask('show', { serial: 'A1' });
    expect(value).toMatchObject({
      serial: 'A1',
      owner: { login: 'ann' },
      realms: ['bank'],
      state: 'active',
      counter: '0',
    });
    expect(JSON.stringify(value)).not.toMatch(/seed|secret|"id"|resolver_id/);
  });

  it('change several tokens, one after the other, as far as the first that cannot be', async () => {
    expect(await ask('disable', { serials: 'A1, A2' })).toMatchObject({ value: 2 });
    expect(await listed({ status: 'inactive' })).toEqual(['A1', 'A2']);
    const refused = await ask('enable', { serials: 'A1,NONE,A2' });
    expect(refused.error?.message).toContain("'NONE'");
    expect(await listed({ status: 'inactive' })).toEqual(['A2']);
    expect(await ask('enable', { serials: 'A2' })).toMatchObject({ value: 1 });
  });

  it('do not foretell, as what would follow is about tokens and owners in any realm', async () => {
    for (const act of ['disable', 'remove', 'realms', 'set']) {
      const answer = await application.asAdmin(`/admin/token/${act}/consequences`, {
        serials: 'A1',
        serial: 'A1',
      });
      expect(answer.status).toBe(404);
    }
  });

  it.each([
    ['remove', { serials: '' }, "Missing parameter 'serials'"],
    ['remove', { serials: ' , ' }, "Missing parameter 'serials'"],
    ['list', { names: 'yes' }, "'names' is not valid: it must be 1 or 0"],
    ['list', { status: 'active,inactive' }, 'it must be a list of active or inactive'],
    ['set', { serial: 'A1', max_fail: '0' }, 'a whole number from 1 to 1000000'],
  ])('%s refuses %j in words, and changes nothing', async (act, given, words) => {
    expect((await ask(act, given)).error?.message).toContain(words);
    expect(await listed()).toEqual(['A1', 'A2']);
  });

  it('show and change for an administrator of one realm its tokens alone, and show no other realm of theirs', async () => {
    const administrators = await BoundedAdministrators.of(application);
    const acts = ['enable', 'disable', 'reset', 'unassign', 'remove'];
    await administrators.add('clerk', `show, ${acts.join(', ')}`, 'bank');
    await application.services.tokens.setRealms(OPERATOR, { serial: 'A1', realms: ['bank', 'shop'] });
    const tokens = await administrators.ask('/admin/token/list', {}, 'clerk');
    expect(tokens.value).toMatchObject({ tokens: [{ serial: 'A1', realms: ['bank'] }] });
    const one = await administrators.ask('/admin/token/show', { serial: 'A1' }, 'clerk');
    expect(one.value).toMatchObject({ realms: ['bank'] });
    await application.enrolPlain('A4', SUITE);
    const rows = await application.auditRows({ limit: 1 });
    for (const serial of ['A2', 'A3', 'A4', '*', 'x'.repeat(5_000)]) {
      for (const act of ['show', ...acts]) {
        const name = act === 'show' ? 'serial' : 'serials';
        const hidden = await administrators.post('clerk', `/admin/token/${act}`, { [name]: serial });
        expect(errorOf(hidden)).toContain(`No token found with the serial '${serial.slice(0, 64)}'`);
      }
      // Over HTTP the transactions of the token are refused as well.
      const shown = application.services.tokens.show(callerNamed('clerk'), serial);
      await expect(shown).rejects.toMatchObject({ code: 'token.unknown' });
    }
    expect(await application.auditRows({ limit: 1 })).toEqual(rows);
    expect(await listed({ status: 'active' })).toEqual(['A1', 'A2', 'A4']);
  });
});
