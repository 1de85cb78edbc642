import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import type { Random } from '../../src/kernel/clock.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { plainQuestion, questionFromData, questionKeys, ShownQuestions } from '../../src/ocra/question.ts';
import {
  questionFromHash,
  mutualClientQuestion,
  mutualServerQuestion,
  signatureQuestion,
} from '../support/values/modes.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import {
  textComparison,
  type DataInputs,
  dataInputTemplate,
  encodeDataInput,
  timeStepAt,
} from '../../src/ocra/compute.ts';
import { createHash } from 'node:crypto';
import { refusalOf } from '../support/values/refusal.ts';

const suiteOf = (question: string) => parseOcraSuite(`OCRA-1:HOTP-SHA1-6:${question}`);

/** Draws the last of each alphabet. */
const last: Random = { bytes: (size) => Buffer.alloc(size), below: (bound) => bound - 1 };

function findFree(questions: ShownQuestions, used: ReadonlySet<string>): string | undefined {
  for (const one of questions.others()) {
    if (!used.has(one)) {
      return one;
    }
  }
  return undefined;
}

describe('questionFromData', () => {
  it.each([
    ['QA16', 'Pay 10 EUR!', 'Pay10EUR00009999'],
    ['QN10', 'Pay 10 EUR!', '1000009999'],
    ['QH10', 'Pay 10 EUR!', 'a10E0000ff'],
    ['QA08', 'Pay 10 EUR to Jo', 'Pay10EUR'],
    ['QA08', 'ABCDEF', 'ABCDEF00'],
    ['QN04', 'none', '0000'],
    ['QN08', '٣٤½²１２３', '00009999'],
    ['QA08', 'äöüß😀', '00009999'],
    ['QN08', '', '99999999'],
    ['QN08', undefined, '99999999'],
  ])('%s makes of %j the question %s', (question, data, expected) => {
    expect(questionFromData(suiteOf(question), data, last)).toBe(expected);
  });

  it('makes a new question of the same data each time', () => {
    const suite = suiteOf('QA64');
    const questions = Array.from({ length: 50 }, () => questionFromData(suite, 'abc', systemRandom));
    expect(new Set(questions).size).toBe(50);
  });
});

