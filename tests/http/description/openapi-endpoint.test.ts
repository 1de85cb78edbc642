import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { TestApplication } from '../../support/application/test-application.ts';

let application: TestApplication;
beforeAll(async () => {
  application = await TestApplication.open({ http: { documentedVersion: '1.2.3' } });
});
afterAll(() => application.close());

interface Described {
  readonly openapi: string;
  readonly info: { readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, object>>;
}

async function describedBy(path: string, dialect: 'documented' | 'linotp'): Promise<Described> {
  return (await request(application.restarted({ dialect }).app).get(path)).body as Described;
}

describe('/openapi.json', () => {
  it('describes every endpoint, itself included, with the version of tankeeper', async () => {
    const { openapi, info, paths } = await describedBy('/openapi.json', 'documented');
    expect(openapi).toBe('3.1.1');
    expect(info.version).toBe('1.2.3');
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['/ocra/request', '/monitoring/tokens', '/healthz', '/openapi.json']),
    );
  });

  it.each([
    ['/openapi.json', 'documented', 'documented'],
    ['/openapi.json', 'linotp', 'linotp'],
    ['/openapi.json?dialect=linotp', 'documented', 'linotp'],
    ['/openapi.json?dialect=documented', 'linotp', 'documented'],
  ] as const)('%s of a server in %s is of the dialect %s', async (path, own, shown) => {
    const { info, paths } = await describedBy(path, own);
    expect(info.description).toContain(`This is the dialect \`${shown}\``);
    expect(JSON.stringify(paths['/ocra/check_t']).includes('LinOtp2')).toBe(shown === 'linotp');
  });

  it('refuses another dialect', async () => {
    const { app } = application;
    const answer = await request(app).get('/openapi.json?dialect=linotp4');
    expect(answer.body).toMatchObject({ result: { status: false, error: { code: -311 } } });
  });

  it('answers 304 to a client that has it', async () => {
    const { app } = application;
    const first = await request(app).get('/openapi.json');
    const tag = first.get('ETag') ?? '';
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    expect(first.get('Cache-Control')).toBe('no-cache');
    const second = await request(app).get('/openapi.json').set('If-None-Match', `"other", W/${tag}`);
    expect([second.status, second.text]).toEqual([304, '']);
    expect((await request(app).get('/openapi.json').set('If-None-Match', '"other"')).status).toBe(200);
  });

  it('is not there where the documentation is off', async () => {
    const { app } = application.restarted({ http: {} });
    expect((await request(app).get('/openapi.json')).status).toBe(404);
  });
});
