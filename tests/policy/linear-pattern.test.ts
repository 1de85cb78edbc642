import { describe, expect, it } from '@jest/globals';
import { LinearPattern } from '../../src/policy/linear-pattern.ts';
import { refusalOf } from '../support/values/refusal.ts';

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
    ['.', ['a', '😀'], ['ab', '']],
    ['jörg|zoë', ['jörg', 'zoë'], ['jorg']],
  ])('%s means %j and not %j', (source, meant, others) => {
    const pattern = new LinearPattern(source);
    expect(meant.filter((name) => !pattern.matches(name))).toEqual([]);
    expect(others.filter((name) => pattern.matches(name))).toEqual([]);
  });

  it.each([
    ['*admin', "'*' has nothing to repeat (any text is '.*') in '*admin'"],
    ['a**', "'*' has nothing to repeat (any text is '.*') in 'a**'"],
    ['a{1000}', "'{' is not allowed here; the character itself is written '\\{' in 'a{1000}'"],
    ['(a', "'(' without ')' in '(a'"],
    ['a)', "')' without '(' in 'a)'"],
    ['(?=a)', "'(?' is not allowed in '(?=a)'"],
    ['[a', "'[' without ']' in '[a'"],
    ['[]', "'[]' is empty in '[]'"],
    ['[z-a]', "'z-a' is no range in '[z-a]'"],
    ['(a)\\1', "'\\1' is not allowed in '(a)\\1'"],
    ['a\\', "'\\' is not allowed in 'a\\'"],
    ['+', "'+' has nothing to repeat (any text is '.*') in '+'"],
    ['?', "'?' has nothing to repeat (any text is '.*') in '?'"],
    ['a}', "'}' is not allowed here; the character itself is written '\\}' in 'a}'"],
    ['a]', "']' is not allowed here; the character itself is written '\\]' in 'a]'"],
    ['a$b', "'$' is not allowed here; the character itself is written '\\$' in 'a$b'"],
    ['[a-\\d]', "'a-\\' is no range in '[a-\\d]'"],
    ['[A-\\]]', "'A-\\' is no range in '[A-\\]]'"],
    ['[a-', "'a-' is no range in '[a-'"],
    ['a\\é', "'\\é' is not allowed in 'a\\é'"],
    ['a^b', "'^' is not allowed here; the character itself is written '\\^' in 'a^b'"],
  ])('%s is refused, and the text says why', (source, message) => {
    const refusal = refusalOf(() => new LinearPattern(source));
    expect([refusal.code, refusal.message]).toEqual(['policy.invalid', message]);
  });

  it('is refused when it is too long or nested too deeply', () => {
    expect(new LinearPattern('a'.repeat(200)).matches('a'.repeat(200))).toBe(true);
    expect(refusalOf(() => new LinearPattern('a'.repeat(201))).message).toContain('at most 200 characters');
    expect(refusalOf(() => new LinearPattern(`${'('.repeat(21)}${')'.repeat(21)}`)).message).toContain(
      'more than 20 nested groups',
    );
    expect(new LinearPattern(`${'('.repeat(20)}a${')'.repeat(20)}`).matches('a')).toBe(true);
  });

  it('counts side by side groups as no nesting', () => {
    expect(new LinearPattern('(a)'.repeat(40)).matches('a'.repeat(40))).toBe(true);
  });

  it.each(['(a*)*b', '(a|a)*b', '(a|aa)+$', '(.*)(.*)(.*)(.*)(.*)x', '((a+)+)+b'])(
    '%s, which hangs other machines, takes work in proportion to the name',
    (source) => {
      const pattern = new LinearPattern(source);
      const { steps } = pattern.run('a'.repeat(1000));
      expect(steps).toBeLessThanOrEqual(1001 * pattern.size);
    },
  );

  it('tells the work that it was, which grows with the name', () => {
    expect(new LinearPattern('a').run('a')).toEqual({ matched: true, steps: 2 });
    expect(new LinearPattern('a').run('b')).toEqual({ matched: false, steps: 1 });
    expect(new LinearPattern('aaa').run('aaa')).toEqual({ matched: true, steps: 4 });
  });

  it('is not held against names of more than 1024 characters', () => {
    expect(new LinearPattern('a*').run('a'.repeat(1025))).toEqual({ matched: false, steps: 0 });
    expect(new LinearPattern('a*').matches('a'.repeat(1024))).toBe(true);
  });
});
