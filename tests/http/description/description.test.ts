import { describe, expect, it } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import request from 'supertest';
import { describedInterface } from '../../../scripts/described-interface.ts';
import type { OpenApiDocument } from '../../../src/http/description/openapi-document.ts';
import { applicationOfTests, AS_ADMIN, TestApplication } from '../../support/application/test-application.ts';
import { AnswerCheck, type SentAnswer } from '../../support/description/answer-check.ts';
import { takeFaults } from '../../support/description/described-app.ts';

const RIGHT = {
  version: 'Tankeeper',
  jsonrpc: '2.0',
  result: { status: true, value: { failcount: 0, result: true } },
  id: 1,
};
const check = new AnswerCheck(describedInterface());

function answerTo(url: string, body: unknown, more: Partial<SentAnswer> = {}): SentAnswer {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'x' };
  return { method: 'GET', url, status: 200, headers, body: Buffer.from(JSON.stringify(body)), ...more };
}

describe('the check of answers against their description', () => {
  it('accepts an answer that is as described', () => {
    expect(check.faultIn(answerTo('/ocra/check_t', RIGHT))).toBeUndefined();
  });

  it.each([
    ['a member more', { ...RIGHT, more: 1 }, {}],
    ['a member less', { ...RIGHT, result: { status: true, value: { result: true } } }, {}],
    ['another type', { ...RIGHT, result: { status: true, value: { failcount: '0', result: true } } }, {}],
    ['the answer of the other dialect', { ...RIGHT, jsonrpc: '2.0802' }, {}],
    ['a failure that nothing requested', RIGHT, { status: 418 }],
    ['a method that is not described', RIGHT, { method: 'PUT' }],
    ['another content type', RIGHT, { headers: { 'content-type': 'text/plain', 'x-request-id': 'x' } }],
    ['a missing header', RIGHT, { headers: { 'content-type': 'application/json' } }],
    ['an unknown path', RIGHT, { url: '/ocra/check' }],
  ])('refuses %s', (_what, body, more) => {
    expect(check.faultIn(answerTo('/ocra/check_t', body, more))).toEqual(expect.any(String));
  });

  it('sees every answer of an app: a wrong description is noticed in the test that requests it', async () => {
    const application = await TestApplication.open({
      check: new AnswerCheck(withWrongStorageEncryption()),
    });
    const { app } = application;
    await request(app).get('/monitoring/storageEncryption').set(AS_ADMIN);
    expect(takeFaults()).toEqual([
      expect.stringContaining('GET /monitoring/storageEncryption (200): answer/result/value must be string'),
    ]);
    await request(app).get('/monitoring/config').set(AS_ADMIN);
    expect(takeFaults()).toEqual([]);
    await application.close();
  });
});

/** The description, but for one type. */
function withWrongStorageEncryption(): OpenApiDocument {
  const text = JSON.stringify(describedInterface());
  const wrong = text.replace(
    /("MonitoringStorageEncryptionAnswer":.*?"value":\{[^{}]*"type":)"boolean"/,
    '$1"string"',
  );
  expect(wrong).not.toBe(text);
  return JSON.parse(wrong) as OpenApiDocument;
}

const application = applicationOfTests({ http: { documentedVersion: '1.2.3' } });

interface Described {
  readonly openapi: string;
  readonly info: { readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, object>>;
}

async function describedBy(dialect: 'documented' | 'linotp'): Promise<Described> {
  return (await request(application.restarted({ dialect }).app).get('/openapi.json')).body as Described;
}

describe('/openapi.json', () => {
  it('describes every endpoint, itself included, with the version of tankeeper', async () => {
    const { openapi, info, paths } = await describedBy('documented');
    expect(openapi).toBe('3.1.1');
    expect(info.version).toBe('1.2.3');
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['/ocra/request', '/monitoring/tokens', '/healthz', '/openapi.json']),
    );
  });

  it('is the same whatever the server speaks', async () => {
    expect(await describedBy('linotp')).toEqual(await describedBy('documented'));
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

/** @returns each finding of the linter: its rule, and where it is */
async function findingsIn(document: OpenApiDocument): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      'no-invalid-media-type-examples': 'error',
      'no-invalid-parameter-examples': 'error',
      'no-invalid-schema-examples': 'error',
      'operation-operationId': 'error',
      'operation-operationId-unique': 'error',
    },
  });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`,
  );
}

describe('the description', () => {
  it('has no finding of the linter', async () => {
    expect(await findingsIn(describedInterface())).toEqual([]);
  });

  it('has an example of the main answers', () => {
    const { paths } = describedInterface();
    for (const path of ['/ocra/request', '/ocra/check_t', '/ocra/checkstatus', '/admin/init']) {
      expect(paths[path]?.get?.responses['200']).toMatchObject({
        content: { 'application/json': { examples: { success: { value: expect.anything() } } } },
      });
    }
  });

  it('has a description of every parameter', () => {
    const { paths } = describedInterface();
    const parameters = Object.values(paths).flatMap((item) => item.get?.parameters ?? []);
    expect(parameters.length).toBeGreaterThan(100);
    expect(parameters.filter((one) => !('$ref' in one) && one.description === undefined)).toEqual([]);
  });

  it('marks POST on /monitoring as deprecated, and nothing else', () => {
    const { paths } = describedInterface();
    const deprecated = Object.entries(paths).flatMap(([path, { get, post }]) =>
      [get, post].flatMap((operation) =>
        operation?.deprecated === true ? [`${operation.operationId} ${path}`] : [],
      ),
    );
    expect(deprecated).toHaveLength(6);
    expect(deprecated.filter((one) => !/^postMonitoring\w+ \/monitoring\//.test(one))).toEqual([]);
  });
});
