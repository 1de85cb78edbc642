import { describe, expect, it } from '@jest/globals';
import { type CalculationInput, calculateOtp } from '../../src/challenges/calculation-service.ts';
import { computeResponse, type DataInputs, encodeDataInput } from '../../src/ocra/compute.ts';
import { keyOf, phaseOf, suiteOf } from '../../src/challenges/enrolment/enrolment.ts';
import { bytesFromHex } from '../../src/ocra/hex.ts';
import { signatureQuestion } from '../support/values/modes.ts';
import { parseQrTanUrl } from '../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { assertSerial } from '../../src/tokens/token.ts';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';
import { refusalOf } from '../support/values/refusal.ts';

const make = (size: number): Buffer => Buffer.alloc(size, 7);

describe('the message for a wrong suite', () => {
  it.each([
    ['', 'algorithm', '', "it must be 'OCRA-1'"],
    ['OCRA-1', 'shape', 'OCRA-1', 'it must have three parts, as in OCRA-1:HOTP-SHA256-8:C-QA64'],
    ['OCRA-1:HOTP-SHA1-6:C', 'question', 'C', 'it is missing; every suite needs one, as in QN08'],
    ['OCRA-1::QN08', 'crypto function', '', "it must be 'HOTP'"],
    [
      'OCRA-1:HOTP-SHA1:QN08',
      'crypto function',
      'HOTP-SHA1',
      'it must have a hash and a truncation, as in HOTP-SHA256-8',
    ],
    ['OCRA-1:HOTP-SHA1-3:QN08', 'truncation', '3', 'it must be 0 or a number from 4 to 10'],
    ['OCRA-1:HOTP-MD5-6:QN08', 'hash', 'MD5', 'the hash must be SHA1, SHA256 or SHA512'],
    ['OCRA-1:HOTP-SHA1-6:C-QN08-C', 'duplicate', 'C', 'the counter may be given only once'],
    ['OCRA-1:HOTP-SHA1-6:QN08-QA08', 'duplicate', 'QA08', 'the question may be given only once'],
    ['OCRA-1:HOTP-SHA1-6:QN08-P-P', 'duplicate', 'P', 'the PIN may be given only once'],
    ['OCRA-1:HOTP-SHA1-6:QN08-S064-S001', 'duplicate', 'S001', 'the session may be given only once'],
    ['OCRA-1:HOTP-SHA1-6:QN08-T-T1M', 'duplicate', 'T1M', 'the time step may be given only once'],
    [
      'OCRA-1:HOTP-SHA1-6:QX08',
      'question',
      'QX08',
      'it must be QA, QN or QH and a length from 04 to 64, as in QN08',
    ],
    [
      'OCRA-1:HOTP-SHA1-6:QN08-S0640',
      'session',
      'S0640',
      'it must be S and a length from 001 to 512, in three digits, as in S064',
    ],
    [
      'OCRA-1:HOTP-SHA1-6:QN08-S0010',
      'session',
      'S0010',
      'it must be S and a length from 001 to 512, in three digits, as in S064',
    ],
    [
      'OCRA-1:HOTP-SHA1-6:QN08-SS064',
      'session',
      'SS064',
      'it must be S and a length from 001 to 512, in three digits, as in S064',
    ],
    [
      'OCRA-1:HOTP-SHA1-6:QN08-T0S',
      'time step',
      'T0S',
      'it must be T with 1 to 59 S, 1 to 59 M or 1 to 48 H, as in T1M',
    ],
    ['OCRA-1:HOTP-SHA1-6:QN08-PMD5', 'PIN', 'MD5', 'the hash must be SHA1, SHA256 or SHA512'],
    [
      'OCRA-1:HOTP-SHA1-6:X',
      'data input',
      'X',
      'it knows the parts C, Q, P, S and T only, in capitals, as in C-QN08-PSHA1',
    ],
    ['x'.repeat(60), 'algorithm', 'x'.repeat(60), "it must be 'OCRA-1'"],
    ['x'.repeat(61), 'algorithm', `${'x'.repeat(60)}…`, "it must be 'OCRA-1'"],
  ])('%j', (text, part, quoted, allowed) => {
    expect(refusalOf(() => parseOcraSuite(text))).toMatchObject({
      code: 'suite.invalid',
      message: `Not an OCRA suite, the ${part} '${quoted}' is wrong: ${allowed}.`,
      payload: { part, text: quoted },
    });
  });
});

