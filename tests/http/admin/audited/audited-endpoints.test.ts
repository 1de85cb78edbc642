import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import request, { type Response } from 'supertest';
import type { Endpoint } from '../../../../src/http/endpoint-spec.ts';
import { OPERATION_GROUPS } from '../../../../src/operations/operations.ts';
import { type Act, type ActRequest, LOOKS_FOR_ALL, QUESTIONS, type RequestValues } from './audited-act.ts';
import {
  auditedAdministrators,
  auditedAudit,
  auditedConfiguration,
  auditedInstallation,
  auditedTokens,
} from './audited-operations.ts';
import { auditedSelfService } from './audited-self-service.ts';
import { auditedSignIns, ORIGIN, PASSWORD } from './audited-sign-ins.ts';
import { hashOfAllTables, withoutAudit } from './audited-tables.ts';
import { CookieRequests } from './cookie-requests.ts';
import { basic } from '../../../support/values/callers.ts';
import { container, ocraPackage } from '../../../support/values/pskc-documents.ts';
import { OPERATOR, TestApplication } from '../../../support/application/test-application.ts';
import { ACTS as OFFERED_ACTS } from '../../../../src/audit/acts.ts';
import { declaredEndpoints } from '../../../support/description/declared-endpoints.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const KEY = Buffer.from('12345678901234567890123456789012', 'ascii');
const BASIC = basic('admin', PASSWORD);

