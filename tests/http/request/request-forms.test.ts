import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import request from 'supertest';
import type { ChallengeService } from '../../../src/challenges/challenge-service.ts';
import { sendRaw } from '../../support/application/raw-http.ts';
import { AS_ADMIN, PASSWORD, TestApplication } from '../../support/application/test-application.ts';

const CHECK = '/ocra/check_t';

let application: TestApplication;
/** Sees what the service is given. */
let checked: jest.SpiedFunction<ChallengeService['checkTransaction']>;

beforeAll(async () => {
  application = await TestApplication.open({ limits: { clientFailures: 1_000, transactionFailures: 1_000 } });
  checked = jest.spyOn(application.services.ocra, 'checkTransaction');
});
afterEach(() => {
  checked.mockClear();
});
afterAll(() => application.close());

function post(contentType: string, body: string | Buffer): request.Test {
  return request(application.app)
    .post(CHECK)
    .set('Content-Type', contentType)
    .serialize((value: string | Buffer) => value as string)
    .send(body);
}

/** @returns what the only check of a response was given */
function given(): unknown {
  expect(checked).toHaveBeenCalledTimes(1);
  return checked.mock.calls[0]?.[1];
}

describe('parameters', () => {
  it('come from query string and body together, and the query wins', async () => {
    await request(application.app).post(`${CHECK}?pass=query`).type('form').send('pass=body&transactionid=t');
    expect(given()).toEqual({ pass: 'query', transactionId: 't' });
  });

  it('are read in any case of letters, the last of a repeated name', async () => {
    await request(application.app).get(`${CHECK}?pass=1&PASS=2&Pass=3&TransActionId=t`);
    expect(given()).toEqual({ pass: '3', transactionId: 't' });
  });

  it('may be numbers and booleans in JSON, and null is not given', async () => {
    const response = await request(application.app)
      .post(CHECK)
      .send({ pass: 123456, transactionid: true, id: 42, httperror: null });
    expect(given()).toEqual({ pass: '123456', transactionId: 'true' });
    expect(response.body).toHaveProperty('id', 42);
  });

  it('may bear names that objects have, too', async () => {
    const body = '{"__proto__": "x", "constructor": "y", "pass": "p", "transactionid": "t"}';
    const response = await post('application/json', body).query('__proto__=z&toString=1&hasOwnProperty=2');
    expect(response.status).toBe(200);
    expect(given()).toEqual({ pass: 'p', transactionId: 't' });
  });

  it('in the body of a GET do not count', async () => {
    await request(application.app).get(`${CHECK}?pass=p&transactionid=t`).type('form').send('pass=other');
    expect(given()).toEqual({ pass: 'p', transactionId: 't' });
  });

  it('are not checked more closely than necessary: long, blank and marked up ones pass', async () => {
    for (const pass of ['x'.repeat(60_000), ' ', "';--<b>\r\nSet-Cookie: a=b", '*', '%', '\u{1f600}']) {
      checked.mockClear();
      const response = await request(application.app)
        .post(CHECK)
        .type('form')
        .send({ pass, transactionid: 't' });
      expect(response.status).toBe(200);
      expect(response.headers).not.toHaveProperty('set-cookie');
      expect(given()).toEqual({ pass, transactionId: 't' });
    }
  });
});

