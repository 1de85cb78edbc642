import { describe, expect, it } from '@jest/globals';
import {
  type BackupHeader,
  backupLines,
  type BackupSnapshot,
  openBackup,
  type RowCounts,
} from '../../src/backup/backup-format.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { SecretVault } from '../../src/keys/vault.ts';

const vault = new SecretVault({ keys: [Buffer.alloc(32, 7)], random: systemRandom });
const HEADER: BackupHeader = {
  version: '1.2.3',
  createdAt: new Date('2026-11-20T12:00:00Z'),
  migrations: ['001-a'],
  checksums: new Map([['001-a', 'f00d']]),
  keys: [
    { keyId: '0011223344556677', canary: Buffer.from('canary'), isCurrent: true },
    {
      keyId: '8899aabbccddeeff',
      canary: Buffer.from('c'),
      isRetired: true,
      wrapped: { bytes: Buffer.of(1, 2), by: 'HSM' },
    },
  ],
  identities: new Map([['realms', '9007199254740993']]),
  auditMonths: ['2026-11'],
  tables: ['realms', 'licence', 'tokens'],
};
const ROWS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  realms: [['{"id":1}', '{"id":2}'], ['{"id":3}']],
  licence: [],
  tokens: [[JSON.stringify({ long: 'x'.repeat(2_000_000) }), '{"id":5}']],
};
const SNAPSHOT: BackupSnapshot = {
  facts: () => Promise.resolve(HEADER),
  rows: (table) => of(ROWS[table] ?? []),
};

async function* of<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* await Promise.resolve(values);
}

async function written(): Promise<{ lines: string[]; counts: RowCounts }> {
  const counts: RowCounts = new Map();
  const lines: string[] = [];
  for await (const line of backupLines(SNAPSHOT, HEADER, vault, counts)) {
    lines.push(line);
  }
  return { lines, counts };
}

async function read(lines: readonly string[], keys = vault): Promise<{ rows: string[]; counts: RowCounts }> {
  const rows: string[] = [];
  const backup = await openBackup(of(lines));
  const batches = backup.rows(keys);
  for (;;) {
    const next = await batches.next();
    if (next.done === true) {
      return { rows, counts: next.value };
    }
    rows.push(`${next.value.table} ${next.value.size} ${next.value.json}`);
  }
}

describe('a backup', () => {
  it('is read as it was written', async () => {
    const { lines, counts } = await written();
    expect((await openBackup(of(lines))).header).toEqual(HEADER);
    const found = await read(lines);
    expect(found.counts).toEqual(counts);
    expect(counts).toEqual(
      new Map([
        ['realms', 3],
        ['licence', 0],
        ['tokens', 2],
      ]),
    );
    expect(found.rows.slice(0, 2)).toEqual(['realms 2 [{"id":1},{"id":2}]', 'realms 1 [{"id":3}]']);
    // A long row has a line of its own.
    expect(found.rows.slice(2).map((row) => row.slice(0, 18))).toEqual([
      'tokens 1 [{"long":',
      'tokens 1 [{"id":5}',
    ]);
  });

  it('is refused without any one of its lines, or with two of them exchanged', async () => {
    const { lines } = await written();
    for (const place of lines.keys()) {
      const without = lines.filter((_line, at) => at !== place);
      const exchanged = lines
        .with(place, lines[place + 1] ?? '')
        .with((place + 1) % lines.length, lines[place] ?? '');
      for (const spoilt of [without, exchanged]) {
        await expect(read(spoilt)).rejects.toMatchObject({ code: 'backup.invalid' });
      }
    }
  });

  it('is refused with a changed character anywhere', async () => {
    const { lines } = await written();
    for (const [place, line] of lines.entries()) {
      const changed = line.replace(/\d/, (digit) => String((Number(digit) + 1) % 10));
      if (changed !== line) {
        await expect(read(lines.with(place, changed))).rejects.toMatchObject({ code: 'backup.invalid' });
      }
    }
  });

  it('is refused with anything after its end', async () => {
    const { lines } = await written();
    await expect(read([...lines, '[]'])).rejects.toThrow('there is something after its end');
  });

  it('of another installation is refused: its encryption does not tell who made it', async () => {
    const { lines } = await written();
    const other = new SecretVault({ keys: [Buffer.alloc(32, 8)], random: systemRandom });
    await expect(read(lines, other)).rejects.toThrow(
      'it was not made by an installation with these encryption keys',
    );
    const both = new SecretVault({ keys: [Buffer.alloc(32, 8), Buffer.alloc(32, 7)], random: systemRandom });
    expect((await read(lines, both)).counts.size).toBe(3);
  });

  it('of a newer format names the version that wrote it', async () => {
    const { lines } = await written();
    const newer = (lines[0] ?? '').replace('"tankeeper_backup":1,', '"tankeeper_backup":2,');
    await expect(read(lines.with(0, newer))).rejects.toThrow(
      'the backup is newer than this program: it has format 2 and was written by tankeeper 1.2.3',
    );
    await expect(read(['{}'])).rejects.toThrow('the file is no backup of tankeeper');
    await expect(read([])).rejects.toThrow('it ends too early');
  });
});