let application: TestApplication;
/** One connection for all looks at the database: a new one takes a tenth of a second. */
let observer: pg.Client;
beforeAll(async () => {
  application = await TestApplication.open({ publicUrl: ORIGIN });
  await application.addRealm('north', ['ann']);
  await application.services.resolvers.set(OPERATOR, { name: 'spare', kind: 'managed', settings: {} });
  await application.services.webhooks.add(OPERATOR, { name: 'kept', url: 'https://siem.example.com/' });
  await application.services.policies.set(OPERATOR, {
    name: 'kept',
    scope: 'authentication',
    action: 'otppin=0',
    realm: 'nowhere',
  });
  observer = new pg.Client({ connectionString: application.databaseUrl });
  await observer.connect();
});
afterAll(async () => {
  await observer.end();
  await application.close();
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
  async (): Promise<ActRequest> => ({ values: { serial: await make(), ...more } });

async function challenge(): Promise<{ readonly serial: string; readonly transactionid: string }> {
  const serial = await token();
  return { serial, transactionid: (await application.challenge(serial)).transactionid };
}

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
  await application.services.resolvers.set(OPERATOR, { name: resolver, kind: 'managed', settings: {} });
  return resolver;
}

const withValues = (value: RequestValues) => (): Promise<ActRequest> => Promise.resolve({ values: value });

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

/** Every endpoint that changes something, and what the audit says of it. */
const ACTS: Readonly<Record<string, Act>> = {
  '/admin/init': {
    prepare: () =>
      Promise.resolve({
        values: { type: 'ocra', serial: unused(), otpkey: KEY.toString('hex'), ocrasuite: SUITE },
      }),
    outcomes: ['created'],
  },
  '/admin/getsession': {
    prepare: () => Promise.resolve({ values: {}, headers: { Authorization: BASIC } }),
    outcomes: ['session opened'],
    isFree: true,
  },
  '/admin/dropsession': {
    prepare: () => session('/admin/getsession'),
    outcomes: ['session closed'],
    isFree: true,
  },
  '/admin/login': {
    prepare: () => Promise.resolve({ values: { username: 'admin', password: PASSWORD }, headers: {} }),
    outcomes: ['session opened'],
    isFree: true,
  },
  '/admin/logout': { prepare: () => session('/admin/login'), outcomes: ['session closed'], isFree: true },
  ...auditedSignIns({
    application: () => application,
    name: () => unused().toLowerCase(),
    token,
    suite: SUITE,
  }),
  ...auditedAdministrators({
    application: () => application,
    name: () => unused().toLowerCase(),
    suite: SUITE,
  }),
  ...auditedTokens({ token: () => token(), inRealm, assigned }),
  '/admin/resync': {
    prepare: about({ otp1: '1', otp2: '2', challenge1: '11111111', challenge2: '22222222' }),
    outcomes: ['refused'],
    action: 'token/resync',
    isIdle: true,
  },
  '/admin/loadtokens': {
    prepare: () => {
      const packages = [unused(), unused()].map((serial) => ocraPackage(serial, SUITE, KEY)).join('');
      return Promise.resolve({ values: { file: container({ packages }) } });
    },
    outcomes: ['created', 'created'],
    action: 'token/import',
  },
  '/admin/set': {
    prepare: about({ description: 'new' }),
    outcomes: ['changed description'],
    action: 'token/set',
  },
  '/admin/setPin': {
    prepare: about({ userpin: '42' }),
    outcomes: ['changed ocraPin'],
    action: 'token/set',
  },
  '/admin/copyTokenPin': {
    prepare: async () => {
      const from = unused();
      await application.enrolPlain(from, SUITE, { pin: '42' });
      return { values: { from, to: await token() } };
    },
    outcomes: ['copied pin', 'changed pin'],
    action: 'token/copy-pin',
  },
  '/admin/enable': { prepare: about(), outcomes: ['changed active'], action: 'token/enable', isIdle: true },
  '/admin/disable': { prepare: about(), outcomes: ['changed active'], action: 'token/disable' },
  '/admin/reset': { prepare: about(), outcomes: ['changed failCount'], action: 'token/reset', isIdle: true },
  '/admin/remove': { prepare: about(), outcomes: ['removed'], action: 'token/remove' },
  '/admin/assign': {
    prepare: about({ user: 'ann', realm: 'north' }, inRealm),
    outcomes: ['changed owner, realms'],
    action: 'token/assign',
  },
  '/admin/unassign': { prepare: about({}, assigned), outcomes: ['changed owner'], action: 'token/unassign' },
  '/admin/tokenrealm': {
    prepare: about({ realms: 'north' }),
    outcomes: ['changed realms'],
    action: 'token/tokenrealm',
  },
  '/system/setPolicy': {
    prepare: async () => ({
      values: {
        ...(await policy()),
        scope: 'authentication',
        action: 'otppin=2',
        realm: 'nowhere',
        user: '',
      },
    }),
    outcomes: ['stored'],
    action: 'policy/set',
  },
  '/system/importPolicy': {
    prepare: () => {
      const section = (): string =>
        `[${unused()}]\nscope = authentication\naction = otppin=2\nrealm = nowhere\n`;
      return Promise.resolve({ values: { file: section() + section() } });
    },
    outcomes: ['imported', 'imported'],
    action: 'policy/set',
  },
  '/system/delPolicy': {
    prepare: async () => ({ values: await policy() }),
    outcomes: ['removed'],
    action: 'policy/remove',
  },
  '/system/setResolver': {
    prepare: () => Promise.resolve({ values: { name: unused(), type: 'managed' } }),
    outcomes: ['created'],
    action: 'resolver/set',
  },
  '/system/delResolver': {
    prepare: async () => ({ values: { resolver: await spareResolver() } }),
    outcomes: ['removed'],
    action: 'resolver/remove',
  },
  ...auditedConfiguration({
    application: () => application,
    name: unused,
    policy,
    spareRealm,
    spareResolver,
  }),
  '/system/setRealm': {
    prepare: () => Promise.resolve({ values: { realm: unused(), resolvers: 'north' } }),
    outcomes: ['created'],
    action: 'realm/set',
  },
  '/system/delRealm': {
    prepare: async () => ({ values: { realm: await spareRealm() } }),
    outcomes: ['removed, from 0 tokens'],
    action: 'realm/remove',
  },
  '/system/setDefaultRealm': {
    prepare: withValues({ realm: 'north' }),
    outcomes: ['default realm'],
    action: 'realm/default',
  },
  '/system/setConfig': {
    prepare: withValues({ first: '1', second: '2' }),
    outcomes: ['stored', 'stored'],
    action: 'configuration/set',
  },
  '/system/setDefault': {
    prepare: withValues({ DefaultMaxFailCount: '9' }),
    outcomes: ['stored'],
    action: 'configuration/set',
  },
  '/system/delConfig': {
    prepare: async () => {
      const key = unused();
      await application.services.settings.set(OPERATOR, new Map([[key, 'x']]));
      return { values: { key } };
    },
    outcomes: ['removed'],
    action: 'configuration/remove',
  },
  ...auditedAudit(() => application),
  ...auditedInstallation({ application: () => application, name: () => unused().toLowerCase() }),
  '/ocra/request': { prepare: about({ data: '12345678' }), outcomes: ['issued'] },
  '/ocra/check_t': {
    prepare: async () => ({
      values: { transactionid: (await challenge()).transactionid, pass: '1' },
      headers: {},
    }),
    outcomes: ['wrong'],
    isOpen: true,
  },
  '/validate/check_t': {
    prepare: async () => ({
      values: { transactionid: (await challenge()).transactionid, pass: '1' },
      headers: {},
    }),
    outcomes: ['wrong'],
    isOpen: true,
  },
  '/validate/check': {
    prepare: async () => {
      const serial = await assigned();
      const { transactionid } = await application.challenge(serial);
      return { values: { user: 'ann', realm: 'north', pass: '1', transactionid }, headers: {} };
    },
    outcomes: ['wrong'],
    isOpen: true,
  },
  '/validate/samlcheck': {
    prepare: async () => {
      await application.challenge(await assigned());
      return { values: { user: 'ann', realm: 'north', pass: '1' }, headers: {} };
    },
    outcomes: ['wrong'],
    isOpen: true,
  },
  '/validate/check_status': {
    prepare: async () => {
      const { transactionid } = await application.challenge(await assigned());
      return { values: { user: 'ann', realm: 'north', pass: '1', transactionid }, headers: {} };
    },
    outcomes: ['wrong'],
    isOpen: true,
  },
  '/validate/simplecheck': {
    prepare: async () => {
      await application.challenge(await assigned());
      return { values: { user: 'ann', realm: 'north', pass: '1' }, headers: {} };
    },
    outcomes: ['wrong'],
    isOpen: true,
  },
  '/validate/check_s': {
    prepare: async () => ({ values: { serial: (await challenge()).serial, pass: '1' }, headers: {} }),
    outcomes: ['wrong'],
    isOpen: true,
  },
  ...auditedSelfService({ application: () => application, name: () => unused().toLowerCase(), suite: SUITE }),
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
  const { rows } = await observer.query<Row>(
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
  JSON.stringify((await observer.query((query ??= await hashOfAllTables(observer)))).rows);

describe('the endpoints of the service that change something', () => {
  it('are all tested here', () => {
    const changing = endpoints.filter(({ changesState }) => changesState).map(({ path }) => path);
    expect(changing.sort()).toEqual(Object.keys(ACTS).sort());
  });
});

const OPERATIONS = OPERATION_GROUPS.flatMap(({ operations }) => operations.map(({ name }) => name));

/** @returns the name of an operation, or the path */
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
    await withoutAudit(observer, async () => {
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

describe.each(LOOKS)('%s', (path) => {
  it('writes nothing, and one row where it is refused', async () => {
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
});

describe.each(LOOKS_FOR_ALL)('%s', (path) => {
  it('writes nothing', async () => {
    const headers = { Authorization: await apiToken('ocra:calcOTP') };
    for (const context of [{ values: {} }, { values: {}, headers }]) {
      const { response, rows } = await ask(path, context);
      expect(response.status).toBe(200);
      expect(rows).toEqual([]);
    }
  });
});
