import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createTestApp } from '../../support/application/http-app.ts';

const away = { configuration: { current: () => Promise.reject(new Error('database away')) } };

describe('/healthz', () => {
  it('answers without a query to the database', async () => {
    const { app, calls } = createTestApp({}, away);
    const response = await request(app).get('/healthz');
    expect(response.status).toBe(200);
    expect(response.text).toBe('{"status":"ok"}');
    expect(calls).toEqual([]);
  });
});

describe('/readyz', () => {
  it.each([
    ['ready', () => Promise.resolve(true), 200],
    ['unavailable', () => Promise.resolve(false), 503],
    ['unavailable', () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1')), 503],
  ])('says %s', async (state, ready, status) => {
    const response = await request(createTestApp({}, { ready }).app).get('/readyz');
    expect(response.status).toBe(status);
    expect(response.text).toBe(`{"status":"${state}"}`);
    expect(response.get('Retry-After')).toBe(status === 503 ? '5' : undefined);
  });
});
