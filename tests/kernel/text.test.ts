import { parse } from 'csv-parse/sync';
import { describe, expect, it } from '@jest/globals';
import {
  composed,
  csvLine,
  formsOf,
  plainName,
  readPlainText,
  safeLines,
  safeText,
  splitList,
} from '../../src/kernel/text.ts';
import { checkPolicy } from '../../src/policy/policy.ts';
import { readRealmName } from '../../src/realms/realm-service.ts';
import { readResolverName } from '../../src/resolvers/resolver-lookup.ts';
import { isSerial } from '../../src/tokens/token.ts';
import { readLogin } from '../../src/users/user-service.ts';
import { readApiTokenName } from '../../src/administrators/administrator-service.ts';
import { readAdministratorName } from '../../src/administrators/administrator.ts';
import { assertPassword } from '../../src/users/password-hash.ts';
import { refusalOf } from '../support/values/refusal.ts';

/** Each is a name that shows `anna`, or nothing but a separator beside it. */
const UNSEEN = Array.from(
  '\u00ad\u034f\u061c\u115f\u1160\u17b4\u180b\u180e\u200b\u200d\u200e\u202e' +
    '\u2060\u2066\u2800\u3164\ufe0f\ufeff\uffa0\ufff9\ufffc\u{1d159}\u{1d173}\u{16fe4}' +
    '\u2d7f\u{13440}\u{13441}\u{13442}\u{1bc9d}\u{1107f}' +
    '\u{1bca0}\u{e0041}\u{e0100}\u{e01ef}\u0007\u0085\u2028\u2029\ue000\u{10fffd}\u0378\u{e0080}',
);
const SPACES = Array.from('\u00a0\u1680\u2000\u2003\u2009\u202f\u205f\u3000');
/** Marks over the letter before them, which strike it through or enclose it. */
const COVERING = Array.from(
  '\u0334\u0335\u0336\u0337\u0338\u20d2\u20d3\u20d8\u20dd\u20de\u20e0\u20e3\u20e5\u20eb\u0488\ua670',
);
const SEPARATORS = Array.from('＠﹫⁄∕／⧸⟋╱∖＼﹨⧵：﹕∶ː˸꞉׃։ꓽ，﹐‚،；﹔؛！ǃ＊﹡⁎∗．‐–—−');
const HOSTILE = ['', '   ', '*', 'a,b', 'a\0b', 'a\nb', '!a', 'a:b', '\u202ea', '\ud800', 'x'.repeat(10_000)];

