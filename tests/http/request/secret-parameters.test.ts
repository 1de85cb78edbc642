import { describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import request from 'supertest';
import { z } from 'zod';
import { refuseUnknownPath } from '../../../src/http/unserved-paths.ts';
import { answerFailure } from '../../../src/http/answer-failure.ts';
import { openEndpoint } from '../../../src/http/endpoint-spec.ts';
import { createDialect } from '../../../src/http/dialects/dialects.ts';
import { serveEndpoint } from '../../../src/http/endpoint.ts';
import { htmlReply } from '../../../src/http/reply.ts';
import {
  beginExchange,
  type ExchangeRequest,
  type ExchangeResponse,
  type RequestContext,
} from '../../../src/http/request/exchange.ts';
import { optional, required, secret, withholdSecrets } from '../../../src/http/request/parameters.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { fuzzedEndpoints } from '../../campaigns/fuzz/fuzz-endpoints.ts';
import { UNGUARDED } from '../../support/application/unguarded.ts';
import { done } from '../../../src/http/answers.ts';

const SECRET = 'hunter2';

/** Every parameter of the interface that is a secret, by the endpoints that declare it. */
const SECRETS: Readonly<Record<string, readonly string[]>> = {
  '/ocra/check_t': ['pass', 'decline'],
  '/ocra/calculateOtp': ['sharedsecret', 'activationcode', 'nonce', 'ocrapin', 'init1', 'init2', 'no'],
  '/validate/check': ['pass'],
  '/validate/check_s': ['pass'],
  '/validate/check_t': ['pass'],
  '/validate/simplecheck': ['pass'],
  '/validate/samlcheck': ['pass'],
  '/validate/check_status': ['pass'],
  '/admin/init': ['otpkey', 'activationcode', 'pin', 'ocrapin'],
  '/admin/login': ['password'],
  '/admin/sign-in': ['password'],
  '/admin/sign-in/finish': ['response', 'credential'],
  '/admin/sign-in/passkey': ['credential'],
  '/admin/sign-in/passkey-link': ['link'],
  '/self/sign-in': ['password'],
  '/self/sign-in/finish': ['response'],
  '/self/enrol/finish': ['response'],
  '/admin/confirmation': ['password'],
  '/admin/confirmation/finish': ['response', 'credential'],
  '/admin/password': ['password', 'new_password'],
  '/admin/admin/add': ['password'],
  '/admin/admin/password': ['password'],
  '/admin/resync': ['otp1', 'otp2'],
  '/admin/token/resync': ['otp1', 'otp2'],
  '/admin/token/set': ['pin', 'ocra_pin'],
  '/admin/loadtokens': ['file', 'pskc_password', 'pskc_preshared'],
  '/admin/set': ['pin', 'ocrapin'],
  '/admin/setPin': ['userpin', 'sopin'],
  '/admin/assign': ['pin'],
  '/system/setResolver': ['password', 'connect', 'bindpw'],
  '/system/testResolver': ['password', 'connect', 'bindpw'],
  '/admin/testresolver': ['password', 'connect', 'bindpw', 'ldap_password', 'sql_password', 'sql_connect'],
  '/system/importPolicy': ['file'],
  '/admin/user/add': ['password'],
  '/admin/user/password': ['password'],
};

/** An app with one endpoint, which fails where `fail` is given, and what reached the dialect and the endpoint. */
function appWith(): { app: Express; contexts: RequestContext[]; received: unknown[] } {
  const contexts: RequestContext[] = [];
  const received: unknown[] = [];
  const quiet = { error: ignore, warn: ignore, info: ignore, debug: ignore };
  const endpoint = openEndpoint(
    {
      path: '/thing',
      methods: ['GET', 'POST'],
      summary: '',
      requires: 'nothing',
      family: 'linotp2',
      usage: '',
      changesState: false,
      answers: done(),
      parameters: z.object({
        pass: secret(required('')),
        note: optional(''),
        fail: optional(''),
      }),
    },
    ({ parameters, context }) => {
      received.push(parameters);
      contexts.push(context);
      if (parameters.fail !== undefined) {
        throw new ServiceError('token.unknown', 'no');
      }
      return htmlReply('');
    },
  );
  const dialect = {
    errorCode: () => -311,
    failure: (_failure: unknown, context: RequestContext) => {
      contexts.push(context);
      return htmlReply('');
    },
  };
  const unused = (): Promise<undefined> => Promise.resolve(undefined);
  const app = express().disable('query parser');
  const begin = beginExchange({
    clock: systemClock,
    random: systemRandom,
    prefixOf: () => '',
    senderOf: () => ({ client: '::1', limitedAs: '::1' }),
  });
  const refusals = { note: () => Promise.resolve() };
  app.use((request: ExchangeRequest, response: ExchangeResponse, next) => {
    begin(request, response);
    next();
  });
  app.all(
    endpoint.path,
    serveEndpoint(endpoint, {
      credentials: {
        authenticatePassword: unused,
        recallPassword: () => undefined,
        findSession: unused,
        authenticateApiToken: unused,
      },
      logins: { authenticate: unused },
      limits: { bytes: 1000, parameters: 10 },
      guards: UNGUARDED,
      dialect: createDialect('documented', undefined),
      rights: { require: () => Promise.resolve() },
      refusals,
    }),
  );
  app.use(refuseUnknownPath(UNGUARDED));
  app.use(
    answerFailure({
      dialect,
      configuration: { current: () => Promise.reject(new Error('not needed')) },
      log: quiet,
      refusals,
      clock: systemClock,
    }),
  );
  return { app, contexts, received };
}

function ignore(): void {
  // Nothing is logged here.
}

const shown = (contexts: readonly RequestContext[]): string =>
  JSON.stringify(contexts.map(({ parameters, written }) => [[...parameters], [...written]]));

describe('secret parameters', () => {
  it('are declared as such by every endpoint that takes them', () => {
    const declared = fuzzedEndpoints('documented').flatMap(({ path, secrets }) =>
      secrets.length === 0 ? [] : [[path, [...secrets].sort()] as const],
    );
    expect(Object.fromEntries(declared)).toEqual(
      Object.fromEntries(Object.entries(SECRETS).map(([path, names]) => [path, [...names].sort()])),
    );
  });

  it.each([
    ['in the query string', (app: Express) => request(app).get(`/thing?PASS=${SECRET}&note=a`)],
    ['in a body', (app: Express) => request(app).post('/thing').type('form').send(`Pass=${SECRET}&note=a`)],
  ])('reach the endpoint and not its dialect: %s', async (_where, send) => {
    const { app, contexts, received } = appWith();
    await send(app);
    expect(received).toEqual([{ pass: SECRET, note: 'a' }]);
    expect(contexts.map(({ parameters }) => [...parameters])).toEqual([
      [
        ['pass', ''],
        ['note', 'a'],
      ],
    ]);
    expect(shown(contexts)).not.toContain(SECRET);
  });

  it.each([
    ['of the endpoint', `/thing?pass=${SECRET}&fail=1`],
    ['before the parameters are read', `/thing?pass=${SECRET}&${'x=1&'.repeat(20)}`],
    ['as nothing is at the path', `/nothing?pass=${SECRET}&id=7`],
  ])('do not reach the dialect with a failure %s', async (_what, url) => {
    const { app, contexts } = appWith();
    await request(app).get(url);
    expect(contexts.length).toBeGreaterThan(0);
    expect(shown(contexts)).not.toContain(SECRET);
  });

  it('are credentials at every endpoint, and keep their names in their places', () => {
    const all = new Map([
      ['user', 'ann'],
      ['session', SECRET],
      ['csrf_token', SECRET],
      ['serial', 'A1'],
    ]);
    const { parameters, written } = withholdSecrets({ parameters: all, written: all }, new Set());
    const withheld = [
      ['user', 'ann'],
      ['session', ''],
      ['csrf_token', ''],
      ['serial', 'A1'],
    ];
    expect([...parameters]).toEqual(withheld);
    expect([...written]).toEqual(withheld);
  });
});
