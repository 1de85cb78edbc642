import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import request, { type Response } from 'supertest';
import type { Endpoint } from '../../../../src/http/endpoint-spec.ts';
import { OPERATION_GROUPS } from '../../../../src/operations/operations.ts';
import {
  type Act,
  act,
  type ActRequest,
  free,
  LOOKS_FOR_ALL,
  QUESTIONS,
  type RequestValues,
} from './audited-act.ts';
import {
  auditedAdministrators,
  auditedAudit,
  auditedConfiguration,
  auditedInstallation,
  auditedTokens,
  storedKey,
} from './audited-operations.ts';
import { auditedSelfService } from './audited-self-service.ts';
import { auditedSignIns, ORIGIN, PASSWORD } from './audited-sign-ins.ts';
import { hashOfAllTables, withoutAudit } from './audited-tables.ts';
import { CookieRequests } from './cookie-requests.ts';
import { basic } from '../../../support/values/callers.ts';
import { container, ocraPackage } from '../../../support/values/pskc-documents.ts';
import { applicationOfTests, OPERATOR } from '../../../support/application/test-application.ts';
import { ACTS as OFFERED_ACTS } from '../../../../src/audit/acts.ts';
import { declaredEndpoints } from '../../../support/description/declared-endpoints.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const KEY = Buffer.from('12345678901234567890123456789012', 'ascii');
const BASIC = basic('admin', PASSWORD);

const application = applicationOfTests({ publicUrl: ORIGIN });
beforeAll(async () => {
  await application.addRealm('north', ['ann']);
  await application.setResolver('spare', 'managed');
  await application.services.webhooks.add(OPERATOR, { name: 'kept', url: 'https://siem.example.com/' });
  await application.setPolicy('kept', 'authentication', 'otppin=0', { realm: 'nowhere' });
});

let number = 0;
const unused = (): string => {
  number += 1;
  return `ACT${number}`;
};

async function token(): Promise<string> {
  const serial = unused();
  await application.enrolPlain(serial, SUITE);
  return serial;
}

const about =
  (more: RequestValues = {}, make = token) =>
  async (): Promise<RequestValues> => ({ serial: await make(), ...more });

const ANN = { user: 'ann', realm: 'north' };

/** @returns a wrong response to a new challenge of such a token, which is named so */
const challenged =
  (make: () => Promise<string>, name: 'serial' | 'transactionid' | undefined, more: RequestValues = {}) =>
  async (): Promise<RequestValues> => {
    const serial = await make();
    const { transactionid } = await application.challenge(serial);
    return { ...(name && { [name]: { serial, transactionid }[name] }), ...more, pass: '1' };
  };

/** A session of a browser: its cookies, and what goes with them. */
async function session(path: '/admin/login' | '/admin/getsession'): Promise<ActRequest> {
  const answer =
    path === '/admin/login'
      ? await request(application.app).post(path).type('form').send({ username: 'admin', password: PASSWORD })
      : await request(application.app).post(path).set('Authorization', BASIC);
  const cookies = (answer.get('Set-Cookie') ?? []).map((cookie) => cookie.split(';')[0] ?? '');
  const value = (name: string): string =>
    cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  return {
    values: path === '/admin/login' ? {} : { session: value('admin_session') },
    headers: { Cookie: cookies.join('; '), 'X-CSRF-TOKEN': value('csrf_access_token') },
  };
}

async function policy(): Promise<RequestValues> {
  const name = unused();
  const value = { scope: 'authentication', action: 'otppin=0', user: '', client: '', time: '' };
  await application.asAdmin('/system/setPolicy', { name, realm: 'nowhere', ...value });
  return { name };
}

async function spareRealm(): Promise<string> {
  const name = unused().toLowerCase();
  await application.services.realms.set(OPERATOR, { name, resolvers: ['north'] });
  return name;
}

async function spareResolver(): Promise<string> {
  const resolver = unused().toLowerCase();
  await application.setResolver(resolver, 'managed');
  return resolver;
}

async function inRealm(): Promise<string> {
  const serial = await token();
  await application.asAdmin('/admin/tokenrealm', { serial, realms: 'north' });
  return serial;
}

