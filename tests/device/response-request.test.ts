import { describe, expect, it } from '@jest/globals';
import { buildResponseRequest, readVerdict } from '../../src/device/response-request.ts';
import { refusalOf } from '../support/values/refusal.ts';

const answer = (callbackUrl: string) => ({ callbackUrl, transactionId: 'ff00', response: '12345678' });

describe('the request with a response', () => {
  it('is a form with transaction and response', () => {
    const { url, method, body } = buildResponseRequest(answer('https://tan.example/ocra/check_t?a=b'), {
      insecure: 'loopback',
    });
    expect({ url, method, body: body.toString() }).toEqual({
      url: 'https://tan.example/ocra/check_t?a=b',
      method: 'POST',
      body: 'transactionid=ff00&pass=12345678',
    });
  });

  it.each([
    ['javascript:alert(1)', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['ftp://x/', 'scheme'],
    ['//tan.example/', 'scheme'],
    [' https://tan.example/', 'scheme'],
    ['', 'scheme'],
    ['http://', 'syntax'],
    ['https://a b/', 'syntax'],
    ['https://bank.example@evil.example/', 'syntax'],
    ['https://:secret@evil.example/', 'syntax'],
    ['http://tan.example/', 'insecure'],
    ['http://localhost.evil.example/', 'insecure'],
    ['http://127.0.0.1.evil.example/', 'insecure'],
    ['http://127.0.0.1@evil.example/', 'insecure'],
  ])('is not sent to %j', (callbackUrl, fault) => {
    const error = refusalOf(() => buildResponseRequest(answer(callbackUrl), { insecure: 'loopback' }));
    expect(error).toMatchObject({ code: 'callback-url.refused', payload: { fault } });
  });

  it.each([
    'http://localhost:5001/',
    'http://bank.localhost/',
    'http://127.0.0.1:5001/',
    'http://127.1/',
    'HTTP://[::1]/',
    'https://tan.example/',
  ])('is sent to %s', (callbackUrl) => {
    expect(buildResponseRequest(answer(callbackUrl), { insecure: 'loopback' }).url).toBe(callbackUrl);
  });

  it('is sent unencrypted only where the rules say so', () => {
    const url = 'http://tan.example/';
    expect(buildResponseRequest(answer(url), { insecure: 'anywhere' }).url).toBe(url);
  });
});

describe("the server's verdict", () => {
  it.each([
    ['{"result":{"status":true,"value":{"failcount":0,"result":true}}}', true],
    ['{"result":{"status":true,"value":{"failure":1,"result":false}}}', false],
    ['{"result":{"status":false,"error":{"code":-311,"message":"x"}}}', null],
    ['{"result":{"value":{"result":"true"}}}', null],
    ['{"result":{"value":"No challenge for transaction found"}}', null],
    ['{"result":{"value":null}}', null],
    ['[]', null],
    ['"text"', null],
    ['<h1>Bad gateway</h1>', null],
    ['', null],
    [`{"result":{"value":{"result":true}},"x":"${'x'.repeat(70_000)}"}`, null],
  ])('%j is read as %s', (text, verdict) => {
    expect(readVerdict(text)).toBe(verdict);
  });
});
