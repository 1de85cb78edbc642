import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { MAX_SIGN_INS } from '../../../src/self-service/person.ts';
import {
  auditOf,
  ALL,
  allow,
  answerTo,
  application,
  askedBy,
  failureOf,
  openAccounts,
  REFUSED,
  someone,
  SUITE,
  user,
} from '../../support/application/account-visitor.ts';
import { OPERATOR } from '../../support/application/test-application.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { queryOnce } from '../../support/database/test-server.ts';

openAccounts();

describe('who knows a password alone', () => {
  it('ends no sign-in of the owner, no confirmation of a session, and keeps the owner out only while the sign-ins live', async () => {
    const owner = await someone().signIn();
    const confirming = askedBy(await owner.post('/self/enrol'));
    const signingIn = someone();
    const asked = await signingIn.begin();
    const statuses: number[] = [];
    for (let count = 0; count < MAX_SIGN_INS; count += 1) {
      statuses.push((await someone().begin()).response.status);
    }
    expect(statuses).toEqual([...Array<number>(MAX_SIGN_INS - 1).fill(200), 429]);
    for (const [visitor, path, one] of [
      [owner, '/self/enrol/finish', confirming],
      [signingIn, '/self/sign-in/finish', asked],
    ] as const) {
      expect((await visitor.post(path, { response: answerTo(one) })).status).toBe(200);
    }
    await someone().begin();
    const { response } = await someone().begin();
    expect(failureOf(response)).toEqual([429, 'Too many sign-ins are under way']);
    expect(response.headers['retry-after']).toBe('300');
    application.clock.advance(301);
    await someone().signIn();
    application.clock.set(new Date('2026-11-20T12:00:00Z'));
  });
});

