import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { Browser, errorOf, valueOf } from '../../support/application/browser.ts';
import { BoundedAdministrators } from '../../support/application/bounded-administrators.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';

const PASSWORD = 'correct horse battery';
const READ = '/admin/sessions';

let application: TestApplication;
let bounded: BoundedAdministrators;

beforeAll(async () => {
  application = await TestApplication.open();
  await application.addRealm('north');
  bounded = await BoundedAdministrators.of(application);
  await bounded.add('desk', 'sessions', '*');
  await bounded.add('north', '*', 'north');
  await bounded.add('anna', 'show', '*');
  await bounded.add('bert', 'show', '*');
});
afterAll(() => application.close());

interface Listed {
  readonly id: string;
  readonly administrator: string;
  readonly kind: string;
  readonly own: boolean;
}

async function signedIn(username: string): Promise<Browser> {
  const browser = new Browser(application.app);
  await browser.post('/admin/sign-in', { username, password: PASSWORD });
  return browser;
}

const basic = (name: string): string => `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}`;

describe('the list of sessions', () => {
  it('has one’s own, newest first, of both kinds, and tells which one asks', async () => {
    await request(application.app).get('/admin/getsession').set('Authorization', basic('anna'));
    const browser = await signedIn('anna');
    await signedIn('bert');
    const listed = valueOf(await browser.get(READ)) as Listed[];
    expect(listed).toMatchObject([
      { administrator: 'anna', kind: 'login', own: true, client: '127.0.0.1' },
      { administrator: 'anna', kind: 'session', own: false },
    ]);
    expect(listed[0]).toHaveProperty('expires', '2026-11-20T13:00:00.000Z');
  });

  it('has those of others with the right, in every realm', async () => {
    await signedIn('bert');
    for (const [name, message] of [
      ['anna', /^You do not have the administrative right|^ERR410/],
      ['north', /^ERR410: The right admin:sessions is bound to realms/],
    ] as const) {
      const refused = await bounded.get(name, READ, { administrator: 'bert' });
      expect(errorOf(refused)).toMatch(message);
    }
    const all = valueOf(await bounded.get('desk', READ, { administrator: '*' })) as Listed[];
    expect(new Set(all.map(({ administrator }) => administrator))).toEqual(new Set(['anna', 'bert']));
    const ofBert = valueOf(await bounded.get('desk', READ, { administrator: 'bert' })) as Listed[];
    expect(new Set(ofBert.map(({ administrator }) => administrator))).toEqual(new Set(['bert']));
  });

  it('does not have those that have ended', async () => {
    const browser = await signedIn('anna');
    const before = (valueOf(await browser.get(READ)) as Listed[]).length;
    const other = await signedIn('anna');
    await other.post('/admin/logout');
    expect(valueOf(await browser.get(READ)) as Listed[]).toHaveLength(before);
    application.clock.advance(3599);
    const late = await signedIn('anna');
    application.clock.advance(2);
    expect(valueOf(await late.get(READ)) as Listed[]).toHaveLength(1);
  });
});

describe('the end of a session', () => {
  it('is told to all servers: its cookie is refused', async () => {
    const [own, other] = [await signedIn('anna'), await signedIn('anna')];
    const listed = valueOf(await own.get(READ)) as Listed[];
    const id = listed.find((one) => !one.own)?.id ?? '';
    expect(valueOf(await own.post('/admin/sessions/end', { id }))).toBe(1);
    expect((await other.get(READ)).status).toBe(401);
    expect((await own.get(READ)).status).toBe(200);
    expect(valueOf(await own.post('/admin/sessions/end', { id }))).toBe(0);
  });

  it('reaches all of one’s own, and nobody else’s', async () => {
    const [anna, bert] = [await signedIn('anna'), await signedIn('bert')];
    const [ofBert] = valueOf(await bert.get(READ)) as Listed[];
    expect(valueOf(await anna.post('/admin/sessions/end', { id: ofBert?.id ?? '' }))).toBe(0);
    expect(errorOf(await anna.post('/admin/sessions/end', { administrator: 'bert', all: '1' }))).toMatch(
      /right|ERR410/,
    );
    expect(valueOf(await anna.post('/admin/sessions/end', { all: '1' }))).toBeGreaterThan(0);
    expect((await anna.get(READ)).status).toBe(401);
    expect((await bert.get(READ)).status).toBe(200);
    expect(await application.services.sessions.end(OPERATOR, { owner: 'bert', isAll: true })).toBeGreaterThan(
      0,
    );
    expect((await bert.get(READ)).status).toBe(401);
  });

  it.each<Readonly<Record<string, string>>>([
    {},
    { id: '1', all: '1' },
    { all: '0' },
    { id: 'x' },
    { id: '1e9' },
  ])('needs one id or all: %j', async (given) => {
    const anna = await signedIn('anna');
    const refused = await anna.post('/admin/sessions/end', given);
    expect(errorOf(refused)).toBeDefined();
    expect((await anna.get(READ)).status).toBe(200);
  });
});