describe('the questions of a text', () => {
  it.each([
    ['QN08', 'No. 12345678', '12345678', '12349999'],
    ['QN08', 'No. 1234567', '12345670', '12349999'],
    ['QN08', '12', '12000099', '12000099'],
    ['QN08', 'текст', '00009999', '00009999'],
    ['QN05', '12345', '12345', '12999'],
    ['QN04', 'текст', '0000', '9999'],
    ['QA08', 'PayMallory', 'PayMallo', 'PayM9999'],
    ['QN08', '', '99999999', '99999999'],
  ])('%s are for %j first %s, then as %s', (question, data, first, other) => {
    const questions = new ShownQuestions(suiteOf(question), data, last);
    expect(questions.draw()).toBe(first);
    expect(questions.drawOthers(2)).toEqual([other, other]);
  });

  it.each([
    ['QN04', '1234', '12', 100],
    ['QN04', '1', '10', 100],
    ['QN08', '123', '1230', 10_000],
    ['QN04', 'текст', '', 10_000],
    ['QH04', 'abcd', 'ab', 256],
    ['QN04', '', '', 10_000],
  ])('%s are %j each free once, until none is: %s and what follows', (question, data, beginning, count) => {
    const suite = suiteOf(question);
    const questions = new ShownQuestions(suite, data, systemRandom);
    const used = new Set<string>();
    for (;;) {
      const free = findFree(questions, used);
      if (free === undefined) {
        break;
      }
      used.add(free);
    }
    expect(used.size).toBe(count);
    expect([...used].filter((one) => one.length !== 4 && one.length !== 8)).toEqual([]);
    expect([...used].filter((one) => !one.startsWith(beginning))).toEqual([]);
  });

  it('keep all of the text as long as something random behind it is free', () => {
    const questions = new ShownQuestions(suiteOf('QN08'), '123', systemRandom);
    const used = new Set<string>();
    for (let left = 10; left > 0; left -= 1) {
      const free = findFree(questions, used) ?? '';
      expect(free).toMatch(/^1230000[0-9]$/);
      used.add(free);
    }
    expect(findFree(questions, used)).toMatch(/^1230[0-9]{4}$/);
  });

  it('are found by their keys in every spelling that a device cannot tell apart', () => {
    const digits = fc.string({ unit: fc.constantFrom('0', '1', '2', '4', '6'), minLength: 1, maxLength: 4 });
    const hex = fc.string({
      unit: fc.constantFrom('0', 'a', 'A', 'b', 'B', '1'),
      minLength: 1,
      maxLength: 8,
    });
    const pair = fc.oneof(
      fc
        .record({ one: digits, times: fc.nat({ max: 3 }), zeros: fc.constantFrom('', '0', '00') })
        .map(({ one, times, zeros }) => ({
          suite: suiteOf('QN08'),
          one: one.padStart(8, '0'),
          other: zeros + String(BigInt(one) * 16n ** BigInt(times)),
        }))
        .filter(({ other }) => other.length <= 8),
      fc.record({ suite: fc.constantFrom(suiteOf('QH08'), suiteOf('QA08')), one: hex, other: hex }),
    );
    fc.assert(
      fc.property(pair, ({ suite, one, other }) => {
        const isSame = plainQuestion(suite, one) === plainQuestion(suite, other);
        const stored = other.replace(/^0+|0+$/g, '').toLowerCase();
        expect(!isSame || questionKeys(suite, one).includes(stored)).toBe(true);
        const key = one.replace(/^0+|0+$/g, '').toLowerCase();
        expect(!isSame || questionKeys(suite, other).includes(key)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('questionFromHash', () => {
  it.each([
    ['QA08', 'abc', 'a9993e36'],
    ['QN06', 'abc', '111148'],
    ['QA64', 'abc', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
  ])('%s makes of %j the question %s', (question, data, expected) => {
    expect(questionFromHash(suiteOf(question), data)).toBe(expected);
  });
});

describe('the plain form of a question', () => {
  it.each([
    ['QN08', ['1', '00000001', '16', '00000256', '4096'], '00000001'],
    ['QN08', ['0', '00000000'], '00000000'],
    ['QN08', ['17', '272'], '00000017'],
    ['QH08', ['AB', 'ab', 'aB000', 'ab000000'], 'ab000000'],
    ['QA08', ['aB'], 'aB'],
    ['QA08', ['aB00'], 'aB00'],
    // No questions of the suite: too long, or with what is not in its alphabet.
    ['QN08', ['000000001'], '000000001'],
    ['QN08', ['12a'], '12a'],
    ['QH08', ['Ag'], 'Ag'],
    ['QH08', ['ABCDEF0000'], 'ABCDEF0000'],
  ])('is one for all texts of %s that a device takes for the same: %j', (format, questions, plain) => {
    const suite = parseOcraSuite(`OCRA-1:HOTP-SHA256-8:C-${format}`);
    expect(questions.map((question) => plainQuestion(suite, question))).toEqual(questions.map(() => plain));
  });
});

/** A text that reports which of its characters are read. */
function watched(text: string): { readonly text: string; readonly read: number[] } {
  const read: number[] = [];
  const charCodeAt = (index: number): number => {
    read.push(index);
    return text.charCodeAt(index);
  };
  return { text: { length: text.length, charCodeAt } as unknown as string, read };
}

describe('comparison of a response', () => {
  it.each([
    ['12345678', '12345678', true],
    ['12345678', '12345679', false],
    ['12345678', '02345678', false],
    ['12345678', '1234567', false],
    ['1234567', '1234567', false],
    ['1234567', '12345670', false],
    ['123456789', '12345678', false],
    ['', '12345678', false],
    ['', '\0\0\0\0\0\0\0\0', false],
    ['1234567é', '1234567é', true],
    ['1234567e', '1234567é', false],
    // The same low byte.
    ['1234567ı', '12345671', false],
  ])('%j is %j of eight characters: %s', (expected, text, isEqual) => {
    expect(textComparison(expected, 8)(text)).toBe(isEqual);
  });

  it('reads every character, whatever differs', () => {
    for (const text of ['12345678', '02345678', '12345670', 'xxxxxxxx']) {
      const { text: given, read } = watched(text);
      textComparison('12345678', 8)(given);
      expect(read).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    }
  });
});

const suiteWith = (dataInput: string) => parseOcraSuite(`OCRA-1:HOTP-SHA1-6:${dataInput}`);

/** The bytes after the suite and the zero byte. */
function encoded(dataInput: string, inputs: DataInputs): string {
  const suite = suiteWith(dataInput);
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

  it('hashes the PIN in UTF-8', () => {
    const pinHash = createHash('sha256').update('Pä55').digest('hex');
    expect(encoded('QN08-PSHA256', { question: '1', pin: 'Pä55' })).toBe(`${question('1')}${pinHash}`);
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
    ['QN08-S004', {}, /asks for session information, and none is given/],
    ['QN08-S004', { session: 'ääx' }, /session information is too long: 5 bytes, the suite allows 4/],
    ['QN08-T', {}, /asks for a time step, and none is given/],
    ['QN08-T', { timeStep: -1n }, /time step must be a number from 0/],
  ])('%s with %o is refused', (format, inputs, message) => {
    const error = refusalOf(() => encodeDataInput(suiteWith(format), { question: '1', ...inputs }));
    expect(error.code).toBe('data-input.invalid');
    expect(error.message).toMatch(message);
  });
});

describe('signatureQuestion', () => {
  it('refuses a suite with session information, which signatures do not have', () => {
    expect(signatureQuestion(suiteWith('QA08'), 'SIG10000')).toBe('SIG10000');
    expect(() => signatureQuestion(suiteWith('QA08-S064'), 'SIG10000')).toThrow(/session information/);
  });
});

describe('dataInputTemplate', () => {
  it('changes counter and time step in place, and nothing else', () => {
    const suite = suiteWith('C-QN08-T1M');
    const template = dataInputTemplate(suite, { question: '12' });
    template.setCounter(7n);
    template.setTimeStep(8n);
    expect(template.bytes).toEqual(encodeDataInput(suite, { question: '12', counter: 7n, timeStep: 8n }));
  });

  it('changes nothing that the suite does not have', () => {
    const suite = suiteWith('QN08');
    const template = dataInputTemplate(suite, { question: '12' });
    template.setCounter(7n);
    template.setTimeStep(8n);
    expect(template.bytes).toEqual(encodeDataInput(suite, { question: '12' }));
  });
});

describe('timeStepAt', () => {
  it('counts whole steps since 1970', () => {
    const suite = suiteWith('QN08-T1M');
    expect(timeStepAt(suite, new Date(59_999))).toBe(0n);
    expect(timeStepAt(suite, new Date(60_000))).toBe(1n);
    expect(timeStepAt(suiteWith('QN08'), new Date(60_000))).toBeUndefined();
  });
});
