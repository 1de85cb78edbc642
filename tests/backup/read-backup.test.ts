import { describe, expect, it } from '@jest/globals';
import { packTar, unpackTar } from 'modern-tar';
import {
  type BackupSnapshot,
  packBackup,
  readBackup,
  type RowCounts,
} from '../../src/backup/backup-format.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { Vault } from '../../src/keys/vault.ts';

const vault = new Vault({ keys: [Buffer.alloc(32, 7)], random: systemRandom });
const ROWS: Readonly<Record<string, readonly string[]>> = {
  realms: ['1\toffice\n2\tho', 'me\n'],
  policies: [],
  tokens: [`1\t${'x'.repeat(2_000_000)}\n`, '2\ty\n'],
};
const SNAPSHOT: BackupSnapshot = {
  migrations: [{ name: '001-a', checksum: 'f00d' }],
  keys: [
    { keyId: '0011223344556677', canary: Buffer.from('canary'), isCurrent: true },
    {
      keyId: '8899aabbccddeeff',
      canary: Buffer.from('c'),
      isRetired: true,
      wrapped: { bytes: Buffer.of(1, 2), by: 'HSM' },
    },
  ],
  auditMonths: ['2026-11'],
  tables: [
    { name: 'realms', columns: ['id', 'name'], last_id: '9007199254740993' },
    { name: 'policies', columns: ['id'] },
    { name: 'tokens', columns: ['id', 'serial'] },
  ],
  copy: (table) => of((ROWS[table] ?? []).map((text) => Buffer.from(text))),
};
const CREATED = new Date('2026-11-20T12:00:00Z');

async function* of<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* await Promise.resolve(values);
}

async function written(snapshot = SNAPSHOT, counts: RowCounts = new Map()): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const bytes of packBackup(snapshot, '1.2.3', CREATED, vault, counts)) {
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}

/** @returns its manifest, and the text of each table */
async function read(
  tar: Uint8Array,
  keys = vault,
): Promise<{ manifest: unknown; tables: Record<string, string> }> {
  const tables: Record<string, string> = {};
  const backup = await readBackup(of([tar]), async (table, bytes) => {
    for await (const some of bytes) {
      tables[table] = (tables[table] ?? '') + Buffer.from(some).toString();
    }
  });
  backup.assertMade(keys);
  return { manifest: backup.manifest, tables };
}

type Members = Awaited<ReturnType<typeof unpackTar>>;

async function changed(change: (members: Members) => Members): Promise<Uint8Array> {
  return packTar(change(await unpackTar(await written())));
}

describe('a backup', () => {
  it('is read as it was written', async () => {
    const counts: RowCounts = new Map();
    const { manifest, tables } = await read(await written(SNAPSHOT, counts));
    expect(Object.fromEntries(counts)).toEqual({ realms: 2, policies: 0, tokens: 2 });
    expect(manifest).toMatchObject({
      version: '1.2.3',
      created: CREATED,
      migrations: SNAPSHOT.migrations,
      keys: SNAPSHOT.keys,
      audit_months: ['2026-11'],
      tables: SNAPSHOT.tables.map((table) => ({ ...table, rows: counts.get(table.name) })),
    });
    expect(tables).toEqual({ realms: ROWS.realms?.join(''), tokens: ROWS.tokens?.join('') });
  });

  it('is refused without any one of its members, with two of them exchanged, and with more than them', async () => {
    const members = await unpackTar(await written());
    expect(members.map(({ header }) => header.name)).toEqual([
      'tables/realms/1.copy',
      'tables/tokens/1.copy',
      'tables/tokens/2.copy',
      'manifest.json',
      'manifest.mac',
    ]);
    for (const place of members.keys()) {
      const without = members.filter((_member, at) => at !== place);
      const twice = members.flatMap((member, at) => (at === place ? [member, member] : [member]));
      for (const spoilt of [without, twice]) {
        await expect(read(await packTar(spoilt))).rejects.toMatchObject({ code: 'backup.invalid' });
      }
    }
    const tokensExchanged = [0, 2, 1, 3, 4].flatMap((place) => members[place] ?? []);
    await expect(read(await packTar(tokensExchanged))).rejects.toMatchObject({ code: 'backup.invalid' });
  });

  it('is refused where it is cut off', async () => {
    const tar = await written();
    for (const length of [0, 100, 1_000, 600_000, tar.length - 2_048]) {
      await expect(read(tar.subarray(0, length))).rejects.toMatchObject({ code: 'backup.invalid' });
    }
  });

  it('is refused with other keys, or a manifest that was changed', async () => {
    const other = new Vault({ keys: [Buffer.alloc(32, 8)], random: systemRandom });
    await expect(read(await written(), other)).rejects.toThrow(
      'it was not made by an installation with these encryption keys',
    );
    const renamed = await changed((members) =>
      members.map(({ header, data }) => {
        const text = Buffer.from(data ?? []).toString();
        return header.name === 'manifest.json'
          ? { header, data: new Uint8Array(Buffer.from(text.replace('"1.2.3"', '"1.2.4"'))) }
          : { header, ...(data !== undefined && { data }) };
      }),
    );
    await expect(read(renamed)).rejects.toThrow('these encryption keys');
  });

  it.each([
    ['of another form', '{"tankeeper_backup":1}'],
    ['that is no JSON', 'no'],
    ['that is very long', ' '.repeat(5_000_000)],
  ])('is refused with a manifest %s', async (_which, text) => {
    const tar = await packTar([{ header: { name: 'manifest.json', size: text.length }, body: text }]);
    await expect(read(tar)).rejects.toMatchObject({ code: 'backup.invalid' });
  });

  it('is refused if it is no tar', async () => {
    await expect(read(Buffer.from('{"tankeeper_backup":1}\n'.repeat(100)))).rejects.toThrow(
      'what it holds is no backup',
    );
  });

  it('passes on the fault of the tables', async () => {
    const copy = async function* (): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from('1\n'));
      throw new Error('the server is gone');
    };
    await expect(written({ ...SNAPSHOT, copy })).rejects.toThrow('the server is gone');
  });
});
