import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';

const DATA = '12345678';
const ZERO = Buffer.of(0);
const suiteOf = (hash: string): string => `OCRA-1:HOTP-${hash}-8:C-QN08`;
const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => at + 1));
const hashed = (hash: string, key: Buffer): Buffer => createHash(hash).update(key).digest();

let application: TestApplication;
let serial: string;
let number = 0;

beforeAll(async () => {
  application = await TestApplication.open();
});
afterAll(() => application.close());
beforeEach(() => {
  number += 1;
  serial = `EQUAL${number}`;
});

async function init(key: Buffer, ocrasuite: string, more: Record<string, string> = {}): Promise<void> {
  const { body } = (await application.asAdmin('/admin/init', {
    type: 'ocra',
    serial,
    otpkey: key.toString('hex'),
    ocrasuite,
    ...more,
  })) as { body: { result: { status: boolean } } };
  expect(body.result.status).toBe(true);
}

async function answer(suite: string, key: Buffer, counter: bigint): Promise<unknown> {
  const { transactionid } = await application.challenge(serial, DATA);
  return application.check(transactionid, application.respond(suite, DATA, { key, counter }));
}

const counter = async (): Promise<bigint> =>
  (await application.services.tokens.show(OPERATOR, serial)).counter;

describe('a token that is enrolled anew with another spelling of its key', () => {
  it.each([
    ['K and K followed by a zero', 'SHA256', bytes(32), Buffer.concat([bytes(32), ZERO])],
    ['K followed by zeros and K', 'SHA1', Buffer.concat([bytes(20), Buffer.alloc(44)]), bytes(20)],
    [
      'K and K filled up to a block of SHA-512',
      'SHA512',
      bytes(64),
      Buffer.concat([bytes(64), Buffer.alloc(64)]),
    ],
    ['a long key and its SHA-256', 'SHA256', bytes(65), hashed('sha256', bytes(65))],
    ['the SHA-1 of a long key and that key', 'SHA1', hashed('sha1', bytes(128)), bytes(128)],
    [
      'a long key and its SHA-256 followed by zeros',
      'SHA256',
      bytes(100),
      Buffer.concat([hashed('sha256', bytes(100)), ZERO, ZERO]),
    ],
  ])('refuses a spent response, and counts on: %s', async (_, hash, first, second) => {
    const suite = suiteOf(hash);
    await init(first, suite);
    expect(await answer(suite, first, 3n)).toEqual({ failcount: 0, result: true });
    await init(second, suite);
    expect(await counter()).toBe(4n);
    expect(await answer(suite, second, 3n)).toEqual({ failcount: 1, result: false });
    expect(await answer(suite, second, 4n)).toEqual({ failcount: 0, result: true });
  });

  it('counts on after a roll-out that was begun with the same key as shared secret', async () => {
    const suite = suiteOf('SHA256');
    const spelt = Buffer.concat([bytes(32), ZERO]);
    await init(bytes(32), suite);
    expect(await answer(suite, bytes(32), 3n)).toEqual({ failcount: 0, result: true });
    await init(spelt, suite, { sharedsecret: '1' });
    await init(bytes(32), suite);
    expect(await answer(suite, bytes(32), 3n)).toEqual({ failcount: 1, result: false });
  });
});

describe('a token that is enrolled anew with a key that is another one to HMAC', () => {
  it.each([
    ['a zero in front', 'SHA256', bytes(32), Buffer.concat([ZERO, bytes(32)])],
    ['the SHA-256 of a key of one block', 'SHA256', bytes(64), hashed('sha256', bytes(64))],
    [
      'the SHA-512 of a key that is no longer than a block of SHA-512',
      'SHA512',
      bytes(128),
      hashed('sha512', bytes(128)),
    ],
    ['the SHA-1 of a long key, for SHA-256', 'SHA256', bytes(65), hashed('sha1', bytes(65))],
  ])('begins to count anew: %s', async (_, hash, first, second) => {
    const suite = suiteOf(hash);
    await init(first, suite);
    expect(await answer(suite, first, 3n)).toEqual({ failcount: 0, result: true });
    await init(second, suite);
    expect(await counter()).toBe(0n);
    expect(await answer(suite, second, 0n)).toEqual({ failcount: 0, result: true });
  });

  it('begins to count anew: the same key, another suite', async () => {
    await init(bytes(20), suiteOf('SHA1'));
    expect(await answer(suiteOf('SHA1'), bytes(20), 3n)).toEqual({ failcount: 0, result: true });
    await init(Buffer.concat([bytes(20), ZERO]), suiteOf('SHA256'));
    expect(await counter()).toBe(0n);
  });
});
