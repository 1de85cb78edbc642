import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { metricsListener } from '../../../src/http/serving/metrics-listener.ts';
import { OPERATOR, TestApplication, wrongResponse } from '../../support/application/test-application.ts';
import type { Readiness } from '../../../src/http/controllers/operations-controller.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

let application: TestApplication;

beforeAll(async () => {
  application = await TestApplication.open();
});

afterAll(() => application.close());

async function tokenWith(rights: readonly string[]): Promise<string> {
  const { administrators } = application.services;
  const name = `t${rights.join().replace(/\W/g, '-')}`;
  const { token } = await administrators.addApiToken(OPERATOR, 'admin', { name, rights });
  return `Bearer ${token}`;
}

async function text(): Promise<string> {
  return (await application.asAdmin('/metrics', {}, 'get')).text;
}

describe('/metrics on the main port', () => {
  it.each([['monitoring:metrics'], ['monitoring:*'], ['*']])('is open to a token of %s', async (right) => {
    const response = await application
      .send('/metrics', {}, 'get')
      .set('Authorization', await tokenWith([right]));
    expect(response.status).toBe(200);
    expect(response.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(response.text).toContain('# TYPE tankeeper_http_requests_total counter');
  });

  it('is closed to every other client', async () => {
    expect((await application.send('/metrics', {}, 'get')).status).toBe(401);
    const other = await application
      .send('/metrics', {}, 'get')
      .set('Authorization', await tokenWith(['ocra:request']));
    expect(other.body).toHaveProperty('result.error.code', 410);
    expect(other.text).not.toContain('tankeeper_http');
  });
});

describe('/metrics for a right that policies bind to realms', () => {
  let bound: TestApplication;
  let bearer: string;

  const shown = async (): Promise<string> =>
    (await bound.send('/metrics', {}, 'get').set('Authorization', bearer)).text;

  async function policy(realm: string, active = true): Promise<void> {
    await bound.services.policies.set(OPERATOR, {
      name: 'probes',
      scope: 'monitoring',
      action: 'metrics',
      user: 'probe',
      realm,
      client: '',
      time: '',
      active,
    });
  }

  beforeAll(async () => {
    bound = await TestApplication.open();
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
    const { administrators } = bound.services;
    await administrators.add(OPERATOR, 'probe', 'the password of the probe');
    const draft = { name: 'probe', rights: ['monitoring:metrics'] };
    bearer = `Bearer ${(await administrators.addApiToken(OPERATOR, 'probe', draft)).token}`;
  });
  afterAll(() => bound.close());

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

describe('/healthz', () => {
  it('answers without a query to the database', async () => {
    const statements = await application.statementsOf(async () => {
      const response = await request(application.app).get('/healthz');
      expect(response.status).toBe(200);
      expect(response.text).toBe('{"status":"ok"}');
    });
    expect(statements).toEqual([]);
  });
});

describe('/readyz', () => {
  it.each<[state: Readiness, readiness: () => Promise<Readiness>, status: number]>([
    ['ready', () => Promise.resolve('ready'), 200],
    ['unavailable', () => Promise.resolve('unavailable'), 503],
    ['unavailable', () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1')), 503],
    ['stopping', () => Promise.resolve('stopping'), 503],
  ])('says %s, as the paths of LinOTP do in their form', async (state, readiness, status) => {
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
});
