import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { type RunningServer, startServer } from '../../../src/http/serving/server.ts';
import type { PolicyScope } from '../../../src/policy/stored-policy.ts';
import { Browser, valueOf } from '../../support/application/browser.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';
import { EventReader, type ReceivedEvent } from '../../support/servers/event-reader.ts';

const PASSWORD = 'correct horse battery';
const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const NAMES = ['anna', 'bert', 'cleo', 'dora', 'ella', 'finn'] as const;

let application: TestApplication;
let server: RunningServer;
let number = 0;
const readers: EventReader[] = [];

async function policy(scope: PolicyScope, user: string, action: string, realm: string): Promise<void> {
  await application.services.policies.set(OPERATOR, {
    name: `${scope}-${user}`,
    scope,
    action,
    user,
    realm,
    client: '',
    time: '',
    active: true,
  });
}

async function enrol(realm: string, user: string): Promise<void> {
  number += 1;
  await application.enrolPlain(`LIVE${number}`, SUITE, { realm, user });
}

async function signedIn(username: string, app = application): Promise<Browser> {
  const browser = new Browser(app.app);
  await browser.post('/admin/sign-in', { username, password: PASSWORD });
  return browser;
}

const cookiesOf = (browser: Browser): string =>
  [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');

async function stream(browser: Browser, at = server): Promise<EventReader> {
  const reader = await EventReader.open(`http://127.0.0.1:${at.port}/admin/live`, {
    Cookie: cookiesOf(browser),
  });
  readers.push(reader);
  return reader;
}

const tokensOf = (event: ReceivedEvent | undefined): unknown =>
  (event?.data as { tokens: { summary: { total: number } } | null } | undefined)?.tokens;

async function openStreams(of = application): Promise<number> {
  const found = /^tankeeper_live_streams (\d+)$/m.exec(await of.metrics.text());
  return Number(found?.[1]);
}

/** Waits for the close of streams to reach the server. */
async function untilOpen(count: number, of = application): Promise<void> {
  while ((await openStreams(of)) !== count) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

beforeAll(async () => {
  application = await TestApplication.open({ liveTick: 50 });
  await application.addRealm('north', ['nora']);
  await application.addRealm('south', ['sue']);
  for (const name of NAMES) {
    await application.services.administrators.add(OPERATOR, name, PASSWORD);
  }
  await policy('monitoring', 'anna', 'tokens', '*');
  await policy('monitoring', 'bert', 'tokens', 'north');
  await policy('system', 'anna', 'read', '*');
});
beforeEach(async () => {
  server = await startServer(application.app, { host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  readers.splice(0).forEach((reader) => {
    reader.close();
  });
  await untilOpen(0);
  await server.close(1_000);
});
afterAll(() => application.close());

describe('a stream of events', () => {
  it('has the value of the overview at once, and again after a change', async () => {
    const browser = await signedIn('anna');
    const reader = await stream(browser);
    const { headers, statusCode } = reader.response;
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    const first = await reader.next();
    expect(first).toMatchObject({ event: 'overview', id: expect.stringMatching(/^[\w-]{22}$/) });
    expect(first?.data).toEqual(valueOf(await browser.get('/admin/overview')));
    expect(reader.text).toMatch(/^retry: \d+\n\n/);
    await enrol('north', 'nora');
    const second = await reader.next();
    expect(second?.id).not.toBe(first?.id);
    expect(second?.data).toEqual(valueOf(await browser.get('/admin/overview')));
  });

  it('shows each reader what the rights of this moment allow', async () => {
    const [all, north] = await Promise.all([
      signedIn('anna').then((browser) => stream(browser)),
      signedIn('bert').then((browser) => stream(browser)),
    ]);
    const before = await north.next();
    expect(JSON.stringify(before)).not.toContain('south');
    expect(await all.next()).toHaveProperty('event', 'overview');
    await enrol('south', 'sue');
    expect(JSON.stringify(await all.next())).toContain('south');
    await policy('monitoring', 'bert', 'license, metrics', '*');
    const after = await north.next();
    expect(tokensOf(after)).toBeNull();
    expect(after?.data).toMatchObject({ licence: { state: 'none' }, responses: { outcomes: {} } });
    // Neither is of a realm.
    await policy('monitoring', 'bert', 'license, metrics', 'north, south');
    expect((await north.next())?.data).toMatchObject({ licence: null, responses: null });
    expect(north.text).not.toContain('south');
    await policy('monitoring', 'bert', 'tokens', 'north');
  });

  it('ends when its login ends', async () => {
    const browser = await signedIn('anna');
    const reader = await stream(browser);
    await reader.next();
    await browser.post('/admin/logout');
    expect(await reader.next()).toMatchObject({ event: 'signed-out' });
    expect(await reader.next()).toBeUndefined();
  });

  it('ends when the password changes', async () => {
    const reader = await stream(await signedIn('cleo'));
    await reader.next();
    await application.services.administrators.setPassword(OPERATOR, 'cleo', 'another battery horse');
    expect(await reader.next()).toMatchObject({ event: 'signed-out' });
  });

  it('takes the cookie of a login, and nothing else', async () => {
    const basic = `Basic ${Buffer.from(`anna:${PASSWORD}`).toString('base64')}`;
    for (const headers of [{}, { Authorization: basic }]) {
      const refused = await request(application.app).get('/admin/live').set(headers);
      expect(refused.status).toBe(401);
    }
    expect((await application.asAdmin('/admin/live', {}, 'get')).status).toBe(401);
    const cookies = cookiesOf(await signedIn('anna'));
    const post = await request(application.app).post('/admin/live').set('Cookie', cookies);
    expect(post.status).toBe(405);
    const head = await request(application.app).head('/admin/live').set('Cookie', cookies);
    expect([head.status, head.get('Content-Type')]).toEqual([200, 'text/event-stream']);
  });
});

describe('streams', () => {
  it('are four of an administrator at most, and free their places', async () => {
    const browser = await signedIn('dora');
    const open = await Promise.all(Array.from({ length: 4 }, () => stream(browser)));
    await Promise.all(open.map((reader) => reader.next()));
    const fifth = await stream(browser);
    expect([fifth.response.statusCode, fifth.response.headers['retry-after']]).toEqual([503, '10']);
    expect((await stream(await signedIn('ella'))).response.statusCode).toBe(200);
    open[0]?.close();
    await untilOpen(4);
    expect((await stream(browser)).response.statusCode).toBe(200);
  });

  it('are as many as the limit says', async () => {
    const narrow = application.restarted({ limits: { liveStreams: 2 } });
    const other = await startServer(narrow.app, { host: '127.0.0.1', port: 0 });
    const statuses: (number | undefined)[] = [];
    for (const name of ['anna', 'bert', 'ella']) {
      statuses.push((await stream(await signedIn(name, narrow), other)).response.statusCode);
    }
    expect(statuses).toEqual([200, 200, 503]);
    expect(await narrow.metrics.text()).toMatch(
      /^tankeeper_limit_refusals_total\{limit="live-streams"\} 1$/m,
    );
    await narrow.services.live.end();
    await other.close(1_000);
  });

  it('end at once when the server stops, and are back at the next one with the same login', async () => {
    const first = application.restarted();
    const stopping = await startServer(first.app, { host: '127.0.0.1', port: 0 });
    const browser = await signedIn('anna', first);
    const reader = await stream(browser, stopping);
    const before = await reader.next();
    const begun = performance.now();
    void first.services.live.end();
    expect(await stopping.close(7_000)).toBe(true);
    // A stream that did not end would hold it up for its grace.
    expect(performance.now() - begun).toBeLessThan(6_000);
    expect(await reader.next()).toBeUndefined();
    const again = await stream(browser);
    expect((await again.next())?.id).toBe(before?.id);
  });

  it('are no requests of hours in metrics and log, and no aborted ones', async () => {
    const reader = await stream(await signedIn('finn'));
    await reader.next();
    await new Promise((resolve) => setTimeout(resolve, 2_700));
    const before = application.logged.length;
    reader.close();
    await untilOpen(0);
    const line = application.logged.slice(before).find((one) => one.includes('/admin/live'));
    expect(line).toContain('"status":200');
    expect(line).not.toContain('"aborted"');
    const text = await application.metrics.text();
    expect(text).toMatch(/tankeeper_http_requests_total\{endpoint="\/admin\/live",status="2xx"\} \d/);
    expect(text).not.toMatch(/endpoint="\/admin\/live",status="aborted"/);
    const slow = /duration_seconds_bucket\{le="2\.5",endpoint="\/admin\/live"\} (\d+)/.exec(text)?.[1];
    const all = /duration_seconds_count\{endpoint="\/admin\/live"\} (\d+)/.exec(text)?.[1];
    expect(slow).toBe(all);
  });

  it('go on beside a reader that does not read', async () => {
    const browser = await signedIn('anna');
    const socket = connect(server.port, '127.0.0.1');
    socket.pause();
    await once(socket, 'connect');
    socket.write(`GET /admin/live HTTP/1.1\r\nHost: a\r\nCookie: ${cookiesOf(browser)}\r\n\r\n`);
    await untilOpen(1);
    const reader = await stream(browser);
    await reader.next();
    await enrol('north', 'nora');
    expect(await reader.next()).toHaveProperty('event', 'overview');
    socket.destroy();
  });
});
