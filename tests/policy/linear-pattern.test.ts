import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { readPattern } from '../../src/policy/policy-conditions.ts';
import { refusalOf } from '../support/values/refusal.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { anyText } from '../support/values/any-text.ts';

describe('a pattern for names', () => {
  it.each([
    ['re.*', ['re', 'restricted'], ['xre', 'RE', '']],
    ['^re.*$', ['restricted'], ['are']],
    ['a+b?', ['a', 'aab'], ['b', 'abb', '']],
    ['(anna|bernd)', ['anna', 'bernd'], ['annabernd', 'ann']],
    ['(?:ab)*', ['', 'abab'], ['aba']],
    ['[a-c]x', ['ax', 'cx'], ['dx', 'x']],
    ['[^a-c]', ['d', 'é'], ['a', '']],
    ['[a-]', ['a', '-'], ['b']],
    ['[a-a]', ['a'], ['b', '-']],
    ['[^^]', ['a'], ['^', '']],
    ['[^a]', ['b', '^'], ['a']],
    ['a\\$', ['a$'], ['a', 'a\\']],
    ['a|b$', ['a', 'b'], ['b$']],
    ['[\\].]', [']', '.'], ['x', '\\']],
    ['user\\d+', ['user1', 'user42'], ['user', 'userx', 'user٣']],
    ['\\w+\\s\\w+', ['a b'], ['ab']],
    ['a\\.b\\*', ['a.b*'], ['axb*']],
    ['x|', ['x', ''], ['y']],
    ['()*a', ['a'], ['']],
    ['.', ['a', '😀', '\n'], ['ab', '']],
    ['[{}$^]', ['{', '}', '$', '^'], ['a']],
    ['(?i)anna', ['anna', 'ANNA'], ['ann']],
    ['\\pL+', ['jörg'], ['j1']],
    ['jörg|zoë', ['jörg', 'zoë'], ['jorg']],
  ])('%s means %j and not %j', (source, meant, others) => {
    const matches = readPattern(source);
    expect(meant.filter((name) => !matches(name))).toEqual([]);
    expect(others.filter(matches)).toEqual([]);
  });

  it.each([
    ['*admin', "'*' has nothing to repeat (any text is '.*') in '*admin'"],
    ['+', "'+' has nothing to repeat (any text is '.*') in '+'"],
    ['a|?', "'?' has nothing to repeat (any text is '.*') in 'a|?'"],
    ['a**', "invalid nested repetition operator '**' in 'a**'"],
    ['a{1000}', "'{' is not allowed here; the character itself is written '\\{' in 'a{1000}'"],
    ['1}', "'}' is not allowed here; the character itself is written '\\}' in '1}'"],
    ['\\p{L}', "'{' is not allowed here; the character itself is written '\\{' in '\\p{L}'"],
    ['a]', "']' is not allowed here; the character itself is written '\\]' in 'a]'"],
    ['a$b', "'$' is not allowed here; the character itself is written '\\$' in 'a$b'"],
    ['a$[b]', "'$' is not allowed here; the character itself is written '\\$' in 'a$[b]'"],
    ['[b]^a', "'^' is not allowed here; the character itself is written '\\^' in '[b]^a'"],
    ['(a', "missing closing ) in '(a'"],
    ['a)', "unexpected ) in 'a)'"],
    ['(?=a)', "invalid or unsupported Perl syntax '(?=' in '(?=a)'"],
    ['(?<!a)b', "invalid named capture '(?<!a)b' in '(?<!a)b'"],
    ['[a', "missing closing ] '[a' in '[a'"],
    ['[]', "missing closing ] '[]' in '[]'"],
    ['[z-a]', "invalid character class range 'z-a' in '[z-a]'"],
    ['(a)\\1', "invalid escape sequence '\\1' in '(a)\\1'"],
    ['a\\', "trailing backslash at end of expression in 'a\\'"],
  ])('%s is refused, and the text says why', (source, message) => {
    const refusal = refusalOf(() => readPattern(source));
    expect([refusal.code, refusal.message]).toEqual(['policy.invalid', message]);
  });

  it('is refused when it is too long', () => {
    expect(readPattern('a'.repeat(200))('a'.repeat(200))).toBe(true);
    expect(refusalOf(() => readPattern('a'.repeat(201))).message).toContain('at most 200 characters');
  });

  it.each([
    '(a*)*b',
    '(a|a)*b',
    '(a|aa)+b',
    `${'(.*)'.repeat(49)}x`,
    '((a+)+)+b',
    `${'(?:a?)'.repeat(20)}${'a'.repeat(79)}b`,
    `(a|b)*a${'.'.repeat(190)}b`,
  ])('%s, which hangs other machines, answers', (source) => {
    expect(readPattern(source)('a'.repeat(1024))).toBe(false);
  });

  it('is not held against names of more than 1024 characters', () => {
    expect(readPattern('a*')('a'.repeat(1025))).toBe(false);
    expect(readPattern('a*')('a'.repeat(1024))).toBe(true);
  });
});

/** Patterns of the language that is understood, built from their parts. */
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '[a-c]', '\\.', '\\w', '\\d', 'ß'),
    tie('pattern').map((inner) => `(${inner})`),
    tie('pattern').map((inner) => `(?:${inner})`),
  ),
  pattern: fc
    .array(fc.tuple(tie('part'), fc.constantFrom('', '', '*', '+', '?', '|')), { maxLength: 4 })
    .map((parts) => parts.flat().join('')),
}));

const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '.', '1', 'ß'), maxLength: 6 });

describe('a pattern', () => {
  it('means what a regular expression of JavaScript means for the whole name', () => {
    fc.assert(
      fc.property(pattern, fc.array(name, { minLength: 1, maxLength: 8 }), (source, names) => {
        fc.pre(source.length <= 60);
        const matches = readPattern(source);
        // The pattern is generated here, short, and so are the names.
        const reference = new RegExp(`^(?:${source})$`, 'su');
        expect(names.map(matches)).toEqual(names.map((one) => reference.test(one)));
      }),
      { numRuns: 2000 },
    );
  });

  it('of any text is refused with a reason, or answers', () => {
    const signs = fc.string({ unit: fc.constantFrom(...Array.from('ab.*+?()[]|\\^$-')), maxLength: 200 });
    const names = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 1024 });
    fc.assert(
      fc.property(fc.oneof(signs, pattern, anyText()), names, (source, one) => {
        let matches: (name: string) => boolean;
        try {
          matches = readPattern(source);
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
          return;
        }
        expect([true, false]).toContain(matches(one));
      }),
      { numRuns: 1000 },
    );
  });
});