describe('a body in the charset that it declares, or without one in UTF-8 or Latin-1', () => {
  const FORM = 'application/x-www-form-urlencoded';
  const word = 'M\u00fcller \u20ac';
  const latin1 = Buffer.from([0x4d, 0xfc, 0x6c, 0x6c, 0x65, 0x72, 0x20, 0x80]);
  const form = Buffer.concat([Buffer.from('transactionid=t&pass='), latin1]);
  const json = Buffer.concat([Buffer.from('{"transactionid": "t", "pass": "'), latin1, Buffer.from('"}')]);
  const parts = (pass: Buffer, header = ''): Buffer => {
    const begin = (name: string): string => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n`;
    return Buffer.concat([
      Buffer.from(`${begin('transactionid')}\r\nt\r\n${begin('pass')}${header}\r\n`),
      pass,
      Buffer.from('\r\n--b--'),
    ]);
  };

  it.each<[contentType: string, body: Buffer | string]>([
    [`${FORM}; charset=ISO-8859-1`, form],
    [`${FORM};charset="iso-8859-1"`, form],
    [`${FORM}; Charset=Windows-1252; x=y`, form],
    [`${FORM}; charset=LATIN1`, 'transactionid=t&pass=M%FCller+%80'],
    [`${FORM}; charset=US-ASCII`, 'transactionid=t&pass=M%C3%BCller+%E2%82%AC'],
    [`${FORM}; charset=us-ascii`, 'transactionid=t&pass=M%FCller+%80'],
    [`${FORM}; charset=UTF8`, 'transactionid=t&pass=M%C3%BCller+%E2%82%AC'],
    [FORM, form],
    [FORM, 'transactionid=t&pass=M%FCller+%80'],
    [FORM, 'transactionid=t&pass=M%C3%BCller+%E2%82%AC'],
    ['application/json; charset=iso-8859-1', json],
    ['application/json', `\ufeff{"transactionid": "t", "pass": "${word}"}`],
    ['multipart/form-data; boundary=b', parts(latin1)],
    ['multipart/form-data; boundary=b; charset=ISO-8859-1', parts(latin1)],
    ['multipart/form-data; boundary=b', parts(latin1, 'Content-Type: text/plain; charset="ISO-8859-1"\r\n')],
    [
      'multipart/form-data; boundary=b; charset=ISO-8859-1',
      parts(Buffer.from(word), 'Content-Type: text/plain; charset=UTF-8\r\n'),
    ],
  ])('is read by it: %s', async (contentType, body) => {
    expect((await post(contentType, body)).status).toBe(200);
    expect(given()).toEqual({ pass: word, transactionId: 't' });
  });

  it.each<[contentType: string, body: Buffer | string]>([
    [`${FORM}; charset=utf-16`, form],
    [`${FORM}; charset=`, form],
    [`${FORM}; charset=constructor`, form],
    ['multipart/form-data; boundary=b; charset=shift_jis', parts(latin1)],
  ])('is refused with 415 and the known ones where it is unknown: %s', async (contentType, body) => {
    const response = await post(contentType, body);
    expect(response.status).toBe(415);
    expect(response.text).toContain('must be in UTF-8, ISO-8859-1 or windows-1252');
    expect(checked).not.toHaveBeenCalled();
  });
});

it.each(['M%FCller+%80', 'M%C3%BCller+%E2%82%AC'])(
  'a URL is read as UTF-8, else as Latin-1: %s',
  async (pass) => {
    await request(application.app).get(`${CHECK}?transactionid=t&pass=${pass}`);
    expect(given()).toEqual({ pass: 'Müller €', transactionId: 't' });
  },
);

it('every byte of windows-1252 is its character, also where it names none', async () => {
  const named =
    '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f';
  const percent = Array.from({ length: 16 }, (_, place) => `%8${place.toString(16)}`).join('');
  await request(application.app).get(`${CHECK}?transactionid=t&pass=z${percent}%A0%FF`);
  expect(given()).toEqual({ pass: `z${named}\u00a0\u00ff`, transactionId: 't' });
});

describe('parameters in the dialect linotp', () => {
  let linotp: TestApplication;
  beforeAll(() => {
    linotp = application.restarted({ dialect: 'linotp' });
    checked = jest.spyOn(linotp.services.ocra, 'checkTransaction');
  });
  afterAll(() => {
    checked = jest.spyOn(application.services.ocra, 'checkTransaction');
  });

  it.each([
    ['pass=%ZZ1&transactionid=t', '%ZZ1'],
    ['pass=1%4&transactionid=t', '1%4'],
    ['pass=%&transactionid=t', '%'],
    ['transactionid=t;pass=a%3Bb;', 'a;b'],
    ['transactionid=t&x=1;pass=2&y', '2'],
  ])('keep a percent sign that encodes nothing, and end at a semicolon, too: %s', async (text, pass) => {
    await request(linotp.app).get(`${CHECK}?${text}`);
    expect(given()).toEqual({ pass, transactionId: 't' });
    checked.mockClear();
    await request(linotp.app).post(CHECK).type('form').send(text);
    expect(given()).toEqual({ pass, transactionId: 't' });
  });

  it('are at most 250 all the same', async () => {
    const sent = request(linotp.app).get(`${CHECK}?${'a=1;'.repeat(251)}`);
    expect((await sent).status).toBe(400);
  });

  it('hide no csrf_token in the URL', async () => {
    const login = await request(linotp.app)
      .post('/admin/login')
      .type('form')
      .send({ username: 'admin', password: PASSWORD });
    const cookies = (login.get('Set-Cookie') ?? []).map((cookie) => cookie.split(';')[0] ?? '');
    const csrf = cookies[1]?.split('=')[1] ?? '';
    const change = (query: string): request.Test =>
      request(linotp.app).get(`/admin/enable?${query}`).set('Cookie', cookies.join('; '));
    for (const query of [`a=%ZZ&csrf_token=${csrf}`, `a=b;csrf_token=${csrf}`]) {
      expect((await change(`serial=X&${query}`)).status).toBe(401);
    }
    expect((await change('serial=X').set('X-CSRF-TOKEN', csrf)).status).toBe(200);
  });
});

describe('a malformed request', () => {
  it.each([
    ['broken JSON', 'application/json', '{"pass": topsecret'],
    ['JSON that is a list', 'application/json', '["topsecret"]'],
    ['JSON that is a text', 'application/json', '"topsecret"'],
    ['JSON that is null', 'application/json', 'null'],
    ['nested JSON', 'application/json', '{"pass": {"a": "topsecret"}}'],
    ['a list in JSON', 'application/json', '{"pass": ["topsecret"]}'],
    ['a number that JSON readers cannot keep', 'application/json', '{"pass": 12345678901234567890}'],
    ['an infinite number', 'application/json', '{"pass": 1e999}'],
    ['half a character in JSON', 'application/json', '{"pass": "\\ud800"}'],
    ['U+0000 in JSON', 'application/json', '{"pass": "a\\u0000"}'],
    ['U+0000 in a form', 'application/x-www-form-urlencoded', 'pass=a%00'],
    ['a broken percent sequence', 'application/x-www-form-urlencoded', 'pass=topsecret%4'],
    ['another charset than declared', 'application/x-www-form-urlencoded; charset=utf-8', 'pass=%E4'],
    ['JSON in Latin-1', 'application/json', Buffer.from('{"pass": "ä"}', 'latin1')],
    ['multipart without a boundary', 'multipart/form-data', 'topsecret'],
    ['multipart with another boundary', 'multipart/form-data; boundary=b', '--c\r\n\r\ntopsecret\r\n--c--'],
    [
      'multipart that breaks off',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx',
    ],
    ['too many parameters', 'application/x-www-form-urlencoded', 'a=1&'.repeat(251)],
  ])('is refused with 400: %s', async (_what, contentType, body) => {
    const response = await post(contentType, body);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ result: { status: false, error: { code: -311 } }, id: 1 });
    expect(response.text).not.toContain('topsecret');
    expect(checked).not.toHaveBeenCalled();
  });

  it.each(['pass=%', 'pass=%00', 'a=1&'.repeat(251)])('is refused with 400: the query %#', async (query) => {
    expect((await request(application.app).get(`${CHECK}?${query}`)).status).toBe(400);
  });

  it('is refused where query string and body together have too many parameters', async () => {
    const response = await post('application/x-www-form-urlencoded', 'a=1&'.repeat(126)).query(
      'b=1&'.repeat(125),
    );
    expect(response.status).toBe(400);
  });
});

describe('a body', () => {
  const form = 'application/x-www-form-urlencoded';

  it('of 64 KiB is read', async () => {
    const pass = 'x'.repeat(65_536 - 'transactionid=t&pass='.length);
    expect((await post(form, `transactionid=t&pass=${pass}`)).status).toBe(200);
    expect((await post(form, `transactionid=t&pass=${pass}x`)).status).toBe(413);
  });

  it('that is too large is refused with 413 also when its length is not announced', async () => {
    const chunk = `2000\r\n${'x'.repeat(0x2000)}\r\n`;
    const answer = await sendRaw(
      application.app,
      `POST ${CHECK} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${form}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(9)}0\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code": -311');
    expect(checked).not.toHaveBeenCalled();
  });

  it('that comes in chunks is read', async () => {
    await sendRaw(
      application.app,
      `POST ${CHECK} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${form}\r\nTransfer-Encoding: chunked\r\n\r\n6\r\npass=p\r\n10\r\n&transactionid=t\r\n0\r\n\r\n`,
    );
    expect(given()).toEqual({ pass: 'p', transactionId: 't' });
  });

  it.each(['text/plain', 'application/xml', 'application/octet-stream', 'application/jsonx', 'x', ''])(
    'of the type %j is refused with 415',
    async (contentType) => {
      const headers = contentType === '' ? '' : `Content-Type: ${contentType}\r\n`;
      const answer = await sendRaw(
        application.app,
        `POST ${CHECK} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}Content-Length: 6\r\n\r\npass=p`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 415 /);
      expect(answer).toContain('application/x-www-form-urlencoded');
      expect(checked).not.toHaveBeenCalled();
    },
  );

  it.each(['iso-8859-15', '"utf-16"', 'nonsense'])(
    'in the charset %s is refused with 415',
    async (charset) => {
      expect((await post(`${form}; charset=${charset}`, 'pass=p')).status).toBe(415);
    },
  );

  it.each(['UTF-8', '"utf-8"', 'us-ascii'])('in the charset %s is read', async (charset) => {
    await post(`Application/JSON; charset=${charset}`, '{"pass":"p","transactionid":"t"}');
    expect(given()).toEqual({ pass: 'p', transactionId: 't' });
  });

  it('that is compressed is refused with 415', async () => {
    const response = await post(form, gzipSync('pass=p&transactionid=t')).set('Content-Encoding', 'gzip');
    expect(response.status).toBe(415);
    expect(checked).not.toHaveBeenCalled();
  });

  it('that is empty needs no type', async () => {
    const answer = await sendRaw(
      application.app,
      `POST ${CHECK}?pass=p&transactionid=t HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('does not matter at an unknown path', async () => {
    expect((await request(application.app).post('/ocra/nothing').set(AS_ADMIN).send({ a: 1 })).status).toBe(
      404,
    );
  });
});
