import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { DialectName } from '../../../src/http/dialects/dialect.ts';
import { siteFilesOf, CONSOLE_SITE } from '../../../src/http/site.ts';
import type { PolicyDraft } from '../../../src/policy/policy.ts';
import { Browser } from '../../support/application/browser.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';

const FILES = siteFilesOf(new Map([['index.html', Buffer.from('<!doctype html><title>Console</title>')]]));

interface Answer {
  readonly result: {
    readonly value: {
      readonly administrator: string;
      readonly rights: readonly unknown[];
      readonly realms: readonly string[];
    };
  };
}

describe.each<DialectName>(['documented', 'linotp'])('the console of a server that speaks %s', (dialect) => {
  let application: TestApplication;

  beforeAll(async () => {
    application = await TestApplication.open({ dialect, http: { consoleFiles: FILES } });
    await application.addRealm('north', ['anna']);
    await application.addRealm('south');
    await application.enrolPlain('OCRA1', 'OCRA-1:HOTP-SHA256-6:QA64', { user: 'anna', realm: 'north' });
  });
  afterAll(() => application.close());

  it('may load its own files alone, and runs no markup made of texts', async () => {
    const { headers, text } = await request(application.app).get('/console/');
    expect(text).toContain('<title>Console</title>');
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toBe(CONSOLE_SITE.policy);
    expect(policy).not.toMatch(/unsafe|nonce|https?:/);
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]),
    );
  });

  it.each([
    ['/', 'console/'],
    ['/console/policies', './#/policies'],
    ['/console/policies/?x=1', '../#/policies'],
    ['/console/people/north/users/anna', '../../../#/people/north/users/anna'],
    ['/console//evil.example', '../#//evil.example'],
  ])(
    'leads a browser that opens %s to the page, and a program to the 404 of its dialect',
    async (path, location) => {
      const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
      const opened = await request(application.app).get(path).set('Accept', accept);
      expect([opened.status, opened.headers.location, opened.headers.vary]).toEqual([
        302,
        location,
        'Accept',
      ]);
      for (const other of ['application/json', '*/*', 'application/json, text/html;q=0.5', '']) {
        const refused = await request(application.app).get(path).set('Accept', other);
        expect([refused.status, refused.type]).toEqual([
          404,
          dialect === 'linotp' ? 'text/html' : 'application/json',
        ]);
      }
      const posted = await request(application.app).post(path).set('Accept', accept);
      expect(posted.status).toBe(404);
    },
  );

  it('stays below the path of a proxy where it leads to a page', async () => {
    const { app } = application.restarted({
      http: { consoleFiles: FILES, publicUrl: 'https://example.com/tan' },
    });
    for (const [path, location] of [
      ['/', '/tan/console/'],
      ['/console/audit/x', '/tan/console/#/audit/x'],
    ] as const) {
      const opened = await request(app).get(path).set('Accept', 'text/html');
      expect(opened.headers.location).toBe(location);
    }
  });

  it('gets answers in the documented dialect', async () => {
    const browser = new Browser(application.app);
    const signedIn = await browser.post('/console/api/admin/sign-in', {
      username: 'admin',
      password: 'correct horse',
    });
    expect(signedIn.body).toMatchObject({ result: { status: true, value: { signed_in: true } } });
    const shown = await browser.post('/console/api/admin/show', { serial: 'OCRA1' });
    expect(shown.body).toMatchObject({
      result: { value: { total: 1, tokens: [{ serial: 'OCRA1', user: 'anna' }] } },
    });
    const rights = (await browser.post('/console/api/admin/rights')).body as Answer;
    expect(rights.result.value.administrator).toBe('admin');
    expect(rights.result.value.rights).toContainEqual({ scope: 'admin', action: 'show', realms: '*' });
    expect(rights.result.value.realms).toEqual(['north', 'south']);
  });

  it('gets the code of a failure, which no other caller gets', async () => {
    const refused = (path: string, credentials: object): request.Test =>
      request(application.app).post(path).send(credentials);
    const wrong = await refused('/console/api/admin/sign-in', { username: 'admin', password: 'wrong' });
    expect(wrong.headers['tankeeper-failure']).toBe('sign-in.refused/password');
    const ended = await refused('/console/api/admin/sign-in/finish', {});
    expect(ended.headers['tankeeper-failure']).toBe('sign-in.ended');
    const elsewhere = await refused('/admin/sign-in', { username: 'admin', password: 'wrong' });
    expect(elsewhere.headers).not.toHaveProperty('tankeeper-failure');
  });

  it('refuses calls without the CSRF value, and those from another site', async () => {
    const browser = new Browser(application.app);
    await browser.post('/console/api/admin/sign-in', { username: 'admin', password: 'correct horse' });
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const call = (): request.Test =>
      request(application.app).post('/console/api/admin/disable').set('Cookie', cookie).type('form');
    expect((await call().send({ serial: 'OCRA1' })).status).toBe(401);
    const crossSite = await call()
      .set('X-CSRF-TOKEN', browser.cookies.get('csrf_access_token') ?? '')
      .set('Sec-Fetch-Site', 'cross-site')
      .send({ serial: 'OCRA1' });
    expect(crossSite.status).toBe(403);
    const shown = await browser.post('/console/api/admin/show', { serial: 'OCRA1' });
    expect(shown.body).toMatchObject({ result: { value: { tokens: [{ active: true }] } } });
  });

  it('never makes a browser ask for a password by itself', async () => {
    const { status, headers } = await request(application.app).post('/console/api/admin/rights');
    expect([status, headers['www-authenticate']]).toEqual([401, 'Sign-In realm="tankeeper"']);
    const elsewhere = await request(application.app).post('/admin/rights');
    expect(elsewhere.headers['www-authenticate']).toBe('Basic realm="tankeeper", charset="UTF-8"');
  });

  it.each([
    '/console/api/monitoring/tokens',
    '/console/api/validate/check',
    '/console/api/metrics',
    '/console/api',
  ])('has nothing at %s', async (path) => {
    expect((await request(application.app).get(path)).status).toBe(404);
  });

  it('tells callers the rights of their policies, with the realms', async () => {
    const { administrators, policies } = application.services;
    await administrators.add(OPERATOR, `helpdesk-${dialect}`, 'correct horse');
    await policies.set(OPERATOR, policy('all', 'admin', '*', '*'));
    await policies.set(OPERATOR, policy('bound', `helpdesk-${dialect}`, 'show, reset', 'north'));
    const browser = new Browser(application.app);
    await browser.post('/console/api/admin/sign-in', {
      username: `helpdesk-${dialect}`,
      password: 'correct horse',
    });
    const answer = await browser.post('/console/api/admin/rights');
    const { rights, realms } = (answer.body as Answer).result.value;
    expect(realms).toEqual(['north']);
    expect(rights.filter((right) => (right as { scope: string }).scope === 'admin')).toEqual([
      { scope: 'admin', action: 'show', realms: ['north'] },
      { scope: 'admin', action: 'reset', realms: ['north'] },
    ]);
  });
});

function policy(name: string, user: string, action: string, realm: string): PolicyDraft {
  return { name, scope: 'admin', user, action, realm };
}
