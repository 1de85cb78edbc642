import type { Express } from 'express';
import type { Caller } from '../../../src/policy/caller.ts';
import { fakeAdministration } from '../fakes/administration-fakes.ts';
import type { Answer, FakeServices } from '../fakes/answer.ts';
import { fakeAudit } from '../fakes/audit-fakes.ts';
import { fakeAdministrators, fakeSignIns } from '../fakes/sign-in-fakes.ts';
import type { Configuration } from '../../../src/configuration/configuration.ts';
import type { AppConfig, AppDependencies } from '../../../src/http/served-endpoints.ts';
import { type Guards, UNGUARDED } from '../../../src/http/limits/guards.ts';
import type { AnswerCheck } from '../description/answer-check.ts';
import { createDescribedApp } from '../description/described-app.ts';
import type { Clock, Random } from '../../../src/kernel/clock.ts';
import { tokenValue } from '../values/token-values.ts';
import type { Log, LogFields } from '../../../src/kernel/log.ts';
import type { Services } from '../../../src/services.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const CHANGED = new Date('2026-11-20T11:59:59.123Z');

/** The credentials of the fake administrator. */
export const ADMIN = { name: 'admin', password: 'p:ä55 word' };
export const OTHER_ADMIN = { name: 'other', password: 'other' };
export const SESSION = 'c2Vzc2lvbi1vZi1hZG1pbg';
export const LOGIN = { token: 'a.login.token', csrfToken: '00112233-4455', session: 'session-of-the-login' };
export const API_TOKEN = `tk_${'A'.repeat(43)}`;
export const CHALLENGE_URL = 'lseqr://req?me=abc&u=&ch=abc0000&tr=0123&si=ff';

export interface LogLine {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: LogFields;
}

/** A call that reached the domain: its name and its arguments. */
export type DomainCall = readonly [name: string, ...args: unknown[]];

export interface TestApp {
  readonly app: Express;
  readonly calls: DomainCall[];
  readonly lines: LogLine[];
  /** The configuration's values. */
  readonly settings: Map<string, string>;
  /** Makes an operation of the domain fail from now on. */
  readonly fail: (name: string, error: Error) => void;
}

/** @returns the whole HTTP interface over a domain with constant answers, which records its calls */
export function createTestApp(
  config: Partial<AppConfig> = {},
  { ready, ...overrides }: FakeServices & Partial<Pick<AppDependencies, 'ready'>> = {},
  guards?: Partial<Guards>,
  check?: AnswerCheck,
): TestApp {
  const calls: DomainCall[] = [];
  const lines: LogLine[] = [];
  const settings = new Map<string, string>();
  const failures = new Map<string, Error>();
  const answer =
    <Value>(name: string, value: Value) =>
    (...args: unknown[]): Promise<Value> => {
      calls.push([name, ...args]);
      const failure = failures.get(name);
      return failure === undefined ? Promise.resolve(value) : Promise.reject(failure);
    };
  const dependencies: AppDependencies = {
    services: { ...fakeServices(answer, settings), ...overrides } as unknown as Services,
    ready: ready ?? answer('ready', true),
    config: {
      trustProxy: [],
      dialect: 'documented',
      serviceVersion: 'Tankeeper 1.2.3',
      monitoringPost: 'on',
      ...config,
    },
    guards: { ...UNGUARDED, ...guards },
    log: rememberingLog(lines),
    clock: fixedClock,
    random: countingRandom(),
  };
  const app = createDescribedApp(dependencies, check);
  return { app, calls, lines, settings, fail: (name, error) => failures.set(name, error) };
}

