import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { Readiness } from '../../../src/http/controllers/operations-controller.ts';
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
