import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type DisplayFault,
  type DisplaySegment,
  type DisplayText,
  inspectDisplayText,
} from '../../src/device/display-text.ts';
import { anyText } from '../support/values/any-text.ts';

const MIXED: readonly DisplayFault[] = ['mixed-scripts'];
const marks = ({ segments }: DisplayText): readonly DisplaySegment[] =>
  segments.filter(({ kind }) => kind !== 'plain');
const whole = ({ segments }: DisplayText): string => segments.map(({ text }) => text).join('');

describe('a text that is shown as what it is', () => {
  it.each([
    ['nothing', ''],
    ['English', 'Pay 120.00 EUR to Bert?\r\nIt’s Bert_1, bert@bank.example.\tThanks'],
    ['German', 'Überweisung von 1.200,50\u00a0€ an Müller & Söhne, Straße 5½, 10 m²'],
    ['French and Turkish', "L'été: 12\u202f000 €, İstanbul, ısı"],
    ['Russian', 'Перевод 120 EUR с карты Ромы на ОСАГО'],
    ['Russian in words that look Latin', 'Роса, ухо, сор'],
    ['Greek', 'Πληρωμή 120€ στον Γιώργο'],
    ['Arabic', 'دفع ١٢٠ يورو إلى بيرت، شكرًا'],
    ['Persian with its non-joiner', 'می\u200cخواهم ۱۲۰ یورو بپردازم'],
    ['Hebrew', 'העברה של 120 ש"ח לברט'],
    ['Hindi with joiners', 'भुगतान 120 रुपये, क्\u200dष'],
    ['Thai', 'ชำระเงิน 120 บาท'],
    ['Vietnamese, decomposed', 'Việt Nam thế giới'.normalize('NFD')],
    ['Chinese', '向Bert支付120欧元'],
    ['Japanese', '１２０ユーロをベルトさんに支払うTシャツ'],
    ['a Japanese name with its form of a character', '葛\u{e0100}城'],
    ['Korean', '베르트에게 120유로'],
    ['two languages in words of their own', 'E-Mail an Москва-City: перевод'],
    ['emoji', '👩‍👩‍👧 1️⃣ ❤️ 👍🏽 🇩🇪'],
  ])('%s', (_language, text) => {
    expect(inspectDisplayText(text)).toEqual({
      segments: text === '' ? [] : [{ text, kind: 'plain', name: '' }],
      verdict: 'faithful',
      reasons: [],
    });
  });
});

