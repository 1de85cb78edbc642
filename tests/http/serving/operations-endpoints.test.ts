import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { TestApplication } from '../../support/application/test-application.ts';

let application: TestApplication;
beforeAll(async () => {
  application = await TestApplication.open();
});
afterAll(() => application.close());

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
  it.each([
    ['ready', () => Promise.resolve(true), 200],
    ['unavailable', () => Promise.resolve(false), 503],
    ['unavailable', () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1')), 503],
  ])('says %s', async (state, ready, status) => {
    const response = await request(application.restarted({ ready }).app).get('/readyz');
    expect(response.status).toBe(status);
    expect(response.text).toBe(`{"status":"${state}"}`);
    expect(response.get('Retry-After')).toBe(status === 503 ? '5' : undefined);
  });
});
