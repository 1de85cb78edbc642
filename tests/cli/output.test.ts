import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import stringWidth from 'string-width';
import { type Column, Output } from '../../src/cli/output.ts';
import { type FakeIo, fakeIo } from './fake-io.ts';

interface Row {
  readonly name: string;
  readonly count: number | null;
  readonly tags: readonly string[];
  readonly on: boolean;
}

const COLUMNS: readonly Column<Row>[] = [
  { key: 'name', title: 'NAME', value: ({ name }) => name },
  { key: 'count', title: 'COUNT', value: ({ count }) => count, align: 'right' },
  { key: 'tags', title: 'TAGS', value: ({ tags }) => tags },
  {
    key: 'on',
    title: 'ON',
    value: ({ on }) => on,
    text: ({ on }) => (on ? 'on' : 'off'),
    style: ({ on }) => (on ? 'green' : undefined),
  },
  { key: 'hidden', value: () => 'for scripts' },
];
const ROWS: readonly Row[] = [
  { name: 'a', count: 12, tags: ['x', 'y'], on: true },
  { name: '\u001b[31mevil\nrow', count: null, tags: [], on: false },
];

function printed(json: boolean, print: (output: Output) => void): string {
  const io = fakeIo();
  print(new Output(io, { json }));
  return io.out();
}

describe('the output of commands', () => {
  it('is an aligned table for people, with nothing in it that a terminal would obey', () => {
    expect(
      printed(false, (output) => {
        output.list(ROWS, COLUMNS, 'none');
      }),
    ).toBe(
      [
        'NAME                     COUNT  TAGS  ON',
        'a                           12  x, y  on',
        '\\u001b[31mevil\\u000arow               off',
        '',
      ].join('\n'),
    );
  });

  it('keeps the columns one below the other, also after wide characters', () => {
    const names = ['a', 'e\u0301', '日本', '👨‍👩‍👧', '🇩🇪 Z'];
    const lines = printed(false, (output) => {
      output.list(
        names.map((name) => ({ name, count: 1, tags: [], on: true })),
        COLUMNS.slice(0, 2),
        'none',
      );
    }).trimEnd();
    expect(new Set(lines.split('\n').map((line) => stringWidth(line))).size).toBe(1);
  });

  it('has bold titles, and colours where they mean something, on a terminal alone', () => {
    const lines = (io: FakeIo): readonly string[] => {
      new Output(io, { json: false }).list(ROWS, COLUMNS, 'none');
      return io.out().split('\n');
    };
    const shown = lines(fakeIo({ terminal: { columns: 80 } }));
    expect(shown[0]?.startsWith('\u001b[1mNAME\u001b[22m ')).toBe(true);
    expect(shown[1]).toContain('\u001b[32mon\u001b[39m');
    expect(shown.map(stripVTControlCharacters)).toEqual(lines(fakeIo()));
  });

  it('says so where there is nothing', () => {
    expect(
      printed(false, (output) => {
        output.list([], COLUMNS, 'no rows');
      }),
    ).toBe('no rows\n');
    expect(
      JSON.parse(
        printed(true, (output) => {
          output.list([], COLUMNS, 'no rows');
        }),
      ),
    ).toEqual([]);
  });

  it('is an array of objects with all keys for scripts', () => {
    expect(
      JSON.parse(
        printed(true, (output) => {
          output.list(ROWS, COLUMNS, 'none');
        }),
      ),
    ).toEqual([
      { name: 'a', count: 12, tags: ['x', 'y'], on: true, hidden: 'for scripts' },
      { name: '\u001b[31mevil\nrow', count: null, tags: [], on: false, hidden: 'for scripts' },
    ]);
  });

  it('shows one thing as a line a fact', () => {
    const [row] = ROWS;
    expect(
      printed(false, (output) => {
        output.record(row, COLUMNS.slice(0, 2) as Column<Row | undefined>[]);
      }),
    ).toBe('NAME   a\nCOUNT  12\n');
  });

  it('says sentences to people only', () => {
    expect(
      printed(true, (output) => {
        output.say('hello');
      }),
    ).toBe('');
    expect(
      printed(false, (output) => {
        output.done('done \u0007', { ok: true });
      }),
    ).toBe('done \\u0007\n');
    expect(
      printed(true, (output) => {
        output.done('done', { ok: true });
      }),
    ).toBe('{\n  "ok": true\n}\n');
  });
});
