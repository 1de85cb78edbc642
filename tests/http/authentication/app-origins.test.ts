import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import request, { type Response } from 'supertest';
import { TestApplication } from '../../support/application/test-application.ts';
import { declaredEndpoints } from '../../support/description/declared-endpoints.ts';

const CHECK = '/ocra/check_t';
const ANSWER = { pass: '492017', transactionid: 't' };
const APP = 'https://app.example.com';
const appOrigins = [APP, 'http://localhost:5173'];
const http = { appOrigins, documentedVersion: '1.2.3' };
const declared = declaredEndpoints('documented', http);

const STRANGERS = [
  'https://app.example.com.evil.example',
  'https://evil.example',
  'http://app.example.com',
  'https://app.example.com:8443',
  'https://APP.example.com',
  'null',
  '*',
];

let opened: TestApplication;
beforeAll(async () => {
  opened = await TestApplication.open({ http });
});
afterAll(() => opened.close());

/** @returns the headers of the answer that concern other origins */
function sharing({ headers }: Response): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers as Record<string, unknown>).filter(
      ([name]) => name.startsWith('access-control-') || name === 'vary',
    ),
  );
}

describe.each(['documented', 'linotp'] as const)('/ocra/check_t in the dialect %s', (dialect) => {
  let app: Express;
  beforeAll(() => {
    ({ app } = opened.restarted({ dialect }));
  });

  it.each(appOrigins)('answers the preflight of the app at %s', async (origin) => {
    const answer = await request(app).options(CHECK).set({
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type',
      'Sec-Fetch-Site': 'cross-site',
      'Sec-Fetch-Mode': 'cors',
    });
    expect([answer.status, answer.text, answer.get('Allow')]).toEqual([204, '', 'GET, HEAD, POST, OPTIONS']);
    expect(sharing(answer)).toEqual({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'Content-Type',
      'access-control-max-age': '7200',
      vary: 'Origin',
    });
  });

  it('lets the app read the answer, the time of the server and a limit', async () => {
    for (const sent of [
      request(app).post(CHECK).type('form').send(ANSWER),
      request(app).get(CHECK).query(ANSWER),
    ]) {
      const answer = await sent.set({ Origin: APP, 'Sec-Fetch-Site': 'cross-site' });
      expect(answer.body).toHaveProperty('result.status', true);
      expect(answer.get('Date')).toMatch(/ GMT$/);
      expect(sharing(answer)).toEqual({
        'access-control-allow-origin': APP,
        'access-control-expose-headers': 'Date, Retry-After',
        vary: 'Origin',
      });
    }
  });

  it('lets the app read a refusal, too', async () => {
    const limited = opened.restarted({ dialect, limits: { exempt: [], clientRequests: 1 } });
    await request(limited.app).get('/monitoring/tokens');
    const answer = await request(limited.app).get(CHECK).query(ANSWER).set('Origin', APP);
    expect([answer.status, answer.get('Retry-After')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(answer.get('Access-Control-Allow-Origin')).toBe(APP);
  });

  it.each(STRANGERS)('tells the origin %s nothing, and answers as ever', async (origin) => {
    const plain = await request(app).get(CHECK).query(ANSWER);
    const answer = await request(app).get(CHECK).query(ANSWER).set('Origin', origin);
    expect([answer.status, answer.text]).toEqual([plain.status, plain.text]);
    expect(sharing(answer)).toEqual({ vary: 'Origin' });
    const preflight = await request(app)
      .options(CHECK)
      .set({ Origin: origin, 'Access-Control-Request-Method': 'POST' });
    expect([preflight.status, sharing(preflight)]).toEqual([204, { vary: 'Origin' }]);
  });

  it('answers as ever where no origin is set', async () => {
    const { app: plain } = opened.restarted({ dialect, http: {} });
    for (const answer of [
      await request(plain).get(CHECK).query(ANSWER).set('Origin', APP),
      await request(plain).options(CHECK).set({ Origin: APP, 'Access-Control-Request-Method': 'POST' }),
    ]) {
      expect(sharing(answer)).toEqual({});
    }
  });
});

describe('every other endpoint', () => {
  it.each(declared.map(({ path }) => path).filter((path) => path !== CHECK))(
    'is shared with no other origin: %s',
    async (path) => {
      const { app } = opened;
      for (const origin of appOrigins) {
        for (const answer of [
          await request(app).get(path).set('Origin', origin),
          await request(app).post(path).set('Origin', origin),
          await request(app).options(path).set({ Origin: origin, 'Access-Control-Request-Method': 'POST' }),
        ]) {
          expect(sharing(answer)).toEqual({});
        }
      }
    },
  );

  it('is the only declared one', () => {
    expect(declared.filter(({ calledByApps }) => calledByApps).map(({ path }) => path)).toEqual([CHECK]);
  });

  it.each(['/', '/nothing', '/ocra/check_t/', '/ocra/%ff', '/app/'])(
    'nor is an unknown path: %s',
    async (path) => {
      const { app } = opened;
      const answer = await request(app).get(path).set('Origin', APP);
      expect([answer.status, sharing(answer)]).toEqual([404, {}]);
    },
  );
});