function fakeServices(answer: Answer, settings: ReadonlyMap<string, string>): FakeServices {
  return {
    ocra: {
      requestChallenge: answer('requestChallenge', {
        serial: 'OCRA1',
        transactionId: '0123456789abcdef0123',
        question: 'abc0000',
        data: '<b>"ä"</b>',
        url: CHALLENGE_URL,
        callbackUrl: '',
      }),
      checkTransaction: answer('checkTransaction', {
        known: true,
        dropped: false,
        failCount: 2,
        result: false,
      }),
      status: answer('status', [
        {
          id: '1',
          serial: 'OCRA1',
          transactionId: '0123456789abcdef0123',
          receivedTan: true,
          validTan: false,
          failCount: 2,
          issuedAt: NOW,
          expiresAt: NOW,
          active: true,
          locked: false,
          dropped: false,
        },
      ]),
      activationCode: answer('activationCode', 'GEZDGNBVGY3TQOJQ01'),
      calculateOtp: answer('calculateOtp', '00123456'),
    },
    statusWaits: {
      begin: answer('beginWait', () => Promise.resolve({ entries: [], end: 'over' as const })),
    },
    enrolment: {
      init: answer('init', {
        kind: 'phase1',
        serial: 'OCRA1',
        sharedSecret: 'ab'.repeat(20),
        appImport: 'lseqr://init?sh=ab&os=OCRA&se=OCRA1',
      }),
    },
    resynchronisation: { resync: answer('resync', true) },
    helpdesk: {
      search: { search: answer('search', { tokens: null, people: null, transactions: null }) },
      people: {
        person: answer('person', {
          login: 'ann',
          realm: 'staff',
          resolver: 'people',
          details: null,
          tokens: [],
          hasMore: false,
          transactions: null,
        }),
        token: answer('token', {
          token: {
            id: '1',
            ...tokenValue('OCRA1'),
            hasPin: false,
            isLocked: false,
            ownerRealm: null,
            createdAt: NOW,
            lastSuccessAt: null,
          },
          transactions: null,
        }),
      },
      tokenList: { page: answer('page', { tokens: [], next: null, total: 0 }) },
    },
    tokenImport: {
      load: answer('load', ['PSKC1', 'PSKC2']),
    },
    validation: {
      check: answer('check', true),
      checkTransaction: answer('checkTransaction', {
        token: { serial: 'OCRA1', type: 'ocra' },
        failCount: 0,
        result: true,
      }),
    },
    ...fakeAudit(answer),
    rights: {
      require: () => Promise.resolve(),
      held: answer('held', {
        rights: [{ scope: 'admin', action: 'show', realms: ['north'] }],
        realms: ['north'],
      }),
    },
    transactions: {
      history: answer('history', {
        transactionId: '0123456789abcdef0123',
        serial: 'OCRA1',
        realms: ['a'],
        isStored: true,
        data: null,
        isDataWithheld: true,
        more: 0,
        state: 'open',
        events: [
          {
            at: '2026-11-20T12:00:00.000000Z',
            event: 'issued',
            reason: '',
            action: 'ocra/request',
            actor: 'admin',
            client: '192.0.2.7',
            requestId: 'request-1',
            derived: false,
          },
        ],
      }),
    },
    monitoring: {
      tokens: answer('tokens', {
        realms: [{ realm: 'a', counts: [{ status: 'total', count: 3 }] }],
        summary: [{ status: 'total', count: 2 }],
      }),
      userinfo: answer('userinfo', { realms: [{ realm: 'a', resolvers: [{ resolver: 'r', users: 4 }] }] }),
      activeUsers: answer('activeUsers', {
        realms: [{ realm: 'a', resolvers: [{ resolver: 'r', users: 1 }] }],
        total: 1,
      }),
      config: answer('config', {
        sync: true,
        readAt: NOW,
        changedAt: CHANGED,
        now: NOW,
        total: 9,
        values: 4,
        resolvers: { managed: 1, passwd: 2, sql: 3, ldap: 4 },
        policies: 1,
        realms: 1,
      }),
      licence: answer('license', { kind: 'none' }),
      storageEncryption: answer('storageEncryption', true),
    },
    overview: {
      read: answer('overview', {
        tokens: null,
        activeUsers: null,
        users: null,
        licence: null,
        configuration: null,
        storageEncryption: null,
        resolvers: null,
        responses: null,
      }),
    },
    administrators: {
      authenticatePassword: (name, password) =>
        Promise.resolve(
          [ADMIN, OTHER_ADMIN].some((one) => one.name === name && one.password === password)
            ? { administrator: name, version: Buffer.from('1') }
            : undefined,
        ),
      recallPassword: () => undefined,
      findSession: (session) => Promise.resolve(session === SESSION ? ADMIN.name : undefined),
      authenticateApiToken: (token) =>
        Promise.resolve(
          token === API_TOKEN
            ? {
                name: 'probe',
                administrator: 'probe',
                rights: ['monitoring:*'],
                createdAt: NOW,
                expiresAt: null,
              }
            : undefined,
        ),
      openSession: answer('openSession', { session: SESSION, expiresAt: new Date('2026-11-20T13:00:00Z') }),
      closeSession: answer('closeSession', true),
      ...fakeAdministrators(answer),
    },
    logins: {
      login: (name, password) =>
        Promise.resolve(
          name === ADMIN.name && password === ADMIN.password
            ? { token: LOGIN.token, csrfToken: LOGIN.csrfToken, expiresAt: new Date('2026-11-20T13:00:00Z') }
            : undefined,
        ),
      logout: answer('logout', true),
      authenticate: (token) =>
        Promise.resolve(
          token === LOGIN.token
            ? { administrator: ADMIN.name, session: LOGIN.session, csrfToken: LOGIN.csrfToken }
            : undefined,
        ),
    },
    ...fakeAdministration(answer),
    ...fakeSignIns(answer),
    configuration: { current: () => Promise.resolve({ settings } as Configuration) },
  };
}

export const fixedClock: Clock = { now: () => NOW };

/** Returns bytes 00…, then 01…, then 02…: never the same twice. */
function countingRandom(): Random {
  let next = 0;
  return { bytes: (size) => Buffer.alloc(size, next++), below: () => 0 };
}

function rememberingLog(lines: LogLine[]): Log {
  const at =
    (level: keyof Log) =>
    (message: string, fields: LogFields = {}): void => {
      lines.push({ level, message, fields });
    };
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}

/** @returns the value of the header Authorization */
export function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`, 'utf8').toString('base64')}`;
}

/** The credentials of the administrator `admin`. */
export const AS_ADMIN = { Authorization: basic(ADMIN.name, ADMIN.password) };

/** @returns the caller that the domain received */
export function callerOf(call: DomainCall | undefined): Caller {
  return call?.[1] as Caller;
}