async function assigned(): Promise<string> {
  const serial = await inRealm();
  await application.asAdmin('/admin/assign', { serial, user: 'ann', realm: 'north' });
  return serial;
}

/** As anybody sends it, with a wrong response. */
const OPEN = { headers: {}, isOpen: true } as const;
const POLICY = { scope: 'authentication', action: 'otppin=2', realm: 'nowhere' };
const RESYNC = { otp1: '1', otp2: '2', challenge1: '11111111', challenge2: '22222222' };
const parts = {
  application: () => application,
  name: () => unused().toLowerCase(),
  token,
  suite: SUITE,
  inRealm,
  assigned,
  policy,
  spareRealm,
  spareResolver,
};

/** Every endpoint that changes something, and what the audit says of it. */
const ACTS: Readonly<Record<string, Act>> = {
  '/admin/init': act(
    () => ({ type: 'ocra', serial: unused(), otpkey: KEY.toString('hex'), ocrasuite: SUITE }),
    'created',
  ),
  '/admin/getsession': act(() => ({}), 'session opened', { headers: { Authorization: BASIC }, isFree: true }),
  '/admin/dropsession': free(() => session('/admin/getsession'), 'session closed'),
  '/admin/login': act(() => ({ username: 'admin', password: PASSWORD }), 'session opened', {
    headers: {},
    isFree: true,
  }),
  '/admin/logout': free(() => session('/admin/login'), 'session closed'),
  ...auditedSignIns(parts),
  ...auditedAdministrators(parts),
  ...auditedTokens(parts),
  '/admin/resync': act(about(RESYNC), 'refused', { action: 'token/resync', isIdle: true }),
  '/admin/loadtokens': act(
    () => {
      const packages = [unused(), unused()].map((serial) => ocraPackage(serial, SUITE, KEY)).join('');
      return { file: container({ packages }) };
    },
    ['created', 'created'],
    { action: 'token/import' },
  ),
  '/admin/set': act(about({ description: 'new' }), 'changed description', { action: 'token/set' }),
  '/admin/setPin': act(about({ userpin: '42' }), 'changed ocraPin', { action: 'token/set' }),
  '/admin/copyTokenPin': act(
    async () => {
      const from = unused();
      await application.enrolPlain(from, SUITE, { pin: '42' });
      return { from, to: await token() };
    },
    ['copied pin', 'changed pin'],
    { action: 'token/copy-pin' },
  ),
  '/admin/enable': act(about(), 'changed active', { action: 'token/enable', isIdle: true }),
  '/admin/disable': act(about(), 'changed active', { action: 'token/disable' }),
  '/admin/reset': act(about(), 'changed failCount', { action: 'token/reset', isIdle: true }),
  '/admin/remove': act(about(), 'removed', { action: 'token/remove' }),
  '/admin/assign': act(about(ANN, inRealm), 'changed owner, realms', { action: 'token/assign' }),
  '/admin/unassign': act(about({}, assigned), 'changed owner', { action: 'token/unassign' }),
  '/admin/tokenrealm': act(about({ realms: 'north' }), 'changed realms', { action: 'token/tokenrealm' }),
  '/system/setPolicy': act(async () => ({ ...(await policy()), ...POLICY, user: '' }), 'stored', {
    action: 'policy/set',
  }),
  '/system/importPolicy': act(
    () => {
      const section = (): string =>
        `[${unused()}]\nscope = authentication\naction = otppin=2\nrealm = nowhere\n`;
      return { file: section() + section() };
    },
    ['imported', 'imported'],
    { action: 'policy/set' },
  ),
  '/system/delPolicy': act(policy, 'removed', { action: 'policy/remove' }),
  '/system/setResolver': act(() => ({ name: unused(), type: 'managed' }), 'created', {
    action: 'resolver/set',
  }),
  '/system/delResolver': act(async () => ({ resolver: await spareResolver() }), 'removed', {
    action: 'resolver/remove',
  }),
  ...auditedConfiguration(parts),
  '/system/setRealm': act(() => ({ realm: unused(), resolvers: 'north' }), 'created', {
    action: 'realm/set',
  }),
  '/system/delRealm': act(async () => ({ realm: await spareRealm() }), 'removed, from 0 tokens', {
    action: 'realm/remove',
  }),
  '/system/setDefaultRealm': act(() => ({ realm: 'north' }), 'default realm', { action: 'realm/default' }),
  '/system/setConfig': act(() => ({ first: '1', second: '2' }), ['stored', 'stored'], {
    action: 'configuration/set',
  }),
  '/system/setDefault': act(() => ({ DefaultMaxFailCount: '9' }), 'stored', { action: 'configuration/set' }),
  '/system/delConfig': act(() => storedKey(parts), 'removed', { action: 'configuration/remove' }),
  ...auditedAudit(parts),
  ...auditedInstallation(parts),
  '/ocra/request': act(about({ data: '12345678' }), 'issued'),
  '/ocra/check_t': act(challenged(token, 'transactionid'), 'wrong', OPEN),
  '/validate/check_t': act(challenged(token, 'transactionid'), 'wrong', OPEN),
  '/validate/check': act(challenged(assigned, 'transactionid', ANN), 'wrong', OPEN),
  '/validate/samlcheck': act(challenged(assigned, undefined, ANN), 'wrong', OPEN),
  '/validate/check_status': act(challenged(assigned, 'transactionid', ANN), 'wrong', OPEN),
  '/validate/simplecheck': act(challenged(assigned, undefined, ANN), 'wrong', OPEN),
  '/validate/check_s': act(challenged(token, 'serial'), 'wrong', OPEN),
  ...auditedSelfService(parts),
};