describe('the message for a question that does not fit', () => {
  it.each<[string, Partial<DataInputs>, string, object]>([
    ['QN08', { question: '' }, 'the question is empty', {}],
    [
      'QN08',
      { question: '123456789' },
      'the question is too long: 9 characters, the suite allows 8',
      { question: 'length' },
    ],
    ['QN08', { question: 'x' }, 'the question must be digits (0-9) only', { question: 'N' }],
    ['QH08', { question: 'x' }, 'the question must be hexadecimal digits (0-9, A-F) only', { question: 'H' }],
    [
      'QA08',
      { question: ' ' },
      'the question must be letters and digits (A-Z, a-z, 0-9) only',
      { question: 'A' },
    ],
    ['C-QN08', {}, 'the suite asks for a counter, and none is given', {}],
    ['QN08-T', { timeStep: 2n ** 64n }, 'the time step must be a number from 0 to 2^64 - 1', {}],
  ])('%s with %o', (format, inputs, what, payload) => {
    const suite = parseOcraSuite(`OCRA-1:HOTP-SHA1-6:${format}`);
    expect(refusalOf(() => encodeDataInput(suite, { question: '1', ...inputs }))).toMatchObject({
      code: 'data-input.invalid',
      message: `No response can be computed: ${what}.`,
      payload,
    });
  });

  it('and for no key, or a signature with a session', () => {
    const suite = parseOcraSuite('OCRA-1:HOTP-SHA1-6:QN08-S064');
    const inputs = { question: '1', session: '' };
    expect(refusalOf(() => computeResponse(suite, Buffer.alloc(0), inputs))).toMatchObject({
      code: 'data-input.invalid',
      message: 'No response can be computed: the key is empty.',
    });
    expect(refusalOf(() => signatureQuestion(suite, 'x'))).toMatchObject({
      code: 'data-input.invalid',
      message: 'No signature can be computed: a suite for signatures has no session information (S).',
    });
  });
});

describe('the message for a wrong enrolment', () => {
  it.each<[() => unknown, string, string, object]>([
    [() => phaseOf({}), 'parameter.missing', "Missing parameter 'type'.", { parameters: ['type'] }],
    [() => phaseOf({ type: '' }), 'parameter.missing', "Missing parameter 'type'.", { parameters: ['type'] }],
    [
      () => phaseOf({ type: 'HMAC' }),
      ...([
        'parameter.invalid',
        "Tokens of the type 'HMAC' cannot be enrolled here: only ocra and ocra2",
      ] as const),
      { parameter: 'type' },
    ],
    [
      () => keyOf({ genkey: '2' }, make),
      ...(['parameter.invalid', 'The parameter genkey must be 0 or 1'] as const),
      { parameter: 'genkey' },
    ],
    [
      () => keyOf({ genkey: '1', otpkey: 'ab' }, make),
      ...(['parameter.invalid', 'You may either specify genkey or otpkey, but not both!'] as const),
      { parameter: 'genkey', conflictsWith: 'otpkey' },
    ],
    [
      () => keyOf({ otpkey: '' }, make),
      'parameter.missing',
      "Missing parameter 'otpkey', or genkey=1 for a key that the server makes.",
      { parameters: ['otpkey'] },
    ],
    [
      () => keyOf({ otpkey: 'x' }, make),
      'parameter.invalid',
      'The parameter otpkey must be hexadecimal digits, an even number of them.',
      { parameter: 'otpkey' },
    ],
    [
      () => keyOf({ otpkey: 'ab' }, make),
      'parameter.invalid',
      'The parameter otpkey must be 16 to 128 bytes in hexadecimal digits',
      { parameter: 'otpkey' },
    ],
    [
      () => {
        assertSerial('');
      },
      'parameter.invalid',
      'A serial has 1 to 64 printable ASCII characters, no blank and no *',
      { parameter: 'serial' },
    ],
    [
      () => suiteOf({}, 'x'),
      'configuration.invalid',
      "The default OCRA suite of the configuration is wrong: Not an OCRA suite, the algorithm 'x' is wrong: it must be 'OCRA-1'.",
      {},
    ],
    [
      () => bytesFromHex('x', 'nonce'),
      'parameter.invalid',
      'The parameter nonce must be hexadecimal digits, an even number of them.',
      { parameter: 'nonce' },
    ],
  ])('%#', (attempt, code, message, payload) => {
    expect(refusalOf(attempt)).toMatchObject({ code, message, payload });
  });

  it('a wrong default keeps its cause for the log', () => {
    expect(refusalOf(() => suiteOf({}, 'x')).cause).toMatchObject({ code: 'suite.invalid' });
  });

  it('genkey goes with an empty otpkey, and keys have 16 to 128 bytes', () => {
    expect(keyOf({ genkey: '1', otpkey: '' }, make)).toEqual(make(20));
    expect(keyOf({ otpkey: 'ab'.repeat(128) }, make)).toHaveLength(128);
  });
});

