import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { describedIn } from '../../../scripts/described-interface.ts';
import type { OpenApiDocument } from '../../../src/http/description/openapi-document.ts';
import { AS_ADMIN, TestApplication } from '../../support/application/test-application.ts';
import { AnswerCheck, type SentAnswer } from '../../support/description/answer-check.ts';
import { takeFaults } from '../../support/description/described-app.ts';

const RIGHT = {
  version: 'Tankeeper',
  jsonrpc: '2.0',
  result: { status: true, value: { failcount: 0, result: true } },
  id: 1,
};
const check = new AnswerCheck(describedIn('documented'));
const linotpCheck = new AnswerCheck(describedIn('linotp'));

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
    [
      'a member more inside',
      { ...RIGHT, result: { ...RIGHT.result, value: { ...RIGHT.result.value, x: 1 } } },
      {},
    ],
    ['a member less', { ...RIGHT, result: { status: true, value: { result: true } } }, {}],
    ['another type', { ...RIGHT, result: { status: true, value: { failcount: '0', result: true } } }, {}],
    ['the answer of the other dialect', { ...RIGHT, jsonrpc: '2.0802' }, {}],
    ['a status that is not described', RIGHT, { status: 201 }],
    ['a failure that nothing requested', RIGHT, { status: 418 }],
    ['a method that is not described', RIGHT, { method: 'PUT' }],
    ['another content type', RIGHT, { headers: { 'content-type': 'text/plain', 'x-request-id': 'x' } }],
    ['a missing header', RIGHT, { headers: { 'content-type': 'application/json' } }],
    ['no JSON', RIGHT, { body: Buffer.from('{') }],
    ['an unknown path', RIGHT, { url: '/ocra/check' }],
  ])('refuses %s', (_what, body, more) => {
    expect(check.faultIn(answerTo('/ocra/check_t', body, more))).toEqual(expect.any(String));
  });

  it('knows the further paths of the dialect linotp', () => {
    const body = { ...RIGHT, version: 'LinOTP 2.12.6', jsonrpc: '2.0802' };
    expect(linotpCheck.faultIn(answerTo('/ocra/check_t/4711?pass=1', body))).toBeUndefined();
    expect(linotpCheck.faultIn(answerTo('/ocra/check_t/4711', { ...body, more: 1 }))).toEqual(
      expect.stringContaining('must NOT have additional properties'),
    );
    expect(check.faultIn(answerTo('/ocra/check_t/4711', RIGHT))).toEqual(expect.any(String));
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
  const text = JSON.stringify(describedIn('documented'));
  const wrong = text.replace(
    /("MonitoringStorageEncryptionAnswer":.*?"value":\{[^{}]*"type":)"boolean"/,
    '$1"string"',
  );
  expect(wrong).not.toBe(text);
  return JSON.parse(wrong) as OpenApiDocument;
}
