import fc from 'fast-check';
import { createHmac, createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { computeResponse, encodeDataInput, responder, hmacBlock } from '../../src/ocra/compute.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { readVectorFile, VECTORS_FOLDER } from '../support/values/vectors.ts';
import { readdirSync } from 'node:fs';
import { compareWithLedger, NOTHING_FOUND } from '../support/values/compatibility-ledger.ts';
import { DEVICE_RUNS, OCRA_RUNS } from '../support/vectors/vectors.ts';
import { computeDecline, verifyDecline } from '../../src/ocra/decline.ts';
import { buildRequestUrl } from '../../src/ocra/qrtan-url.ts';

describe('computeResponse', () => {
  it('never answers with an empty key', () => {
    const suite = parseOcraSuite('OCRA-1:HOTP-SHA1-6:QN08');
    expect(() => responder(suite, Buffer.alloc(0))).toThrow(/the key is empty/);
  });
});

describe('the vectors of RFC 6287 and LinOTP', () => {
  it('are computed from every file that there is', () => {
    const files = readdirSync(VECTORS_FOLDER).filter((file) => /\.jsonl?$/.test(file));
    expect(OCRA_RUNS.map(({ file }) => file).toSorted()).toEqual(files.toSorted());
  });

  it.each(OCRA_RUNS)('all $rows of $file hold, but for those set aside', async ({ file, rows, check }) => {
    const checked = await check(readVectorFile(file));
    expect(checked).toHaveLength(rows);
    expect(compareWithLedger(file.replace(/\.jsonl?$/, ''), checked)).toEqual(NOTHING_FOUND);
  });
});

describe('an app that meets the vectors', () => {
  it.each(DEVICE_RUNS)('agrees with $rows rows of $file', async ({ file, rows, check }) => {
    const checked = await check(readVectorFile(file));
    expect(checked).toHaveLength(rows);
    expect(checked.filter(({ holds }) => !holds)).toEqual([]);
  });
});

const LENGTHS = { sha1: 64, sha256: 64, sha512: 128 } as const;

const hashes = fc.constantFrom(...(Object.keys(LENGTHS) as (keyof typeof LENGTHS)[]));

describe('the block that HMAC makes of a key', () => {
  it('has the length of a block of the hash, and gives the same HMAC as the key', () => {
    fc.assert(
      fc.property(hashes, fc.uint8Array({ minLength: 1, maxLength: 200 }), (hash, key) => {
        const block = hmacBlock(hash, key);
        expect(block).toHaveLength(LENGTHS[hash]);
        expect(createHmac(hash, block).update('data').digest()).toEqual(
          createHmac(hash, key).update('data').digest(),
        );
      }),
    );
  });

  it.each([
    ['sha1', 64],
    ['sha256', 64],
    ['sha512', 128],
  ] as const)(
    'of %s is that of the hash of a key of more than %i bytes, of no shorter one',
    (hash, length) => {
      const blockOfHash = (key: Uint8Array): Uint8Array =>
        hmacBlock(hash, createHash(hash).update(key).digest());
      const [whole, longer] = [Buffer.alloc(length, 7), Buffer.alloc(length + 1, 7)];
      expect(hmacBlock(hash, longer)).toEqual(blockOfHash(longer));
      expect(hmacBlock(hash, whole)).toEqual(whole);
      expect(hmacBlock(hash, whole)).not.toEqual(blockOfHash(whole));
    },
  );
});

const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64');

const KEY = Buffer.alloc(32, 5);

const CHALLENGE = { question: 'Pay120EUR0000abcd', transactionId: '5f1c0e9a7b3d42860c1e' };

describe('a decline', () => {
  it.each([
    ['declined', 'DECLINE-1'],
    ['reported', 'REPORT-1'],
  ] as const)(
    '%s is the HMAC of the algorithm, the suite, the question and the transaction',
    (kind, algorithm) => {
      const text = Buffer.concat([
        Buffer.from(`${algorithm}:${SUITE.text}\0`),
        Buffer.from(CHALLENGE.question.padEnd(128, '\0')),
        Buffer.from(CHALLENGE.transactionId),
      ]);
      expect(computeDecline(SUITE, KEY, CHALLENGE, kind)).toBe(
        createHmac('sha256', KEY).update(text).digest('hex'),
      );
    },
  );

  it.each(['declined', 'reported'] as const)('%s is known by its kind, in either letter case', (kind) => {
    const decline = computeDecline(SUITE, KEY, CHALLENGE, kind);
    expect(verifyDecline(SUITE, KEY, CHALLENGE, decline)).toBe(kind);
    expect(verifyDecline(SUITE, KEY, CHALLENGE, decline.toUpperCase())).toBe(kind);
  });

  it.each(['', '00', 'f'.repeat(64), 'f'.repeat(10_000), 'ß'.repeat(64)])('is not “%.20s”', (text) => {
    expect(verifyDecline(SUITE, KEY, CHALLENGE, text)).toBeUndefined();
  });

  it('is for one key, suite, question and transaction, and whole', () => {
    const decline = computeDecline(SUITE, KEY, CHALLENGE, 'reported');
    const others = [
      verifyDecline(SUITE, Buffer.alloc(32, 6), CHALLENGE, decline),
      verifyDecline(parseOcraSuite('OCRA-1:HOTP-SHA256-6:C-QA64'), KEY, CHALLENGE, decline),
      verifyDecline(SUITE, KEY, { ...CHALLENGE, question: 'Pay120EUR0000abce' }, decline),
      verifyDecline(SUITE, KEY, { ...CHALLENGE, transactionId: '5f1c0e9a7b3d42860c1f' }, decline),
      verifyDecline(SUITE, KEY, CHALLENGE, decline.slice(0, -1)),
    ];
    expect(others).toEqual(Array(others.length).fill(undefined));
  });

  it('begins as no data input of a response and no signed code begins, so that it is never one of them', () => {
    const first = (text: Uint8Array | string): string => Buffer.from(text).toString('latin1').charAt(0);
    const code = buildRequestUrl(SUITE, KEY, { ...CHALLENGE, message: '', callbackUrl: '' });
    const responses = ['OCRA-1:HOTP-SHA256-0:QH64', 'ocra-1:HOTP-SHA256-0:QH64'].map((text) =>
      encodeDataInput(parseOcraSuite(text), { question: '00' }),
    );
    expect([code, ...responses].map(first)).toEqual(['l', 'O', 'o']);
  });

  it('is no response to any question that somebody may choose, of a suite whose responses are as long', () => {
    const suite = parseOcraSuite('OCRA-1:HOTP-SHA256-0:QH64');
    const question = fc.stringMatching(/^[0-9a-f]{1,64}$/);
    fc.assert(
      fc.property(question, question, (declined, chosen) => {
        const decline = computeDecline(suite, KEY, { question: declined, transactionId: chosen }, 'declined');
        expect(decline).not.toBe(computeResponse(suite, KEY, { question: chosen }));
      }),
    );
  });
});
