import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Express } from 'express';
import request, { type Test } from 'supertest';
import { APP_SITE, CONSOLE_SITE, readSiteFiles, type SiteFiles } from '../../../src/http/site.ts';
import { sendRaw } from '../../support/application/raw-http.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';
import type { DialectName } from '../../../src/http/dialects/dialect.ts';
import { Browser, valueOf } from '../../support/application/browser.ts';

const SCRIPT = `const text = ${JSON.stringify('the app '.repeat(1_000))};\n`;
const ICON = randomBytes(2_000);
const FILES = {
  'index.html': '<!doctype html><title>App</title>',
  'assets/index-B7x_0aZ9.js': SCRIPT,
  'assets/index-Dq2-8wK1.css': 'body { color: black; }\n'.repeat(100),
  'service-worker.js': SCRIPT,
  'manifest.webmanifest': '{"name":"Tankeeper"}',
  'icons/icon-192.png': ICON,
  'languages/de.json': '{}',
  'assets/index-B7x_0aZ9.js.br': brotliCompressSync(SCRIPT),
  'assets/index-B7x_0aZ9.js.gz': gzipSync(SCRIPT),
  'service-worker.js.gz': gzipSync(SCRIPT),
};
const folder = temporaryFolder();
let application: TestApplication;
let app: Express;
let consoleFiles: SiteFiles;

beforeAll(async () => {
  for (const [name, content] of Object.entries(FILES)) {
    await mkdir(join(folder, 'app', name, '..'), { recursive: true });
    await writeFile(join(folder, 'app', name), content);
  }
  await writeFile(join(folder, 'secret.json'), '{"secret":true}');
  await mkdir(join(folder, 'console'));
  await writeFile(join(folder, 'console/index.html'), '<!doctype html><title>Console</title>');
  consoleFiles = await readSiteFiles(join(folder, 'console'));
  application = await TestApplication.open({
    http: { appFiles: await readSiteFiles(join(folder, 'app')) },
  });
  ({ app } = application);
});
afterAll(() => application.close());