const endpoints = declaredEndpoints();
/** Those that only look, and take a right. */
const LOOKS = endpoints
  .filter(({ access, changesState }) => access === 'administrator' && !changesState)
  .map(({ path }) => path)
  // It takes a refusal: see policies.test.ts.
  .filter((path) => !LOOKS_FOR_ALL.includes(path) && path !== '/admin/policy/explain-refusal');

function endpointOf(path: string): Endpoint {
  const found = endpoints.find((endpoint) => endpoint.path === path);
  if (found === undefined) {
    throw new Error(`There is no endpoint ${path}`);
  }
  return found;
}
const methodOf = (path: string): 'get' | 'post' =>
  endpointOf(path).methods.includes('POST') ? 'post' : 'get';

type Row = Readonly<Record<'actor' | 'action' | 'client' | 'outcome', string>>;

/** A request, with its rows of the audit. */
async function ask(
  path: string,
  { values: parameters, headers }: ActRequest,
): Promise<{ readonly response: Response; readonly rows: readonly Row[] }> {
  // One minute is what refusals are counted by.
  application.clock.advance(61);
  const requestId = randomBytes(16).toString('hex');
  const own = headers ?? { Authorization: await administrator() };
  const response = await application
    .send(path, { ...parameters }, methodOf(path))
    .set({ ...own, 'X-Request-Id': requestId });
  const rows = await application.rows<Row>(
    'SELECT actor, action, client, outcome FROM audit WHERE request_id = $1 ORDER BY id',
    [requestId],
  );
  return { response, rows };
}

const tokens = new Map<string, string>();
async function apiToken(...rights: readonly string[]): Promise<string> {
  const name = rights.join(' ');
  const known = tokens.get(name);
  if (known !== undefined) {
    return known;
  }
  const draft = { name: unused(), rights: [...rights] };
  const made = await application.services.administrators.addApiToken(OPERATOR, 'admin', draft);
  tokens.set(name, `Bearer ${made.token}`);
  return `Bearer ${made.token}`;
}
const administrator = (): Promise<string> => apiToken('*');

let query: string | undefined;
const state = async (): Promise<string> =>
  JSON.stringify(await application.rows((query ??= await hashOfAllTables(application.rows))));

it('the endpoints of the service that change something are all tested here', () => {
  const changing = endpoints.filter(({ changesState }) => changesState).map(({ path }) => path);
  expect(changing.sort()).toEqual(Object.keys(ACTS).sort());
});

