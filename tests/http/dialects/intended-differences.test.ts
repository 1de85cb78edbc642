import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { TestApplication } from '../../support/application/test-application.ts';

/* The behaviours that docs/compatibility.md names beyond the recorded rows, on the real database. */

let application: TestApplication;

beforeAll(async () => {
  application = await TestApplication.open({ dialect: 'linotp' });
  await application.addRealm('bank', ['anna']);
});
afterAll(() => application.close());

interface Body {
  readonly detail?: { readonly transactionid: string; readonly challenge: string };
  readonly result: { readonly value?: unknown; readonly error?: { readonly message: string } };
}

async function ask(path: string, parameters: Record<string, string>): Promise<Body> {
  return (await application.asAdmin(path, parameters)).body as Body;
}

/** A challenge for that data, answered by the device at this moment; `counter` is where the device is. */
async function pay(serial: string, suite: string, data: string, counter = 0n): Promise<unknown> {
  const { detail } = await ask('/ocra/request', { serial, data });
  if (detail === undefined) {
    throw new Error('no challenge');
  }
  const response = application.respond(suite, detail.challenge, { counter });
  return application.check(detail.transactionid, response);
}

const ACCEPTED = { failcount: 0, result: true };

describe('the same question twice within one time step', () => {
  it('counts as a replay in a suite with a time step and no counter, until the step is over', async () => {
    const suite = 'OCRA-1:HOTP-SHA256-8:QN08-T1M';
    await application.enrolPlain('TIMED', suite);
    expect(await pay('TIMED', suite, '12345678 EUR to Bert')).toEqual(ACCEPTED);
    const { detail } = await ask('/ocra/request', { serial: 'TIMED', data: '12345678 EUR to Bert' });
    const answer = (): Promise<unknown> =>
      application.check(detail?.transactionid ?? '', application.respond(suite, detail?.challenge ?? ''));
    expect(await answer()).toEqual({ failcount: 1, result: false });
    application.clock.advance(60);
    expect(await answer()).toEqual(ACCEPTED);
  });

  it.each([
    ['with a counter', 'OCRA-1:HOTP-SHA256-8:C-QN08', [0n, 1n]],
    ['with a counter and a time step', 'OCRA-1:HOTP-SHA256-8:C-QN08-T1M', [0n, 1n]],
    ['whose question is longer than the data', 'OCRA-1:HOTP-SHA256-8:QA64-T1M', [0n, 0n]],
    ['with neither counter nor time step', 'OCRA-1:HOTP-SHA256-8:QN08', [0n, 0n]],
  ] as const)('does not count as a replay in a suite %s', async (_name, suite, [first, second]) => {
    const serial = `S${suite.replaceAll(/[^A-Z0-9]/g, '')}`;
    await application.enrolPlain(serial, suite);
    expect(await pay(serial, suite, '12345678 EUR to Bert', first)).toEqual(ACCEPTED);
    expect(await pay(serial, suite, '12345678 EUR to Carl', second)).toEqual(ACCEPTED);
  });
});

describe('a token of the type ocra2', () => {
  it('is enrolled, challenged and answered like one of the type ocra, and keeps its type', async () => {
    const suite = 'OCRA-1:HOTP-SHA256-8:C-QA64';
    await application.enrolPlain('SECOND', suite, { type: 'ocra2' });
    expect(await pay('SECOND', suite, 'x')).toEqual(ACCEPTED);
    expect(await ask('/admin/show', { serial: 'SECOND' })).toHaveProperty('result.value.data', [
      expect.objectContaining({ 'LinOtp.TokenType': 'ocra2' }),
    ]);
  });

  it('goes through both phases of the roll-out of one', async () => {
    const type = { type: 'ocra2', genkey: '1', serial: 'SECOND2' };
    const phase1 = await ask('/admin/init', { ...type, sharedsecret: '1' });
    expect(phase1).toHaveProperty('detail.app_import', expect.stringMatching(/^lseqr:\/\/init\?/));
    const phase2 = await ask('/admin/init', { ...type, activationcode: 'GEZDGNBVGY3TQOJQ01' });
    expect(phase2).toHaveProperty('detail.app_import', expect.stringMatching(/^lseqr:\/\/nonce\?/));
  });
});

describe('a resolver', () => {
  it('is not removed while one of its users owns a token', async () => {
    await application.addRealm('leaving', ['otto']);
    await application.enrolPlain('OTTO', 'OCRA-1:HOTP-SHA256-8:C-QA64', { user: 'otto', realm: 'leaving' });
    await ask('/system/delRealm', { realm: 'leaving' });
    const remove = (): Promise<Body> => ask('/system/delResolver', { resolver: 'leaving' });
    expect(await remove()).toHaveProperty(
      'result.error.message',
      "The resolver 'leaving' is in use by owners of tokens",
    );
    await ask('/admin/unassign', { serial: 'OTTO' });
    expect(await remove()).toHaveProperty('result.value', true);
  });
});

describe('a request to the dialect linotp', () => {
  it.each(['put', 'delete', 'patch'] as const)(
    'by %s is refused with the methods that there are',
    async (method) => {
      const response = await request(application.app)[method]('/ocra/check_t?pass=x&transactionid=123');
      expect(response.status).toBe(405);
      expect(response.get('Allow')).toBe('GET, HEAD, POST, OPTIONS');
      expect(response.body).toHaveProperty('result.status', false);
    },
  );

  it('by OPTIONS is answered with the methods that there are', async () => {
    const response = await request(application.app).options('/ocra/check_t');
    expect({ status: response.status, allow: response.get('Allow') }).toEqual({
      status: 204,
      allow: 'GET, HEAD, POST, OPTIONS',
    });
  });

  it('whose body has no type is refused', async () => {
    const response = await request(application.app)
      .post('/ocra/check_t')
      .type('')
      .send(Buffer.from('pass=x&transactionid=123'));
    expect(response.status).toBe(415);
    expect(response.body).toHaveProperty(
      'result.error.message',
      expect.stringContaining('x-www-form-urlencoded'),
    );
  });
});

describe('a challenge of a token', () => {
  it('that was removed is not known any more', async () => {
    await application.enrolPlain('GONE', 'OCRA-1:HOTP-SHA256-8:C-QA64');
    const { detail } = await ask('/ocra/request', { serial: 'GONE', data: 'x' });
    await ask('/admin/remove', { serial: 'GONE' });
    const transaction = detail?.transactionid ?? '';
    expect(await application.check(transaction, '12345678')).toEqual({
      failure: `No challenge for transaction u'${transaction}' found`,
      result: false,
    });
  });

  it('that was never issued is not listed', async () => {
    await application.enrolPlain('QUIET', 'OCRA-1:HOTP-SHA256-8:C-QA64');
    expect(await ask('/ocra/checkstatus', { serial: 'QUIET' })).toHaveProperty('result.value', {
      values: [],
    });
  });
});