describe('the message for a wrong URL', () => {
  it.each([
    ['xlseqr://req?ch=1&tr=2', 'it must begin with lseqr://init?, lseqr://req? or lseqr://nonce?', {}],
    ['lseqr://req?ch=1', "the parameter 'tr' is missing", { missing: 'tr' }],
    ['lseqr://req?ch=1&tr=2&ch=3', "the parameter 'ch' is given twice", {}],
    [
      `lseqr://req?${'n'.repeat(30)}=1&${'n'.repeat(30)}=2`,
      `the parameter '${'n'.repeat(20)}' is given twice`,
      {},
    ],
  ])('%j', (text, what, payload) => {
    expect(refusalOf(() => parseQrTanUrl(text))).toMatchObject({
      code: 'qrtan-url.invalid',
      message: `Not a QR-TAN URL: ${what}.`,
      payload,
    });
  });
});

describe('the message for a wrong calculation', () => {
  const all: CalculationInput = {
    sharedsecret: '61'.repeat(32),
    activationcode: 'GEZDGNBVGY3TQOJQ01',
    nonce: '0123456789abcdef'.repeat(8),
    ocrasuite: 'OCRA-1:HOTP-SHA256-8:C-QN08',
    challenge: '1',
  };

  it.each(['sharedsecret', 'activationcode', 'nonce', 'ocrasuite', 'challenge'] as const)(
    'without %s',
    async (name) => {
      const refused = await eventualRefusal(calculateOtp({ ...all, [name]: undefined }, new Date(0)));
      expect(refused).toMatchObject({
        code: 'parameter.missing',
        message: `Missing parameter '${name}'.`,
        payload: { parameters: [name] },
      });
    },
  );

  it.each([
    [{ sharedsecret: 'x' }, 'The parameter sharedsecret must be hexadecimal digits, an even number of them.'],
    [{ nonce: 'x' }, 'The parameter nonce must be hexadecimal digits, an even number of them.'],
    [{ counter: '1x' }, 'The parameter counter must be a whole number, zero or more'],
    [{ counter: '1'.repeat(21) }, 'The parameter counter must be a whole number, zero or more'],
    [{ init1: 'lseqr://req?ch=1&tr=2' }, 'This is an lseqr://req URL; lseqr://init is needed here'],
  ])('with %j', async (change, message) => {
    const refused = await eventualRefusal(calculateOtp({ ...all, ...change }, new Date(0)));
    expect(refused.message).toBe(message);
  });

  it('names the counter as the wrong input', async () => {
    const refused = await eventualRefusal(calculateOtp({ ...all, counter: 'x' }, new Date(0)));
    expect(refused.payload).toEqual({ parameter: 'counter' });
  });

  it('takes a counter of several digits, an OCRA PIN, which is empty by default, and an empty session', async () => {
    const suite = 'OCRA-1:HOTP-SHA256-8:C-QN08-P-S004';
    const answers = await Promise.all(
      [{}, { ocrapin: '' }, { ocrapin: '1' }, { counter: '10' }, { counter: '0' }].map((change) =>
        calculateOtp({ ...all, ocrasuite: suite, ...change }, new Date(0)),
      ),
    );
    const [usual, empty, pin, counter, first] = answers;
    expect([empty, first]).toEqual([usual, usual]);
    expect(new Set([usual, pin, counter]).size).toBe(3);
  });
});
