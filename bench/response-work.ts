import { pbkdf2Async } from '@noble/hashes/pbkdf2.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { openChallenge, respond } from '../src/device/challenge.ts';
import type { DeviceToken } from '../src/device/device-token.ts';
import { readCode } from '../src/device/read-code.ts';
import { encodeHex } from '../src/ocra/hex.ts';
import { deriveTokenKey } from '../src/ocra/key-derivation.ts';
import { buildRequestUrl } from '../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../src/ocra/suite.ts';

/** The work of an app that `bench/response-in-browser.ts` times in Node and in a browser. */

const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64');
const NOW = new Date('2026-11-20T12:00:00Z');
const ROUNDS = 10_000;

/** The functions that are timed. */
export const WORKS = [
  'challenge, 1 token',
  'challenge, 20 tokens',
  'key by WebCrypto',
  'key by noble',
] as const;
export type Work = (typeof WORKS)[number];

/**
 * Does the work again and again.
 * @param warmUp times before it is timed
 * @returns milliseconds, one for each time
 */
export async function timeWork(work: Work, times: number, warmUp: number): Promise<number[]> {
  const milliseconds: number[] = [];
  for (let time = -warmUp; time < times; time += 1) {
    const run = prepare(work, time + warmUp);
    const start = performance.now();
    await run();
    if (time >= 0) {
      milliseconds.push(performance.now() - start);
    }
  }
  return milliseconds;
}

function prepare(work: Work, turn: number): () => unknown {
  switch (work) {
    case 'challenge, 1 token':
      return preparedChallenge(1, turn);
    case 'challenge, 20 tokens':
      return preparedChallenge(20, turn);
    case 'key by WebCrypto':
      return () =>
        deriveTokenKey({ sharedSecret: bytes(20, turn), activationCode: bytes(10, 1), nonce: bytes(64, 2) });
    case 'key by noble':
      return () => pbkdf2Async(sha256, bytes(86, turn), bytes(8, 2), { c: ROUNDS, dkLen: 32 });
  }
}

/** Reads the code, finds its token, which is the last one, and computes the response. */
function preparedChallenge(tokens: number, turn: number): () => unknown {
  const held: DeviceToken[] = Array.from({ length: tokens }, (_, index) => ({
    serial: `OCRA${index}`,
    suite: SUITE.text,
    sharedSecret: '',
    key: encodeHex(bytes(32, index)),
    counter: String(turn),
  }));
  const text = buildRequestUrl(SUITE, bytes(32, tokens - 1), {
    message: `Transfer no. ${turn}: 120.00 EUR to Bert, DE12 3456 7890 1234 5678 90?`,
    callbackUrl: 'https://tan.bank.example/ocra/check_t',
    question: `Transferno${turn}12000EURtoBertDE1234567890`.padEnd(64, '0').slice(0, 64),
    transactionId: '0123456789abcdef0123',
  });
  return () => {
    const url = readCode(text);
    if (url.kind !== 'req') {
      throw new Error('The code was read as another one.');
    }
    return respond(openChallenge(held, url, text), { now: NOW });
  };
}

function bytes(length: number, first: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => first + 7 * index);
}
