import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { type Column, Output } from '../../src/cli/output.ts';
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
  { key: 'serial', title: 'SERIAL', value: ({ serial }) => serial, whole: true },
  { key: 'settings', title: 'SETTINGS', value: ({ settings }) => settings },
  {
    key: 'state',
    title: 'STATE',
    value: ({ state }) => state,
    style: ({ state }) => (state === 'locked' ? 'red' : undefined),
    rank: 0,
    whole: true,
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
          expect(lines).toHaveLength(rows.length + 1);
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

  it('shortens the long column and leaves the others whole', () => {
    const { lines, err } = table([ROW], { columns: 60, color: false });
    expect(lines[1]).toMatch(/^T1 {6}s+… {2}locked {5}n$/);
    expect(lines[1]).toHaveLength(60);
    expect(err).toBe('');
  });

  it('leaves out what does not fit, the least important first, and says so', () => {
    const { lines, err } = table([{ ...ROW, serial: 'T'.repeat(35) }], { columns: 45, color: false });
    expect(lines[1]).toBe(`${'T'.repeat(35)}  locked`);
    expect(err).toBe('left out, as the terminal is narrow:\nSETTINGS, NOTE\n');
  });

  it('cuts what must stay where even that is too wide', () => {
    const { lines } = table([{ ...ROW, serial: 'T'.repeat(80) }], { columns: 40, color: false });
    expect(lines[1]).toMatch(/^T+… {2}locked$/);
    expect(lines[1]).toHaveLength(40);
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

describe('the lists of commands', () => {
  const audit = {
    id: '1',
    at: '2026-11-20T12:00:00.000000Z',
    actor: 'operator:root',
    action: 'ocra/check_t',
    subject: 'LSGO00000001',
    realm: 'a-realm-with-a-long-name',
    outcome: 'wrong',
    client: '2001:db8::1',
    requestId: '0123456789abcdef0123456789abcdef',
    writer: 1,
    lane: 0,
    seq: '1',
    transaction: '0123456789ab',
  };
  const resolver = {
    name: 'corp',
    kind: 'ldap',
    secretStamp: 'x',
    settings: { LDAPURI: 'ldaps://a.example.org, ldaps://b.example.org', LDAPBASE: 'x'.repeat(250) },
  };

  it.each([
    ['audit.search', ['audit', 'search'], [audit], /^TIME .*OUTCOME/],
    ['resolvers.list', ['resolver', 'list'], [resolver], /^NAME .*SETTINGS.*SECRET$/],
  ])('%s fit a terminal of any width', async (answer, words, rows, titles) => {
    for (const columns of [40, 60, 80, 120, 200]) {
      const { dependencies, io } = fakeCli(
        { [answer]: rows },
        { io: fakeIo({ terminal: { columns, color: false } }) },
      );
      expect(await runProgram(words, dependencies)).toBe(0);
      const lines = io.out().trimEnd().split('\n');
      expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns);
      expect(lines[0]).toMatch(titles);
    }
  });

  it('shows headings of the help in bold on a terminal only', async () => {
    const colourful = fakeCli({}, { io: fakeIo({ terminal: { columns: 80 } }) });
    await runProgram(['token', '--help'], colourful.dependencies);
    expect(colourful.io.out()).toContain('\u001b[1mUsage:\u001b[22m');
    const plain = fakeCli();
    await runProgram(['token', '--help'], plain.dependencies);
    expect(plain.io.out()).not.toContain('\u001b');
  });
});
