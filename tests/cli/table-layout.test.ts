import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { type Column, Output } from '../../src/cli/output.ts';
import { safeText } from '../../src/kernel/text.ts';
import { runProgram } from '../../src/cli/program.ts';
import { fakeCli } from './fake-dependencies.ts';
import { fakeIo } from './fake-io.ts';

interface Row {
  readonly serial: string;
  readonly settings: string;
  readonly state: string;
  readonly note: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { key: 'serial', title: 'SERIAL', value: ({ serial }) => serial },
  { key: 'settings', title: 'SETTINGS', value: ({ settings }) => settings },
  {
    key: 'state',
    title: 'STATE',
    value: ({ state }) => state,
    style: ({ state }) => (state === 'locked' ? 'red' : undefined),
    rank: 0,
  },
  { key: 'note', title: 'NOTE', value: ({ note }) => note, align: 'right' },
];
const ROW: Row = { serial: 'T1', settings: 's'.repeat(300), state: 'locked', note: 'n' };

function table(rows: readonly Row[], terminal?: { columns: number; color?: boolean }) {
  const io = fakeIo(terminal === undefined ? {} : { terminal });
  new Output(io, { json: false }).list(rows, COLUMNS, 'none');
  return { lines: io.out().trimEnd().split('\n'), err: io.err() };
}

// What a terminal shows at once: wide characters, combining marks, flags and families.
const text = fc.array(
  fc.constantFrom(
    'a',
    'Z',
    ' ',
    ',',
    '-',
    'ü',
    'e\u0301',
    '日',
    '本',
    '한',
    '👍',
    '👨‍👩‍👧',
    '🇩🇪',
    '\u001b',
    '\n',
    '$&',
  ),
  { maxLength: 120 },
);
const cell = text.map((parts) => parts.join(''));
const row = fc.record({
  serial: fc.string({ unit: fc.constantFrom('A', '1', '日'), minLength: 1, maxLength: 60 }),
  settings: cell,
  state: fc.constantFrom('active', 'locked', 'disabled'),
  note: cell,
});

describe('a table on a terminal', () => {
  it('has no line that is wider than the terminal, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 40, max: 200 }),
        fc.boolean(),
        (rows, columns, color) => {
          const { lines } = table(rows, { columns, color });
          const widths = lines.map((line) => stringWidth(line));
          expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });

  it('keeps the columns one below the other, also after wide characters', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 2, maxLength: 5 }), (rows) => {
        const { lines } = table(
          rows.map((one) => ({ ...one, note: 'x' })),
          { columns: 200, color: false },
        );
        // The last column is aligned to the right: every line ends at the same place.
        expect(new Set(lines.slice(1).map((line) => stringWidth(line))).size).toBe(1);
      }),
    );
  });

  it('loses no character of a column that it shows', () => {
    fc.assert(
      fc.property(row, fc.integer({ min: 40, max: 200 }), (one, columns) => {
        const { lines, err } = table([{ ...one, state: 'active', note: '' }], { columns, color: false });
        const shown = [one.serial, ...(err.includes('SETTINGS') ? [] : [safeText(one.settings)])];
        const signs = (text: string): string => Array.from(text.replaceAll(' ', '')).sort().join('');
        expect(signs(lines.slice(1).join(''))).toBe(signs([...shown, 'active'].join('')));
      }),
    );
  });

  it('wraps the long column between words and leaves the others on one line', () => {
    const settings = 'LDAPURI=ldaps://directory.example.org, UIDTYPE=entryUUID';
    const { lines, err } = table([{ ...ROW, settings }], { columns: 62, color: false });
    expect(lines.slice(1)).toEqual([
      'T1      LDAPURI=ldaps://directory.example.org,    locked     n',
      '        UIDTYPE=entryUUID',
    ]);
    expect(err).toBe('');
  });

  it('breaks what is longer than a time or an id, after a slash where it can', () => {
    const settings = `https://portal.example.org/${'hooks/'.repeat(5)}${'x'.repeat(60)}`;
    const { lines } = table([{ ...ROW, settings }], { columns: 62, color: false });
    expect(lines.slice(1).map((line) => line.replace(/^T1| {2}locked +n$/g, '').trim())).toEqual([
      'https://portal.example.org/hooks/hooks/',
      'hooks/hooks/hooks/',
      'x'.repeat(40),
      'x'.repeat(20),
    ]);
  });

  it('leaves out what does not fit, the least important first, and says so', () => {
    const { lines, err } = table([{ ...ROW, serial: 'T'.repeat(35) }], { columns: 45, color: false });
    expect(lines[1]).toBe(`${'T'.repeat(35)}  locked`);
    expect(err).toBe('left out, as the terminal is narrow:\nSETTINGS, NOTE\n');
  });

  it('leaves out a column without a text before one with texts', () => {
    const { err } = table([{ ...ROW, settings: '', serial: 'T'.repeat(35) }], { columns: 52, color: false });
    expect(err).toBe('left out, as the terminal is narrow: SETTINGS\n');
  });

  it('is whole in a pipe', () => {
    const { lines } = table([ROW]);
    expect(lines[1]).toContain(ROW.settings);
    expect(lines.join('')).not.toContain('\u001b');
  });

  it('has bold titles, and colours where they mean something', () => {
    const { lines } = table([ROW, { ...ROW, state: 'active' }], { columns: 100 });
    expect(lines[0]?.startsWith('\u001b[1mSERIAL\u001b[22m ')).toBe(true);
    expect(lines[1]).toContain('\u001b[31mlocked\u001b[39m');
    expect(lines[2]).not.toContain('\u001b');
    expect(stripVTControlCharacters(lines[1] ?? '')).toBe(
      table([ROW, { ...ROW, state: 'active' }], { columns: 100, color: false }).lines[1],
    );
  });
});

describe('one thing on a terminal', () => {
  const settings =
    'LDAPURI=ldaps://directory.example.org, LDAPBASE=ou=people,dc=example,dc=org, UIDTYPE=entryUUID';
  const print = (terminal?: { columns: number; color: boolean }): string => {
    const io = fakeIo(terminal === undefined ? {} : { terminal });
    new Output(io, { json: false }).record({ ...ROW, settings }, COLUMNS);
    return io.out();
  };

  it('is wrapped between words, below its title', () => {
    expect(print({ columns: 50, color: false })).toBe(
      [
        'SERIAL    T1',
        'SETTINGS  LDAPURI=ldaps://directory.example.org,',
        '          LDAPBASE=ou=people,dc=example,dc=org,',
        '          UIDTYPE=entryUUID',
        'STATE     locked',
        'NOTE      n',
        '',
      ].join('\n'),
    );
  });

  it('is one line a fact in a pipe', () => {
    expect(print()).toContain(`SETTINGS  ${settings}\n`);
  });
});

describe('the help of a command', () => {
  it('shows headings of the help in bold on a terminal only', async () => {
    const colourful = fakeCli({}, { io: fakeIo({ terminal: { columns: 80 } }) });
    await runProgram(['token', '--help'], colourful.dependencies);
    expect(colourful.io.out()).toContain('\u001b[1mUsage:\u001b[22m');
    const plain = fakeCli();
    await runProgram(['token', '--help'], plain.dependencies);
    expect(plain.io.out()).not.toContain('\u001b');
  });
});
