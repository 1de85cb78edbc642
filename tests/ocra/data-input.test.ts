import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type DataInputs, dataInputTemplate, encodeDataInput, timeStepAt } from '../../src/ocra/compute.ts';
import { mutualClientQuestion, mutualServerQuestion, signatureQuestion } from '../support/values/modes.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import { refusalOf } from '../support/values/refusal.ts';

const suiteOf = (dataInput: string) => parseOcraSuite(`OCRA-1:HOTP-SHA1-6:${dataInput}`);

/** The bytes after the suite and the zero byte. */
function encoded(dataInput: string, inputs: DataInputs): string {
  const suite = suiteOf(dataInput);
  const bytes = Buffer.from(encodeDataInput(suite, inputs));
  expect(bytes.subarray(0, suite.text.length + 1).toString('ascii')).toBe(`${suite.text}\0`);
  return bytes.subarray(suite.text.length + 1).toString('hex');
}

const question = (hex: string) => hex.padEnd(256, '0');

describe('encodeDataInput', () => {
  it('writes suite, zero byte, counter, question, PIN, session and time step, in this order', () => {
    const pinHash = createHash('sha1').update('1234').digest('hex');
    const inputs = { question: 'ab', counter: 5n, pin: '1234', session: 'hi', timeStep: 6n };
    const expected = `0000000000000005${question('6162')}${pinHash}000000006869${'6'.padStart(16, '0')}`;
    expect(encoded('C-QA08-P-S006-T1M', inputs)).toBe(expected);
    expect(encoded('T1M-S006-P-QA08-C', inputs)).toBe(expected);
  });

  it('leaves out what the suite does not ask for', () => {
    const inputs = { question: '1', counter: 5n, pin: '1234', session: 'hi', timeStep: 6n };
    expect(encoded('QN08', inputs)).toBe(question('1'));
  });

  it.each([
    ['QN08', '0', '0'],
    ['QN08', '00000010', 'a'],
    ['QN08', '12345678', 'bc614e'],
    ['QN64', '18446744073709551616', '10000000000000000'],
    ['QN64', '9'.repeat(64), (10n ** 64n - 1n).toString(16)],
    ['QH08', 'abc', 'abc'],
    ['QH08', 'ABCDEF01', 'abcdef01'],
    ['QA08', 'aZ09', '615a3039'],
  ])('%s writes the question %s as %s, padded on the right', (format, text, hex) => {
    expect(encoded(format, { question: text })).toBe(question(hex));
  });

  it('joins two numeric questions of full length without rounding', () => {
    const both = encoded('QN64', { question: { first: '9'.repeat(64), second: '8'.repeat(64) } });
    expect(both).toBe(question(BigInt('9'.repeat(64) + '8'.repeat(64)).toString(16)));
  });

  it('the server answers the questions of client and server, the client the other way round', () => {
    const join = (text: string) => question(Buffer.from(text).toString('hex'));
    expect(encoded('QA08', { question: mutualServerQuestion('CLI', 'SRV') })).toBe(join('CLISRV'));
    expect(encoded('QA08', { question: mutualClientQuestion('CLI', 'SRV') })).toBe(join('SRVCLI'));
  });

  it('takes the hash of a PIN in place of the PIN', () => {
    const pinHash = createHash('sha256').update('Pä55').digest();
    expect(encoded('QN08-PSHA256', { question: '1', pinHash })).toBe(
      encoded('QN08-PSHA256', { question: '1', pin: 'Pä55' }),
    );
  });

  it('takes session information as bytes, too, and puts it behind zeros', () => {
    const bytes = encoded('QN08-S004', { question: '1', session: Uint8Array.of(0xc3, 0xff) });
    expect(bytes).toBe(`${question('1')}0000c3ff`);
    expect(encoded('QN08-S004', { question: '1', session: 'ä' })).toBe(`${question('1')}0000c3a4`);
  });

  it('writes the largest counter', () => {
    expect(encoded('C-QN08', { question: '1', counter: 2n ** 64n - 1n })).toMatch(/^f{16}/);
  });

  it.each<[string, Partial<DataInputs>, RegExp]>([
    ['QN08', { question: '' }, /question is empty/],
    ['QN08', { question: '123456789' }, /question is too long: 9 characters, the suite allows 8/],
    ['QN08', { question: '0000000f' }, /question must be digits/],
    ['QN08', { question: '-1' }, /question must be digits/],
    ['QN08', { question: '0x10' }, /question must be digits/],
    ['QN08', { question: '١٢' }, /question must be digits/],
    ['QN08', { question: '12\n' }, /question must be digits/],
    ['QH08', { question: 'xyz' }, /question must be hexadecimal/],
    ['QA08', { question: 'a b' }, /question must be letters and digits/],
    ['QA08', { question: 'ä' }, /question must be letters and digits/],
    ['QA08', { question: { first: 'CLI22220SRV11110', second: 'x' } }, /question is too long/],
    ['QA08', { question: { first: 'CLI22220', second: '' } }, /question is empty/],
    ['C-QN08', {}, /asks for a counter, and none is given/],
    ['C-QN08', { counter: -1n }, /counter must be a number from 0/],
    ['C-QN08', { counter: 2n ** 64n }, /counter must be a number from 0/],
    ['QN08-P', {}, /asks for a PIN, and none is given/],
    ['QN08-P', { pinHash: Buffer.alloc(32) }, /hash of the PIN must be 20 bytes/],
    ['QN08-S004', {}, /asks for session information, and none is given/],
    ['QN08-S004', { session: 'ääx' }, /session information is too long: 5 bytes, the suite allows 4/],
    ['QN08-T', {}, /asks for a time step, and none is given/],
    ['QN08-T', { timeStep: -1n }, /time step must be a number from 0/],
  ])('%s with %o is refused', (format, inputs, message) => {
    const error = refusalOf(() => encodeDataInput(suiteOf(format), { question: '1', ...inputs }));
    expect(error.code).toBe('data-input.invalid');
    expect(error.message).toMatch(message);
  });
});

describe('signatureQuestion', () => {
  it('refuses a suite with session information, which signatures do not have', () => {
    expect(signatureQuestion(suiteOf('QA08'), 'SIG10000')).toBe('SIG10000');
    expect(() => signatureQuestion(suiteOf('QA08-S064'), 'SIG10000')).toThrow(/session information/);
  });
});

describe('dataInputTemplate', () => {
  it('changes counter and time step in place, and nothing else', () => {
    const suite = suiteOf('C-QN08-T1M');
    const template = dataInputTemplate(suite, { question: '12' });
    template.setCounter(7n);
    template.setTimeStep(8n);
    expect(template.bytes).toEqual(encodeDataInput(suite, { question: '12', counter: 7n, timeStep: 8n }));
  });

  it('changes nothing that the suite does not have', () => {
    const suite = suiteOf('QN08');
    const template = dataInputTemplate(suite, { question: '12' });
    template.setCounter(7n);
    template.setTimeStep(8n);
    expect(template.bytes).toEqual(encodeDataInput(suite, { question: '12' }));
  });
});

describe('timeStepAt', () => {
  it('counts whole steps since 1970', () => {
    const suite = suiteOf('QN08-T1M');
    expect(timeStepAt(suite, new Date(59_999))).toBe(0n);
    expect(timeStepAt(suite, new Date(60_000))).toBe(1n);
    expect(timeStepAt(suiteOf('QN08'), new Date(60_000))).toBeUndefined();
  });
});
