import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startServer } from '../../src/http/serving/server.ts';
import { AS_ADMIN, createTestApp, type LogLine, SESSION } from '../support/application/http-app.ts';

function requestLines(lines: readonly LogLine[]): LogLine[] {
  return lines.filter(({ message }) => message === 'request');
}

describe('the log', () => {
  it('has one line a request: administrator, path and outcome', async () => {
    const { app, lines } = createTestApp();
    const response = await request(app)
      .post('/ocra/request')
      .set(AS_ADMIN)
      .type('form')
      .send('serial=x&data=x');
    expect(lines).toEqual([
      {
        level: 'info',
        message: 'request',
        fields: {
          requestId: response.get('X-Request-Id'),
          method: 'POST',
          path: '/ocra/request',
          status: 200,
          code: undefined,
          durationMs: 0,
          client: '127.0.0.1',
          administrator: 'admin',
          aborted: undefined,
        },
      },
    ]);
  });

  it('names the error that was answered', async () => {
    const { app, lines } = createTestApp();
    await request(app).get('/monitoring/tokens');
    expect(lines[0]?.fields).toMatchObject({
      status: 401,
      code: 'authentication.required',
      administrator: undefined,
    });
  });

  it('holds nothing of query, body, headers and unknown paths', async () => {
    const { app, lines } = createTestApp();
    const secret = 'topsecret';
    await request(app).get(`/ocra/check_t?pass=${secret}&transactionid=${secret}`);
    await request(app).post('/ocra/check_t').type('form').send(`pass=${secret}`);
    await request(app)
      .post('/ocra/check_t')
      .send({ pass: secret, [secret]: secret });
    await request(app).get(`/ocra/check_t/${secret}`);
    await request(app).get(`/${secret}?${secret}`);
    await request(app).get('/monitoring/tokens').set('Authorization', `Bearer ${secret}`);
    await request(app).get(`/monitoring/tokens?session=${secret}`).set('Cookie', `admin_session=${secret}`);
    await request(app).get(`/monitoring/tokens?session=${SESSION}`).set('Cookie', `admin_session=${SESSION}`);
    await request(app)
      .get('/healthz')
      .set({ 'X-Request-Id': `${secret} x`, 'User-Agent': secret, Referer: secret });
    await request(app).post('/ocra/check_t').type('json').send(`{"${secret}`);
    expect(requestLines(lines)).toHaveLength(10);
    expect(JSON.stringify(lines)).not.toContain(secret);
    expect(JSON.stringify(lines)).not.toContain(SESSION);
    expect(lines.map(({ fields }) => fields.path)).toContain('(unknown)');
  });

  it('keeps quiet about health checks that went well', async () => {
    const { app, lines } = createTestApp({}, { ready: () => Promise.resolve(false) });
    await request(app).get('/healthz');
    await request(app).get('/readyz');
    await request(app).put('/healthz');
    expect(lines.map(({ level, fields }) => [level, fields.path, fields.status])).toEqual([
      ['debug', '/healthz', 200],
      ['info', '/readyz', 503],
      ['info', '/healthz', 405],
    ]);
  });

  it('keeps quiet about an answer that the client has', async () => {
    const { app, lines } = createTestApp();
    const first = await request(app).get('/admin/overview').set(AS_ADMIN);
    await request(app)
      .get('/admin/overview')
      .set({ ...AS_ADMIN, 'If-None-Match': first.get('ETag') });
    expect(lines.map(({ level, fields }) => [level, fields.status])).toEqual([
      ['info', 200],
      ['debug', 304],
    ]);
  });

  it('records a client that disconnected before its answer', async () => {
    let answer: (value: boolean) => void = () => undefined;
    let context: () => void = () => undefined;
    const beingAsked = new Promise<void>((resolve) => (context = resolve));
    const ready = (): Promise<boolean> => {
      context();
      return new Promise((resolve) => (answer = resolve));
    };
    const { app, lines } = createTestApp({}, { ready });
    const server = await startServer(app, { host: '127.0.0.1', port: 0 });
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
    await beingAsked;
    socket.destroy();
    expect(await server.close(5_000)).toBe(true);
    answer(true);
    while (lines.length === 0) {
      await setImmediate();
    }
    expect(lines[0]?.fields).toMatchObject({ path: '/readyz', aborted: true });
  });
});