const OPERATIONS = OPERATION_GROUPS.flatMap(({ operations }) => operations.map(({ name }) => name));

function usualAction(path: string): string {
  const operation = OPERATIONS.find((name) => path === `/admin/${name.replace(' ', '/')}`);
  return operation?.replace(' ', '/') ?? path.slice(1);
}

const REFUSED: unknown = expect.stringMatching(/^refused: no right (?:\*|\w+:\w+) in the API token$/);

describe.each(Object.entries(ACTS))('%s', (path, act) => {
  const { prepare, outcomes, action, isOpen, isFree, isIdle } = act;

  it('writes one row for each act, with actor, action, client and request id', async () => {
    const asked = await prepare();
    const { response, rows } = await ask(path, asked);
    expect(response.status).toBe(200);
    // Those that the search of the audit offers.
    expect(rows.filter(({ action: written }) => !OFFERED_ACTS.includes(written))).toEqual([]);
    expect(rows).toEqual(
      outcomes.map((outcome, place) => ({
        outcome,
        action: (typeof action === 'object' ? action[place] : action) ?? usualAction(path),
        client: '127.0.0.1',
        actor: asked.actor ?? (isOpen === true ? '' : 'admin'),
      })),
    );
  });

  it('does nothing where the row cannot be written', async () => {
    const context = await prepare();
    await administrator();
    const before = await state();
    await withoutAudit(application.rows, async () => {
      const { response, rows } = await ask(path, context);
      expect(response.status).toBe(500);
      expect(rows).toEqual([]);
      expect(await state()).toBe(before);
    });
    // And it was the row alone that was wanting.
    expect((await ask(path, context)).response.status).toBe(200);
    expect((await state()) === before).toBe(isIdle === true);
  });

  if (endpointOf(path).access === 'administrator') {
    it('changes nothing by a cookie alone, nor by a link, and does by what repeats the cookie', async () => {
      const requests = await CookieRequests.of(application, endpointOf(path), await prepare());
      const before = await state();
      for (const status of await requests.forged()) {
        expect([401, 403, 405]).toContain(status);
      }
      expect(await state()).toBe(before);
      expect(await requests.repeating()).toBe(200);
      expect((await state()) === before).toBe(isIdle === true);
    });
  }

  if (isOpen !== true && isFree !== true) {
    it('writes one row where it is refused for want of a right', async () => {
      const { values: parameters } = await prepare();
      const context = { values: parameters, headers: { Authorization: await apiToken('ocra:calcOTP') } };
      const before = await state();
      const { rows } = await ask(path, context);
      expect(rows).toMatchObject([
        { outcome: REFUSED, actor: 'admin', action: path.slice(1), client: '127.0.0.1' },
      ]);
      expect(await state()).toBe(before);
    });
  }
});

it.each(LOOKS)('%s writes nothing, and one row where it is refused', async (path) => {
  // What would follow from an act is asked with the parameters of the act, without its secret.
  const act = ACTS[path.replace(/\/consequences$/, '')];
  const values = (await act?.prepare())?.values ?? QUESTIONS[path] ?? {};
  const parameters = Object.fromEntries(Object.entries(values).filter(([name]) => name !== 'password'));
  const { response, rows } = await ask(path, { values: parameters });
  expect(response.status).toBe(200);
  expect(rows).toEqual([]);
  const other = path === '/ocra/calculateOtp' ? 'ocra:request' : 'ocra:calcOTP';
  const headers = { Authorization: await apiToken(other) };
  const refused = await ask(path, { values: parameters, headers });
  expect(refused.rows).toMatchObject([{ outcome: REFUSED, actor: 'admin' }]);
});

it.each(LOOKS_FOR_ALL)('%s writes nothing', async (path) => {
  const headers = { Authorization: await apiToken('ocra:calcOTP') };
  for (const context of [{ values: {} }, { values: {}, headers }]) {
    const { response, rows } = await ask(path, context);
    expect(response.status).toBe(200);
    expect(rows).toEqual([]);
  }
});
