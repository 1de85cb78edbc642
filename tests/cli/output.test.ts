import { describe, expect, it } from '@jest/globals';
import { type Column, Output } from '../../src/cli/output.ts';
import { fakeIo } from './fake-io.ts';

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
  { key: 'on', title: 'ON', value: ({ on }) => on, text: ({ on }) => (on ? 'on' : 'off') },
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