describe('who asks for the sign-in of a user', () => {
  it('learns from the limits of no login whether somebody has it', async () => {
    const { realms, policies } = application.services;
    await realms.set(OPERATOR, { name: 'corporate', resolvers: ['customers'] });
    await policies.set(OPERATOR, { name: 'other', scope: 'selfservice', action: 'show', realm: 'corporate' });
    await application.enrolPlain(`${user}-corporate`, SUITE, { user, realm: 'corporate' });
    const limited = application.restarted({ limits: { loginFailures: 5 }, trustProxy: [] });
    const statusesOf = async (name: string): Promise<number[]> => {
      const statuses: number[] = [];
      for (const realm of ['customers', 'customers', 'customers', 'customers', 'customers', 'corporate']) {
        const password = `wrong ${statuses.length}`;
        const begun = await someone().at(limited).begin({ user: name, realm, password });
        statuses.push(begun.response.status);
      }
      return statuses;
    };
    const known = await statusesOf(user);
    const right = await someone().at(limited).begin({ realm: 'corporate' });
    expect((await someone().begin({ realm: 'corporate' })).response.status).toBe(200);
    expect(await statusesOf(`nobody-${user}`)).toEqual(known);
    // The passwords of both realms are those of one person.
    expect(failureOf(right.response)).toEqual([401, REFUSED]);
    await policies.remove(OPERATOR, 'other');
  });

  it('is counted, but not as a wrong password, until its response is right', async () => {
    const limited = application.restarted({ limits: { loginFailures: 3 }, trustProxy: [] });
    const begin = async (): Promise<number> => (await someone().at(limited).begin()).response.status;
    for (let count = 0; count < 4; count += 1) {
      await someone().at(limited).signIn();
    }
    const last = someone().at(limited);
    const statuses = [await begin(), await begin()];
    const asked = await last.begin();
    statuses.push(asked.response.status, await begin(), await begin());
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect(failureOf((await someone().at(limited).begin()).response)).toEqual([
      429,
      'Too many sign-ins are under way',
    ]);
    const text = await limited.metrics.text();
    expect(text).toContain('tankeeper_limit_refusals_total{limit="begun-sign-ins"} 3');
    expect(text).not.toContain('limit="login-failures"');
    const outcomes = (await auditOf('self/sign-in')).map(({ outcome }) => outcome);
    expect(outcomes).toContain('refused: too many sign-ins');
    expect(outcomes).not.toContain('refused: too many passwords');
    const response = answerTo(asked);
    expect((await last.post('/self/sign-in/finish', { response })).status).toBe(200);
    const atOnce = await Promise.all([begin(), begin(), begin(), begin()]);
    expect(atOnce).toContain(429);
    expect(atOnce.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
  });

  it('learns from no begun sign-in of somebody else whether somebody has the login', async () => {
    const limited = application.restarted({ limits: { loginFailures: 2 }, trustProxy: [] });
    await someone().at(limited).begin();
    await someone().at(limited).begin();
    const wrong = await someone().at(limited).begin({ password: 'wrong' });
    expect(failureOf(wrong.response)).toEqual([401, REFUSED]);
  });

  it('is refused at one of few times after the request, for whatever reason', async () => {
    const waits: number[] = [];
    const slow = application.restarted({
      pause: (milliseconds) => {
        waits.push(milliseconds);
        return Promise.resolve();
      },
    });
    await application.services.tokens.disable(OPERATOR, { serial: `${user}-phone` });
    const refusals = [
      await someone().at(slow).begin({ password: 'wrong' }),
      await someone().at(slow).begin({ user: 'nobody' }),
      await someone().at(slow).begin(),
      await someone().at(slow).begin({ realm: 'nowhere' }),
    ];
    expect(refusals.map(({ response }) => response.status)).toEqual([401, 401, 401, 401]);
    expect(waits).toHaveLength(4);
    expect(waits.every((wait) => wait > 0 && wait <= 500)).toBe(true);
  });

  it('chooses no time of a refusal by sending the body slowly', async () => {
    let refusedAt = 0;
    const slow = application.restarted({
      pause: (milliseconds) => {
        refusedAt = performance.now() + milliseconds;
        return Promise.resolve();
      },
    });
    const server = slow.app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const body = new URLSearchParams({ user, realm: 'customers', password: 'wrong' }).toString();
    const socket = connect(port, '127.0.0.1').resume();
    socket.write(
      `POST /self/sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await setTimeout(250);
    const sentAt = performance.now();
    socket.write(body);
    await expectSoon(() => refusedAt).toBeGreaterThan(0);
    expect(refusedAt - sentAt).toBeGreaterThanOrEqual(500);
    socket.destroy();
    server.close();
  });

  it('is refused as for a wrong password where the token is removed meanwhile', async () => {
    const change = (sql: string): Promise<unknown> => queryOnce(application.databaseUrl, sql, []);
    await change(`CREATE FUNCTION remove_token() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN NEW.token_id = 0; RETURN NEW; END $$`);
    await change(`CREATE TRIGGER remove_token BEFORE INSERT ON user_sessions
      FOR EACH ROW EXECUTE FUNCTION remove_token()`);
    const { response } = await someone().begin();
    await change('DROP TRIGGER remove_token ON user_sessions');
    expect(failureOf(response)).toEqual([401, REFUSED]);
  });
});

describe('without a policy', () => {
  it.each(['documented', 'linotp'] as const)(
    'no method, header or body tells the paths of the account page from others, in the dialect %s',
    async (dialect) => {
      await allow(ALL, false);
      const { app } = application.restarted({ dialect });
      for (const ask of [
        (path: string) => request(app).get(path),
        (path: string) => request(app).put(path),
        (path: string) => request(app).options(path),
        (path: string) => request(app).post(path),
        (path: string) => request(app).post(path).set('Sec-Fetch-Site', 'cross-site'),
        (path: string) => request(app).post(path).set('Content-Type', 'text/xml').send('<a/>'),
      ]) {
        const [here, nowhere] = [await ask('/self/sign-in'), await ask('/self/nowhere')];
        expect([here.status, here.text]).toEqual([nowhere.status, nowhere.text]);
        expect(Object.keys(here.headers).sort()).toEqual(Object.keys(nowhere.headers).sort());
      }
    },
  );
});