/** @returns the answer to GET with its body as it was sent, still encoded */
async function sent(path: string, coding: string): Promise<{ readonly head: string; readonly body: Buffer }> {
  const bytes = await sendRaw(
    app,
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${coding}\r\nConnection: close\r\n\r\n`,
  );
  const end = bytes.indexOf('\r\n\r\n');
  return { head: bytes.slice(0, end), body: Buffer.from(bytes.slice(end + 4), 'latin1') };
}

describe('the app', () => {
  it.each([
    ['/app/', 'index.html', 'text/html; charset=utf-8'],
    ['/app/index.html', 'index.html', 'text/html; charset=utf-8'],
    ['/app/assets/index-B7x_0aZ9.js', 'assets/index-B7x_0aZ9.js', 'text/javascript; charset=utf-8'],
    ['/app/assets/index-Dq2-8wK1.css', 'assets/index-Dq2-8wK1.css', 'text/css; charset=utf-8'],
    ['/app/manifest.webmanifest', 'manifest.webmanifest', 'application/manifest+json; charset=utf-8'],
    ['/app/icons/icon-192.png', 'icons/icon-192.png', 'image/png'],
    ['/app/languages/de.json', 'languages/de.json', 'application/json; charset=utf-8'],
  ])('has a file at %s', async (path, name, type) => {
    const { head, body } = await sent(path, 'identity');
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toContain(`\r\nContent-Type: ${type}\r\n`);
    expect(body).toEqual(await readFile(join(folder, 'app', name)));
  });

  it('is reached from /app by a relative address, with any query', async () => {
    for (const path of ['/app', '/app?from=mail']) {
      const answer = await request(app).get(path).redirects(0);
      expect([answer.status, answer.get('Location')]).toEqual([308, 'app/']);
    }
  });

  it.each(['/app/', '/app/service-worker.js', '/app/assets/index-B7x_0aZ9.js', '/app/icons/icon-192.png'])(
    'may load its own files alone, and use the camera: %s',
    async (path) => {
      const { headers } = await request(app).get(path);
      expect(headers['content-security-policy']).toBe(APP_SITE.policy);
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'permissions-policy': expect.stringContaining('camera=(self)'),
      });
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers).not.toHaveProperty('pragma');
    },
  );

  it('is reached from any path below it that a browser opens, which keeps the fragment itself', async () => {
    const opened = await request(app).get('/app/tokens/1').set('Accept', 'text/html');
    expect([opened.status, opened.headers.location]).toEqual([302, '../']);
    const root = await request(app).get('/').set('Accept', 'text/html');
    expect([root.status, root.type]).toEqual([404, 'application/json']);
  });

  it('runs nothing but its own scripts and styles, and in no frame', () => {
    const directives = APP_SITE.policy.split('; ');
    const all = ["default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'"];
    expect(directives).toEqual(expect.arrayContaining([...all, "frame-ancestors 'none'"]));
    expect(APP_SITE.policy).not.toContain('unsafe');
  });

  it('has the policy of the page that other hosts serve, and forbids frames besides', async () => {
    const page = await readFile('app/index.html', 'utf8');
    const [, policy] = /http-equiv="Content-Security-Policy"\s+content="([^"]+)"/.exec(page) ?? [];
    expect(APP_SITE.policy).toBe(`${policy}; frame-ancestors 'none'`);
  });

  it('lets caches keep for ever what is named after its content, and asks for the rest', async () => {
    const caching = async (path: string): Promise<unknown> =>
      (await request(app).get(path)).get('Cache-Control');
    expect(await caching('/app/assets/index-B7x_0aZ9.js')).toBe('public, max-age=31536000, immutable');
    for (const path of ['/app/', '/app/service-worker.js', '/app/icons/icon-192.png', '/app']) {
      expect(await caching(path)).toBe('no-cache');
    }
  });

  it('answers 304 to a client that has the file in this coding', async () => {
    const get = (coding: string, tag = ''): Test =>
      request(app).get('/app/service-worker.js').set({ 'Accept-Encoding': coding, 'If-None-Match': tag });
    const tag = (await get('gzip')).get('ETag') ?? '';
    const again = await get('gzip', tag);
    expect([again.status, again.text]).toEqual([304, '']);
    expect(again.headers).not.toHaveProperty('content-encoding');
    expect((await get('identity', tag)).status).toBe(200);
  });

  it.each([
    ['br', 'br', '.br'],
    ['gzip, deflate, br', 'br', '.br'],
    ['GZIP', 'gzip', '.gz'],
    ['br;q=0, gzip', 'gzip', '.gz'],
    ['deflate', '', ''],
    ['br; q=0, gzip; q=0', '', ''],
  ])(
    'is sent as the build has compressed it to a client that accepts %s',
    async (accepted, coding, ending) => {
      const { head, body } = await sent('/app/assets/index-B7x_0aZ9.js', accepted);
      expect(/\r\nContent-Encoding: (\w+)\r\n/.exec(head)?.[1] ?? '').toBe(coding);
      expect(head).toContain(`\r\nContent-Length: ${body.length}\r\n`);
      expect(head).toContain('\r\nVary: Accept-Encoding\r\n');
      expect(head).toContain('\r\nContent-Type: text/javascript; charset=utf-8\r\n');
      expect(body).toEqual(await readFile(join(folder, 'app', `assets/index-B7x_0aZ9.js${ending}`)));
    },
  );

  it('is sent as it is where the build has not compressed it', async () => {
    for (const path of ['/app/icons/icon-192.png', '/app/languages/de.json']) {
      const answer = await request(app).get(path).set('Accept-Encoding', 'br, gzip');
      expect(answer.headers).not.toHaveProperty('content-encoding');
      expect(answer.get('Vary')).toBe('Accept-Encoding');
    }
  });

  it('answers HEAD and OPTIONS, and no other method', async () => {
    const get = await request(app).get('/app/');
    const head = await request(app).head('/app/');
    expect([head.status, head.text]).toEqual([200, undefined]);
    expect(head.get('Content-Length')).toBe(get.get('Content-Length'));
    const options = await request(app).options('/app/');
    expect([options.status, options.get('Allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    for (const method of ['post', 'put', 'delete'] as const) {
      const other = await request(app)[method]('/app/');
      expect([other.status, other.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
      expect(other.body).toHaveProperty('result.error.code', -311);
    }
  });

  it('is logged by its path alone', async () => {
    const { app: own, lines } = application.restarted();
    await request(own).get('/app/assets/index-B7x_0aZ9.js?link=lseqr');
    expect(lines).toEqual([
      { level: 'info', message: 'request', fields: expect.objectContaining({ path: '/app', status: 200 }) },
    ]);
    expect(JSON.stringify(lines)).not.toContain('lseqr');
  });

  it('is not there where it is off', async () => {
    const { app: own } = application.restarted({ http: {} });
    for (const path of ['/app', '/app/', '/app/index.html']) {
      expect((await request(own).get(path)).status).toBe(404);
    }
  });
});

describe('no other file', () => {
  it.each([
    '/app/secret.json',
    '/app/../secret.json',
    '/app/..%2fsecret.json',
    '/app/%2e%2e/secret.json',
    '/app/assets/../../secret.json',
    '/app//secret.json',
    '/app/index%2ehtml',
    '/app/assets',
    '/app/assets/',
    '/APP/',
    '/app/INDEX.html',
    '/app/__proto__',
    '/apps/',
    '//app/',
  ])('is served: %s', async (path) => {
    // As written: a client of HTTP would resolve the dots.
    const answer = await sendRaw(app, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).not.toContain('secret":');
  });

  it('is served that came after the start', async () => {
    await writeFile(join(folder, 'app', 'late.js'), 'late');
    expect((await request(app).get('/app/late.js')).status).toBe(404);
  });
});

const ADMIN = { username: 'admin', password: 'correct horse' };

interface Rights {
  readonly administrator: string;
  readonly rights: readonly unknown[];
  readonly realms: readonly string[];
}

describe.each<DialectName>(['documented', 'linotp'])('the console of a server that speaks %s', (dialect) => {
  let application: TestApplication;

  beforeAll(async () => {
    application = await TestApplication.open({ dialect, http: { consoleFiles } });
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
      const led = [opened.status, opened.headers.location, opened.headers.vary];
      expect(led).toEqual([302, location, 'Accept']);
      for (const other of ['application/json', '*/*', 'application/json, text/html;q=0.5', '']) {
        const refused = await request(application.app).get(path).set('Accept', other);
        const type = dialect === 'linotp' ? 'text/html' : 'application/json';
        expect([refused.status, refused.type]).toEqual([404, type]);
      }
      const posted = await request(application.app).post(path).set('Accept', accept);
      expect(posted.status).toBe(404);
    },
  );

  it('gets answers in the documented dialect', async () => {
    const browser = new Browser(application.app);
    const signedIn = await browser.post('/console/api/admin/sign-in', ADMIN);
    expect(signedIn.body).toMatchObject({ result: { status: true, value: { is_signed_in: true } } });
    const shown = await browser.post('/console/api/admin/show', { serial: 'OCRA1' });
    expect(shown.body).toMatchObject({
      result: { value: { total: 1, tokens: [{ serial: 'OCRA1', user: 'anna' }] } },
    });
    const rights = valueOf(await browser.post('/console/api/admin/rights')) as Rights;
    expect(rights).toMatchObject({ administrator: 'admin', realms: ['north', 'south'] });
    expect(rights.rights).toContainEqual({ scope: 'admin', action: 'show', realms: '*' });
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
    await browser.post('/console/api/admin/sign-in', ADMIN);
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
    await application.services.administrators.add(OPERATOR, 'desk', 'correct horse');
    await application.setPolicy('all', 'admin', '*', { user: 'admin' });
    await application.setPolicy('bound', 'admin', 'show, reset', { user: 'desk', realm: 'north' });
    const browser = new Browser(application.app);
    await browser.post('/console/api/admin/sign-in', { username: 'desk', password: 'correct horse' });
    const answer = await browser.post('/console/api/admin/rights');
    const { rights, realms } = valueOf(answer) as Rights;
    expect(realms).toEqual(['north']);
    expect(rights.filter((right) => (right as { scope: string }).scope === 'admin')).toEqual([
      { scope: 'admin', action: 'show', realms: ['north'] },
      { scope: 'admin', action: 'reset', realms: ['north'] },
    ]);
  });
});