describe('a line of CSV', () => {
  it.each([',', ';', '|'])('has no formula for a spreadsheet that divides it at %s', (separator) => {
    const texts = ['x;=cmd();y', 'x, =cmd()', `x";"=cmd()`, 'x|-1,@2', '\t=1', ';"＝1', 'a;b=c'];
    for (const own of [',', ';'] as const) {
      const lines = texts.flatMap((text) => [csvLine(['1', text, '2'], own), csvLine([text], own)]);
      const cells = parse(lines.join(''), {
        delimiter: separator,
        relax_quotes: true,
        relax_column_count: true,
      });
      expect(cells.flat().filter((cell) => /^["\s]*[=+\-@＝]/.test(cell))).toEqual([]);
      expect(lines[12]).toBe('1,"a;b=c",2\r\n'.replaceAll(',', own));
    }
  });
});

describe('names', () => {
  it.each([
    ['a realm', readRealmName, ' MyDefRealm ', 'mydefrealm'],
    ['a realm', readRealmName, 'sub.real-m_1', 'sub.real-m_1'],
    ['a resolver', readResolverName, ' myDefRes ', 'myDefRes'],
    ['a resolver', readResolverName, 'useridresolver.PasswdIdResolver.IdResolver.myDefRes', 'myDefRes'],
    ['an administrator', readAdministratorName, ' Zoë.M+x@example.com ', 'Zoë.M+x@example.com'],
    ['an administrator', readAdministratorName, 'Zoe\u0308', 'Zoë'],
    ['an API token', readApiTokenName, ' nagios probe 1 ', 'nagios probe 1'],
    ['a login', readLogin, ' fritz@intern ', 'fritz@intern'],
    ['a login', readLogin, 'Jörg', 'Jörg'],
  ])('of %s are kept as %p makes them of %j', (_what, read, text, name) => {
    expect(read(text)).toBe(name);
  });

  it.each(HOSTILE)('are never %j', (text) => {
    for (const read of [
      readRealmName,
      readResolverName,
      readAdministratorName,
      readApiTokenName,
      readLogin,
    ]) {
      expect(['parameter.invalid', 'administrator.invalid']).toContain(refusalOf(() => read(text)).code);
    }
  });

  it.each([...UNSEEN, ...SPACES, ...SEPARATORS, ...COVERING])('never hold %j', (sign) => {
    const readers = [readRealmName, readResolverName, readAdministratorName, readApiTokenName, readLogin];
    for (const name of [`an${sign}na`, `anna${sign}`, `${sign}anna`, sign]) {
      for (const read of readers) {
        expect(['parameter.invalid', 'administrator.invalid']).toContain(refusalOf(() => read(name)).code);
      }
      expect(refusalOf(() => checkPolicy({ name, scope: 'system', action: 'read', user: 'a' })).code).toBe(
        'policy.invalid',
      );
      expect(isSerial(name)).toBe(false);
    }
  });

  it.each(['Zoë', 'Дарья', '李小龍', 'สำราญ', 'अनुष्का', 'Ŋuyễn', 'anna²', 'محمد'])('may be %j', (name) => {
    for (const read of [readAdministratorName, readApiTokenName, readLogin]) {
      expect(read(` ${name.normalize('NFD')}\n`)).toBe(name);
    }
  });

  it.each(['O\u2019Brien', 'Col\u00b7lell', 'マリア\u30fbルイサ', 'צ\u05f3רלי'])(
    'of users may be %j, with the sign that is written within a word',
    (name) => {
      expect(readLogin(name)).toBe(name);
    },
  );

  it('are not looked for in a text that is too long for one, which would take a time by the square of its length', () => {
    const marks = '\u0323\u0301';
    const short = `a${marks.repeat(200)}`;
    const long = `a${marks.repeat(300)}`;
    expect(composed(short)).not.toBe(short);
    expect(composed(long)).toBe(long);
    expect(formsOf(long)).toEqual([long]);
    expect([plainName(short), plainName(long), plainName(`anna${' '.repeat(600)}`)]).toEqual([
      composed(short),
      '',
      '',
    ]);
    expect(plainName(`an${' '.repeat(400)}na \n`)).toBe(`an${' '.repeat(400)}na`);
  });

  it('of realms and resolvers begin with no sign, and hold no slash', () => {
    for (const text of ['-a', '.a', '../a', 'a b', 'ä', '/:no realm:/']) {
      expect(refusalOf(() => readRealmName(text)).code).toBe('parameter.invalid');
      expect(refusalOf(() => readResolverName(text)).code).toBe('parameter.invalid');
    }
  });

  it('of tokens are printable ASCII without blank and asterisk', () => {
    const serials = ['OCRA0001DA6D', 'a', '~!"#', '{}[]', 'x'.repeat(64)];
    const others = ['', 'a b', 'a*', 'ä', 'a\u0000', 'a\n', 'x'.repeat(65), ' a'];
    expect([...serials, ...others].filter(isSerial)).toEqual(serials);
  });
});

describe('a comma list', () => {
  it.each([
    ['a,b', ['a', 'b']],
    [' a , ,b,', ['a', 'b']],
    ['', []],
  ])('%j is read', (text, entries) => {
    expect(splitList(text)).toEqual(entries);
  });
});

describe('a text that people read', () => {
  it('is trimmed, bounded, and has no control characters', () => {
    expect(readPlainText(' Ümläut ☃ ', 'description', 20)).toBe('Ümläut ☃');
    expect(refusalOf(() => readPlainText('x'.repeat(21), 'description', 20)).message).toContain(
      'description',
    );
    expect(refusalOf(() => readPlainText('a\u001b[31m', 'description', 20)).code).toBe('parameter.invalid');
  });
});

describe('a new password', () => {
  it('has 8 characters at least and 1024 bytes at most', () => {
    expect(() => {
      assertPassword('12345678');
      assertPassword('😀'.repeat(256));
    }).not.toThrow();
    expect(
      refusalOf(() => {
        assertPassword('1234567');
      }).message,
    ).toContain('at least 8');
    expect(
      refusalOf(() => {
        assertPassword('😀'.repeat(7));
      }).message,
    ).toContain('at least 8');
    expect(
      refusalOf(() => {
        assertPassword('😀'.repeat(257));
      }).message,
    ).toContain('at most 1024');
  });
});

describe('text of others on the terminal', () => {
  it('stays as it is where it is harmless, in any script', () => {
    expect(safeText('Zoë Müller 日本 🙂')).toBe('Zoë Müller 日本 🙂');
  });

  it.each([
    ['an escape sequence', '\u001b[31mred', '\\u001b[31mred'],
    ['the one-byte form of one', '\u009b2J', '\\u009b2J'],
    ['a carriage return that would overwrite the line', 'ok\rbad', 'ok\\u000dbad'],
    ['a line feed that would fake a row', 'a\nb', 'a\\u000ab'],
    ['a backspace', 'a\bb', 'a\\u0008b'],
    ['a mark that turns the direction of writing', 'a\u202eb', 'a\\u202eb'],
    ['a line separator', 'a\u2028b', 'a\\u2028b'],
  ])('loses %s', (_what, hostile, shown) => {
    expect(safeText(hostile)).toBe(shown);
  });

  it('keeps its lines where lines are wanted', () => {
    expect(safeLines('a\n\u001b[2Jb')).toBe('a\n\\u001b[2Jb');
  });
});
