import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { keepSignIn, readSignIn, SECOND_STEP } from '../../../src/http/authentication/cookies.ts';
import { AS_ADMIN, PASSWORD, TestApplication } from '../../support/application/test-application.ts';

let application: TestApplication;
beforeAll(async () => {
  application = await TestApplication.open({
    trustProxy: ['loopback'],
    http: { documentedVersion: '1.2.3' },
  });
});
afterAll(() => application.close());

/** @returns the paths that an answer names, below which a proxy shows the server */
async function shownBelow(headers: Record<string, string>, changes = {}): Promise<readonly unknown[]> {
  const http = { documentedVersion: '1.2.3', ...changes };
  const { app } = application.restarted({ http });
  const described = await request(app).get('/openapi.json').set(headers);
  const opened = await request(app)
    .get('/admin/getsession')
    .set({ ...AS_ADMIN, ...headers });
  const posted = await request(app)
    .post('/monitoring/license')
    .set({ ...AS_ADMIN, ...headers });
  const { servers } = described.body as { servers: { url: string }[] };
  const named = (pattern: RegExp, text = ''): string | undefined => pattern.exec(text)?.[1];
  return [
    ...servers.map(({ url }) => url),
    named(/Path=([^;]*)/, opened.get('Set-Cookie')?.[0]),
    named(/<([^>]*)>/, posted.get('Link')),
  ];
}

const ROOT = ['/', '/', '/docs/monitoring-post'];
const BELOW = ['/tan', '/tan/', '/tan/docs/monitoring-post'];

describe('a server below a path of a proxy', () => {
  it.each(['/tan', '/tan/', '/tan, /inner'])(
    'stays below the path that X-Forwarded-Prefix names: %s',
    async (prefix) => {
      await expect(shownBelow({ 'X-Forwarded-Prefix': prefix })).resolves.toEqual(BELOW);
    },
  );

  it('stays below the path of PUBLIC_URL, unless the proxy names another one', async () => {
    const changes = { publicUrl: 'https://example.com/tan' };
    await expect(shownBelow({}, changes)).resolves.toEqual(BELOW);
    await expect(shownBelow({ 'X-Forwarded-Prefix': '/' }, changes)).resolves.toEqual(ROOT);
    await expect(shownBelow({ 'X-Forwarded-Prefix': '/b/c' }, changes)).resolves.toEqual([
      '/b/c',
      '/b/c/',
      '/b/c/docs/monitoring-post',
    ]);
  });

  it.each([
    '//evil.example',
    '/a//b',
    '/../x',
    '/a;b',
    '/a b',
    '/"><script>',
    'tan',
    `/${'x'.repeat(300)}`,
    '',
  ])('takes no prefix that is no plain path: %j', async (prefix) => {
    await expect(shownBelow({ 'X-Forwarded-Prefix': prefix })).resolves.toEqual(ROOT);
  });

  it('takes no prefix of a client that is no trusted proxy', async () => {
    const { app } = application.restarted({ trustProxy: [] });
    const opened = await request(app)
      .get('/admin/getsession')
      .set({ ...AS_ADMIN, 'X-Forwarded-Prefix': '/tan' });
    expect(opened.get('Set-Cookie')?.[0]).toContain('; Path=/; ');
  });

  it('signs people in by cookies below its path, that no other host can plant', async () => {
    const headers = { 'X-Forwarded-Prefix': '/tan', 'X-Forwarded-Proto': 'https' };
    const login = await request(application.app)
      .post('/admin/login')
      .set(headers)
      .type('form')
      .send({ username: 'admin', password: 'wrong' });
    expect(login.status).toBe(401);
    const form = { username: 'admin', password: PASSWORD };
    const right = await request(application.app).post('/admin/login').set(headers).type('form').send(form);
    for (const cookie of right.get('Set-Cookie') ?? []) {
      expect(cookie).toContain('; Path=/tan/; ');
    }
    const shown = { secure: true, host: 'x', prefix: '/tan' };
    expect(keepSignIn(SECOND_STEP, 's', new Date(0), shown)).toMatch(
      /^__Secure-sign_in=s; Path=\/tan\/; .*; Secure$/,
    );
    expect(readSignIn('__Secure-sign_in=s', SECOND_STEP, shown)).toBe('s');
  });
});
