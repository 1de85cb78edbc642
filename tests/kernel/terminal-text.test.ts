import { describe, expect, it } from '@jest/globals';
import { safeLines, safeText } from '../../src/kernel/terminal-text.ts';

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