describe('a text that is not shown as what it is', () => {
  it('is taken apart into what is plain and what is not', () => {
    expect(inspectDisplayText('Pay\u202e 021\u202c to Bеrt\u200b!')).toEqual({
      segments: [
        { text: 'Pay', kind: 'plain', name: '' },
        { text: '\u202e', kind: 'bidi-control', name: 'U+202E right-to-left override' },
        { text: ' 021', kind: 'plain', name: '' },
        { text: '\u202c', kind: 'bidi-control', name: 'U+202C pop directional formatting' },
        { text: ' to ', kind: 'plain', name: '' },
        { text: 'Bеrt', kind: 'look-alike', name: '' },
        { text: '\u200b', kind: 'invisible', name: 'U+200B zero width space' },
        { text: '!', kind: 'plain', name: '' },
      ],
      verdict: 'refused',
      reasons: ['bidi-control', 'mixed-scripts', 'invisible'],
    });
  });

  it.each([0x61c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069])(
    'names the control of direction %i, between letters of any script',
    (code) => {
      const control = String.fromCodePoint(code);
      for (const text of [`a${control}b`, `א${control}ב`, `م${control}م`, control]) {
        const [segment, ...others] = marks(inspectDisplayText(text));
        expect(segment).toMatchObject({ kind: 'bidi-control', text: control });
        expect(segment?.name).toMatch(/^U\+[0-9A-F]{4} [a-zA-Z-]+ /);
        expect(others).toEqual([]);
      }
    },
  );

  // prettier-ignore
  it.each([
    '\0', '\u001b', '\u007f', '\u0085', '\u00ad', '\u034f', '\u115f', '\u17b4', '\u180e', '\u200b',
    '\u200c', '\u200d', '\u2028', '\u2029', '\u2060', '\u2800', '\u3164', '\ufe0f', '\ufeff', '\uffa0',
    '\ufff9', '\ue000', '\u0378', '\ud800', '\udfff', '\u{e0041}', '\u{e0100}', '\u{10ffff}', '\uffff',
  ])('marks %j, which has no form of its own', (character) => {
    const inspected = inspectDisplayText(`a${character}b`);
    expect(inspected.reasons).toEqual(['invisible']);
    expect(marks(inspected)).toMatchObject([{ text: character, kind: 'invisible' }]);
  });

  it('takes joiners for invisible where no script needs them', () => {
    for (const text of ['a\u0301\u200cb', 'ب\u200c1', '1\u200db', '\u200dक', '👍\u200d', 'a\ufe0f']) {
      expect(inspectDisplayText(text).reasons).toEqual(['invisible']);
    }
  });

  it.each([
    ['Cyrillic in Latin', 'Pаy'],
    ['Latin in Cyrillic', 'Мoсква'],
    ['Greek in Latin', 'Βert'],
    ['Armenian in Latin', 'Веոt'],
    ['Cherokee in Latin', 'Ꭺpple'],
    ['Cyrillic in Greek', 'Αθήνа'],
    ['Cyrillic in Chinese', '支付а'],
    ['an address', 'аррӏе.com'],
    ['bold letters', '𝐁ert'],
    ['double-struck digits', '𝟙𝟚𝟘'],
    ['Arabic digits after others', '12٠'],
    ['Arabic and Persian digits', '٣۴'],
    ['full-width digits', '1２0'],
    ['two systems of digits about a full stop', '1.٠٠٠'],
  ])('marks a word that mixes scripts: %s', (_what, word) => {
    const inspected = inspectDisplayText(`(${word}) 5`);
    expect(inspected.reasons).toEqual(MIXED);
    expect(marks(inspected)).toEqual([{ text: word, kind: 'look-alike', name: '' }]);
  });

  it.each([
    ['Cyrillic', 'РОМА'],
    ['Cyrillic in small letters', 'ѕсоре'],
    ['Greek', 'ΡΑΝΟ'],
  ])('marks a word that is wholly in %s and looks Latin, among Latin ones', (_script, word) => {
    const inspected = inspectDisplayText(`Pay 120 EUR to ${word}?`);
    expect(inspected.reasons).toEqual(['latin-impostor']);
    expect(marks(inspected)).toEqual([{ text: word, kind: 'look-alike', name: '' }]);
  });

  it('leaves words of mixed scripts to the user, who sees them marked', () => {
    expect(inspectDisplayText('10 kΩ at Bеrt').verdict).toBe('doubtful');
    expect(inspectDisplayText('10 kΩ\u200b').verdict).toBe('refused');
  });

  it('marks letters that are covered by marks', () => {
    expect(inspectDisplayText(`a${'\u0336'.repeat(5)}`)).toMatchObject({
      reasons: ['stacked-marks'],
      verdict: 'refused',
    });
    expect(inspectDisplayText(`a${'\u0301'.repeat(4)}`).verdict).toBe('faithful');
    expect(inspectDisplayText(`a${'\u0301\u20dd'.repeat(3)}`).reasons).toEqual(['stacked-marks']);
  });
});

describe('the inspection of any text', () => {
  // prettier-ignore
  const hostile = fc.string({
    unit: fc.constantFrom(
      'a', 'а', 'α', 'א', 'م', '漢', '1', '٢', '.', "'", ' ', '\n', '\u0301', '\u094d', '👍', '\ufe0f', '\u200b',
      '\u200c', '\u200d', '\u202e', '\u2066', '\ud800', '\udc00', '\u20e3', '\0',
    ),
  });
  const texts = fc.oneof(hostile, anyText(), fc.string({ unit: 'grapheme' }));

  it('loses nothing of it, and is faithful only if all is plain', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const inspected = inspectDisplayText(text);
        expect(whole(inspected)).toBe(text);
        expect(inspected.verdict === 'faithful').toBe(marks(inspected).length === 0);
        expect(inspected.verdict === 'faithful').toBe(inspected.reasons.length === 0);
        expect(inspected.segments.every((segment) => segment.text !== '')).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('leaves no control of direction in plain parts, and no zero width space', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const plain = inspectDisplayText(text).segments.filter(({ kind }) => kind === 'plain');
        expect(plain.filter((segment) => /[\p{Bidi_Control}\u200b\ufeff\0]/u.test(segment.text))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('finds a control wherever it is put in', () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.constantFrom('\u202e', '\u2067', '\u200f'), (text, place, control) => {
        const at = place % (text.length + 1);
        const { reasons } = inspectDisplayText(text.slice(0, at) + control + text.slice(at));
        expect(reasons).toContain('bidi-control');
      }),
    );
  });

  it.each(['аa ', '\u202e', "a'", '👍\u200d', 'ب\u200c'])(
    'takes a megabyte of %j within the time limit of a test',
    (unit) => {
      const text = unit.repeat(Math.floor(1_000_000 / unit.length));
      expect(whole(inspectDisplayText(text))).toBe(text);
    },
  );
});
