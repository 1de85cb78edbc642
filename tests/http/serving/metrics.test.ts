import { beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import request from 'supertest';
import type { Readiness } from '../../../src/http/controllers/operations-controller.ts';
import { metricsListener } from '../../../src/http/serving/metrics-listener.ts';
import { startServer } from '../../../src/http/serving/server.ts';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import {
  applicationOfTests,
  openSession,
  AS_ADMIN,
  type LogLine,
  OPERATOR,
  PASSWORD,
  type TestApplication,
  wrongResponse,
} from '../../support/application/test-application.ts';
import { startSilentServer } from '../../support/servers/silent-server.ts';
import { deferred, until } from '../../support/values/until.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

const application = applicationOfTests();

async function text(): Promise<string> {
  return (await application.asAdmin('/metrics', {}, 'get')).text;
}

it.each([['monitoring:metrics'], ['monitoring:*'], ['*']])(
  '/metrics on the main port is open to a token of %s',
  async (right) => {
    const token = await application.apiToken(`t${right.replace(/\W/g, '-')}`, [right]);
    const response = await application.send('/metrics', {}, 'get').set('Authorization', `Bearer ${token}`);
    expect(response.status).toBe(200);
    expect(response.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(response.text).toContain('# TYPE tankeeper_http_requests_total counter');
  },
);

describe('/metrics for a right that policies bind to realms', () => {
  const bound = applicationOfTests();
  let bearer: string;

  const shown = async (): Promise<string> =>
    (await bound.send('/metrics', {}, 'get').set('Authorization', bearer)).text;

  async function policy(realm: string, active = true): Promise<void> {
    await bound.setPolicy('probes', 'monitoring', 'metrics', { user: 'probe', realm, active });
  }

  beforeAll(async () => {
    bound.metrics.measureProcess();
    bound.metrics.measureServer({ version: '1' });
    bound.metrics.measureInstallation(() => bound.services.installation.read());
    await bound.addRealm('bank');
    await bound.addRealm('shop');
    for (const [serial, realms] of [
      ['B1', 'bank'],
      ['B2', 'bank,shop'],
      ['S1', 'shop'],
    ] as const) {
      await bound.enrolPlain(serial, SUITE);
      await bound.asAdmin('/admin/tokenrealm', { serial, realms });
    }
    await bound.services.administrators.add(OPERATOR, 'probe', 'the password of the probe');
    bearer = `Bearer ${await bound.apiToken('probe', ['monitoring:metrics'], 'probe')}`;
  });

  it('shows the numbers of these realms, and no others', async () => {
    await policy('bank');
    expect((await shown()).split('\n')).toEqual([
      expect.stringMatching(/^# HELP tankeeper_realm_tokens /),
      '# TYPE tankeeper_realm_tokens gauge',
      'tankeeper_realm_tokens{realm="bank"} 2',
      expect.stringMatching(/^# HELP tankeeper_realm_locked_tokens /),
      '# TYPE tankeeper_realm_locked_tokens gauge',
      'tankeeper_realm_locked_tokens{realm="bank"} 0',
      '',
    ]);
  });

  it('shows nothing of all realms together, also where the policy names each of them', async () => {
    await policy('bank, shop');
    const series = (await shown()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(series).toEqual([
      'tankeeper_realm_tokens{realm="bank"} 2',
      'tankeeper_realm_tokens{realm="shop"} 2',
      'tankeeper_realm_locked_tokens{realm="bank"} 0',
      'tankeeper_realm_locked_tokens{realm="shop"} 0',
    ]);
    await policy('nowhere');
    expect(await shown()).toBe('');
  });

  it('shows everything again without the bound', async () => {
    await policy('*');
    const all = await shown();
    expect(all).toContain('tankeeper_http_requests_total{');
    expect(all).toContain('tankeeper_realm_tokens{realm="/:no realm:/"}');
    expect(all).toContain('tankeeper_start_time_seconds');
  });
});

describe('the metrics', () => {
  it("count requests by endpoint and class of status, and never by a client's text", async () => {
    await application.send('/healthz', {}, 'get');
    await application.send('/secret-4711', { password: 'secret-4712' }, 'get');
    await application.send('/admin/show', { serial: 'secret-4713' }, 'get');
    const shown = await text();
    expect(shown).toMatch(/^tankeeper_http_requests_total\{endpoint="\/healthz",status="2xx"\} 1$/m);
    expect(shown).toMatch(/^tankeeper_http_requests_total\{endpoint="\(unknown\)",status="4xx"\} 1$/m);
    expect(shown).toMatch(/^tankeeper_http_requests_total\{endpoint="\/admin\/show",status="4xx"\} 1$/m);
    expect(shown).toMatch(/^tankeeper_http_request_duration_seconds_count\{endpoint="\/healthz"\} 1$/m);
    expect(shown).not.toContain('secret');
  });

  it('count each deprecated POST on /monitoring, and no GET', async () => {
    await application.asAdmin('/monitoring/license', {}, 'get');
    await application.asAdmin('/monitoring/license', {}, 'post');
    await application.send('/monitoring/license', {}, 'post');
    expect(await text()).toMatch(
      /^tankeeper_monitoring_post_requests_total\{endpoint="\/monitoring\/license"\} 2$/m,
    );
  });
});

describe('the metrics of challenges', () => {
  it('count challenges, and responses by their reason, and locked tokens, also by realm', async () => {
    const before = await series();
    application.metrics.measureInstallation(() => application.services.installation.read());
    await application.addRealm('bank');
    await application.enrolPlain('T1', SUITE);
    await application.asAdmin('/admin/tokenrealm', { serial: 'T1', realms: 'bank' });
    await application.asAdmin('/admin/set', { serial: 'T1', MaxFailCount: '2' });
    const { transactionid, question } = await application.challenge('T1');
    const right = application.respond(SUITE, question);
    await application.check(transactionid, right);
    await application.check(transactionid, right);
    await application.check('ffffffff', right);
    const second = await application.challenge('T1');
    const wrong = wrongResponse(application.respond(SUITE, second.question, { counter: 1n }));
    for (let times = 0; times < 3; times += 1) {
      await application.check(second.transactionid, wrong);
    }
    const after = await series();
    const grown = (name: string): number => (after.get(name) ?? NaN) - (before.get(name) ?? 0);
    const responses = (outcome: string, reason: string): number =>
      grown(`tankeeper_responses_total{outcome="${outcome}",reason="${reason}"}`);
    expect(grown('tankeeper_challenges_issued_total')).toBe(2);
    expect(responses('accepted', 'accepted')).toBe(1);
    expect(responses('refused', 'closed')).toBe(1);
    expect(responses('refused', 'unknown')).toBe(1);
    expect(responses('refused', 'wrong')).toBe(2);
    expect(responses('refused', 'locked')).toBe(1);
    expect(grown('tankeeper_token_lockouts_total')).toBe(1);
    expect(after.get('tankeeper_database_up')).toBe(1);
    expect(after.get('tankeeper_open_challenges')).toBe(1);
    expect(after.get('tankeeper_locked_tokens')).toBe(1);
    expect(after.get('tankeeper_realm_tokens{realm="bank"}')).toBe(1);
    expect(after.get('tankeeper_realm_locked_tokens{realm="bank"}')).toBe(1);
    expect(after.get('tankeeper_realm_locked_tokens{realm="/:no realm:/"}')).toBe(0);
  });

  /** @returns all values by their series */
  async function series(): Promise<ReadonlyMap<string, number>> {
    const lines = (await application.metrics.text()).split('\n').filter((line) => !line.startsWith('#'));
    return new Map(
      lines.map((line): [string, number] => {
        const end = line.lastIndexOf(' ');
        return [line.slice(0, end), Number(line.slice(end + 1))];
      }),
    );
  }
});

describe('the port for metrics', () => {
  const nothing = (): void => undefined;
  const log = { error: nothing, warn: nothing, info: nothing, debug: nothing };

  it('answers GET and HEAD of /metrics to every client, and nothing else', async () => {
    const listener = metricsListener(application.metrics, log);
    const response = await request(listener).get('/metrics?x=1');
    expect(response.status).toBe(200);
    expect(response.text).toContain('tankeeper_http_requests_total');
    expect((await request(listener).head('/metrics')).status).toBe(200);
    expect((await request(listener).get('/monitoring/tokens')).status).toBe(404);
    const post = await request(listener).post('/metrics');
    expect(post.status).toBe(405);
    expect(post.get('Allow')).toBe('GET, HEAD');
  });

  it('says nothing of why it could not', async () => {
    const broken = { contentType: 'text/plain', text: () => Promise.reject(new Error('secret')) };
    const response = await request(metricsListener(broken, log)).get('/metrics');
    expect(response.status).toBe(500);
    expect(response.text).toBe('Internal server error\n');
  });
});

it('/healthz answers without a query to the database', async () => {
  const statements = await application.statementsOf(async () => {
    const response = await request(application.app).get('/healthz');
    expect(response.status).toBe(200);
    expect(response.text).toBe('{"status":"ok"}');
  });
  expect(statements).toEqual([]);
});

it.each<[state: Readiness, readiness: () => Promise<Readiness>, status: number]>([
  ['ready', () => Promise.resolve('ready'), 200],
  ['unavailable', () => Promise.resolve('unavailable'), 503],
  ['unavailable', () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1')), 503],
  ['stopping', () => Promise.resolve('stopping'), 503],
])('/readyz says %s, as the paths of LinOTP do in their form', async (state, readiness, status) => {
  const { app } = application.restarted({ readiness });
  const response = await request(app).get('/readyz');
  expect(response.status).toBe(status);
  expect(response.text).toBe(`{"status":"${state}"}`);
  expect(response.get('Retry-After')).toBe(status === 503 ? '5' : undefined);
  for (const path of ['/maintenance/check_status', '/healthcheck/status']) {
    const same = await request(app).get(path);
    expect([same.status, same.get('Retry-After')]).toEqual([status, response.get('Retry-After')]);
  }
  expect((await request(app).get('/maintenance/ok')).status).toBe(200);
});

function requestLines({ lines }: TestApplication): LogLine[] {
  return lines.filter(({ message }) => message === 'request');
}

describe('the log', () => {
  it('has one line a request: administrator, path and outcome', async () => {
    const server = application.restarted();
    const { app } = server;
    const response = await request(app).post('/ocra/getActivationCode?activationcode=x').set(AS_ADMIN);
    expect(requestLines(server)).toEqual([
      {
        level: 'info',
        message: 'request',
        fields: {
          requestId: response.get('X-Request-Id'),
          method: 'POST',
          path: '/ocra/getActivationCode',
          status: 200,
          code: undefined,
          durationMs: 0,
          client: '127.0.0.1',
          administrator: 'admin',
          aborted: undefined,
          transaction: undefined,
        },
      },
    ]);
  });

  it('names the transaction of a request, issued or given, also where it failed, and no other text', async () => {
    const server = application.restarted();
    await server.enrolPlain('LOG1', 'OCRA-1:HOTP-SHA256-8:C-QN08');
    const { transactionid } = await server.challenge('LOG1');
    await server.check(transactionid, '00000000');
    await server.send('/ocra/check_t', { transactionid: 'a password', pass: '1' });
    await server.send('/ocra/check_t', { transactionid });
    const named = requestLines(server).map(({ fields }) => fields.transaction);
    expect(named.slice(-4)).toEqual([transactionid, transactionid, undefined, transactionid]);
    expect(requestLines(server).at(-1)?.fields).toMatchObject({ code: 'parameter.missing' });
  });

  it('names the error that was answered', async () => {
    const server = application.restarted();
    const { app } = server;
    await request(app).get('/monitoring/tokens');
    const refused = { status: 401, code: 'authentication.required', administrator: undefined };
    expect(requestLines(server)[0]?.fields).toMatchObject(refused);
  });

  it('holds nothing of query, body, headers and unknown paths', async () => {
    const server = application.restarted();
    const { app } = server;
    const secret = 'topsecret';
    const { session } = await openSession(application.services.administrators, 'admin', PASSWORD);
    await request(app).get(`/ocra/check_t?pass=${secret}&transactionid=${secret}`);
    await request(app).post('/ocra/check_t').type('form').send(`pass=${secret}`);
    await request(app)
      .post('/ocra/check_t')
      .send({ pass: secret, [secret]: secret });
    await request(app).get(`/ocra/check_t/${secret}`);
    await request(app).get(`/${secret}?${secret}`);
    await request(app).get('/monitoring/tokens').set('Authorization', `Bearer ${secret}`);
    await request(app).get(`/monitoring/tokens?session=${secret}`).set('Cookie', `admin_session=${secret}`);
    await request(app).get(`/monitoring/tokens?session=${session}`).set('Cookie', `admin_session=${session}`);
    await request(app)
      .get('/healthz')
      .set({ 'X-Request-Id': `${secret} x`, 'User-Agent': secret, Referer: secret });
    await request(app).post('/ocra/check_t').type('json').send(`{"${secret}`);
    expect(requestLines(server)).toHaveLength(10);
    expect(JSON.stringify(server.lines)).not.toContain(secret);
    expect(JSON.stringify(server.lines)).not.toContain(session);
    expect(requestLines(server).map(({ fields }) => fields.path)).toContain('(unknown)');
  });

  it('keeps quiet about health checks that went well', async () => {
    const server = application.restarted({ readiness: () => Promise.resolve('unavailable') });
    const { app } = server;
    await request(app).get('/healthz');
    await request(app).get('/readyz');
    await request(app).put('/healthz');
    expect(requestLines(server).map(({ level, fields }) => [level, fields.path, fields.status])).toEqual([
      ['debug', '/healthz', 200],
      ['info', '/readyz', 503],
      ['info', '/healthz', 405],
    ]);
  });

  it('keeps quiet about an answer that the client has', async () => {
    const server = application.restarted();
    const { app } = server;
    const first = await request(app).get('/admin/installation/overview').set(AS_ADMIN);
    await request(app)
      .get('/admin/installation/overview')
      .set({ ...AS_ADMIN, 'If-None-Match': first.get('ETag') });
    expect(requestLines(server).map(({ level, fields }) => [level, fields.status])).toEqual([
      ['info', 200],
      ['debug', 304],
    ]);
  });

  it('records a client that disconnected before its answer', async () => {
    const [asked, answer] = [deferred<undefined>(), deferred<Readiness>()];
    const readiness = (): Promise<Readiness> => {
      asked.resolve(undefined);
      return answer.promise;
    };
    const slow = application.restarted({ readiness });
    const server = await startServer(slow.app, { host: '127.0.0.1', port: 0 });
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
    await asked.promise;
    socket.destroy();
    expect(await server.close(5_000)).toBe(true);
    answer.resolve('ready');
    await until(() => requestLines(slow).length > 0);
    expect(requestLines(slow)[0]?.fields).toMatchObject({ path: '/readyz', aborted: true });
  });
});

it('opens no URL that a policy, a request or a header names', async () => {
  const listener = await startSilentServer();
  await application.addRealm('outside', ['anna']);
  const url = `http://127.0.0.1:${listener.port}/callback`;
  await application.setPolicy('url', 'authentication', `qrtanurl=${url}`, { realm: 'outside' });
  await application.enrolPlain('OUT1', SUITE, { user: 'anna', realm: 'outside' });
  const challenge = await application.challenge('OUT1', url);
  expect(parseQrTanUrl(challenge.url)).toMatchObject({ callbackUrl: url });
  const response = application.respond(SUITE, challenge.question);
  expect(await application.check(challenge.transactionid, response)).toMatchObject({ result: true });

  const names = 'url Server LDAPURI resolver fileName callback realm serial data file'.split(' ');
  const named = Object.fromEntries(names.map((name) => [name, url]));
  for (const path of ['/ocra/request', '/ocra/checkstatus', '/monitoring/userinfo', '/system/getResolver']) {
    const answer = await application.asAdmin(path, { ...named, user: `anna@${url}`, qr: 'html' });
    expect(answer.status).toBeLessThan(500);
  }
  const { status } = await application
    .send('/ocra/check_t', { transactionid: url, pass: url })
    .set({ Referer: url, Origin: url, 'X-Forwarded-Host': `127.0.0.1:${listener.port}` });
  expect(status).toBeLessThan(500);
  expect(listener.connections()).toBe(0);
  await listener.stop();
});
