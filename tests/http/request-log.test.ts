import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { Readiness } from '../../src/http/controllers/operations-controller.ts';
import { startServer } from '../../src/http/serving/server.ts';
import { openSession } from '../support/application/open-session.ts';
import {
  AS_ADMIN,
  type LogLine,
  OPERATOR,
  PASSWORD,
  TestApplication,
} from '../support/application/test-application.ts';
import { parseQrTanUrl } from '../../src/ocra/qrtan-url.ts';
import { type SilentServer, startSilentServer } from '../support/servers/silent-server.ts';

let opened: TestApplication;
beforeAll(async () => {
  opened = await TestApplication.open();
});
afterAll(() => opened.close());

function requestLines({ lines }: TestApplication): LogLine[] {
  return lines.filter(({ message }) => message === 'request');
}

describe('the log', () => {
  it('has one line a request: administrator, path and outcome', async () => {
    const server = opened.restarted();
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
    const server = opened.restarted();
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
    const server = opened.restarted();
    const { app } = server;
    await request(app).get('/monitoring/tokens');
    expect(requestLines(server)[0]?.fields).toMatchObject({
      status: 401,
      code: 'authentication.required',
      administrator: undefined,
    });
  });

  it('holds nothing of query, body, headers and unknown paths', async () => {
    const server = opened.restarted();
    const { app } = server;
    const secret = 'topsecret';
    const { session } = await openSession(opened.services.administrators, 'admin', PASSWORD);
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
    const server = opened.restarted({ readiness: () => Promise.resolve('unavailable') });
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
    const server = opened.restarted();
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
    let answer: (value: Readiness) => void = () => undefined;
    let context: () => void = () => undefined;
    const beingAsked = new Promise<void>((resolve) => (context = resolve));
    const readiness = (): Promise<Readiness> => {
      context();
      return new Promise((resolve) => (answer = resolve));
    };
    const application = opened.restarted({ readiness });
    const server = await startServer(application.app, { host: '127.0.0.1', port: 0 });
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
    await beingAsked;
    socket.destroy();
    expect(await server.close(5_000)).toBe(true);
    answer('ready');
    while (requestLines(application).length === 0) {
      await setImmediate();
    }
    expect(requestLines(application)[0]?.fields).toMatchObject({ path: '/readyz', aborted: true });
  });
});

const SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';

let listener: SilentServer;
let application: TestApplication;

beforeAll(async () => {
  listener = await startSilentServer();
  application = await TestApplication.open();
  await application.addRealm('bank', ['anna']);
});
afterAll(async () => {
  await application.close();
  await listener.stop();
});

it('opens no URL that a policy, a request or a header names', async () => {
  const url = `http://127.0.0.1:${listener.port}/callback`;
  await application.services.policies.set(OPERATOR, {
    name: 'url',
    scope: 'authentication',
    action: `qrtanurl=${url}`,
    realm: 'bank',
  });
  await application.enrolPlain('OUT1', SUITE, { user: 'anna', realm: 'bank' });
  const challenge = await application.challenge('OUT1', url);
  expect(parseQrTanUrl(challenge.url)).toMatchObject({ callbackUrl: url });
  const response = application.respond(SUITE, challenge.question);
  expect(await application.check(challenge.transactionid, response)).toMatchObject({ result: true });

  const everywhere = {
    url,
    Server: url,
    LDAPURI: url,
    resolver: url,
    fileName: url,
    callback: url,
    user: `anna@${url}`,
    realm: url,
    serial: url,
    data: url,
    file: url,
    qr: 'html',
  };
  for (const path of ['/ocra/request', '/ocra/checkstatus', '/monitoring/userinfo', '/system/getResolver']) {
    const { status } = await application
      .asAdmin(path, everywhere)
      .then((answer) => answer as { status: number });
    expect(status).toBeLessThan(500);
  }
  const { status } = await application
    .send('/ocra/check_t', { transactionid: url, pass: url })
    .set({ Referer: url, Origin: url, 'X-Forwarded-Host': `127.0.0.1:${listener.port}` });
  expect(status).toBeLessThan(500);
  expect(listener.connections()).toBe(0);
});
