import { describe, expect, it, jest } from '@jest/globals';
import { Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { packTar, unpackTar } from 'modern-tar';
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { BackupCipher, type BackupUnlock } from '../../src/backup/backup-encryption.ts';
import {
  type BackupSnapshot,
  type RowCounts,
  packBackup,
  readBackup,
} from '../../src/backup/backup-format.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { Vault } from '../../src/keys/vault.ts';

const cipher = new BackupCipher();
const PASSPHRASE = 'a long passphrase';
/** More than one chunk of age, also when it is compressed. */
const CONTENT = randomBytes(70_000);

async function* of<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* await Promise.resolve(values);
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) {
    found.push(value);
  }
  return found;
}

async function keyPair(): Promise<{ identity: string; recipient: string }> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

async function encrypted(recipient: string): Promise<Buffer> {
  return Buffer.concat(await all(cipher.encrypt(of([CONTENT]), { recipients: [recipient] })));
}

async function decrypted(bytes: Uint8Array, unlock: BackupUnlock, piece = bytes.length): Promise<Buffer> {
  const pieces = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, place) =>
    bytes.subarray(place * piece, (place + 1) * piece),
  );
  return Buffer.concat(await all(cipher.decrypt(of(pieces), unlock)));
}

describe('an encrypted backup', () => {
  it('gives back its content to each recipient, in whatever pieces it is read', async () => {
    const [one, other] = [await keyPair(), await keyPair()];
    const lock = { recipients: [one.recipient, other.recipient] };
    const bytes = Buffer.concat(await all(cipher.encrypt(of([CONTENT]), lock)));
    expect(await decrypted(bytes, { identities: [one.identity] })).toEqual(CONTENT);
    expect(await decrypted(bytes, { identities: [other.identity] }, 7)).toEqual(CONTENT);
  });

  it('opens by its passphrase and by no other', async () => {
    const { setPassphrase } = Encrypter.prototype as unknown as Record<
      'setPassphrase',
      (this: Encrypter, text: string) => void
    >;
    jest.spyOn(Encrypter.prototype, 'setPassphrase').mockImplementationOnce(function (this: Encrypter, text) {
      setPassphrase.call(this, text);
      // The age library's own takes seconds. It is written into the file, by which it is opened.
      this.setScryptWorkFactor(10);
    });
    const bytes = Buffer.concat(await all(cipher.encrypt(of([CONTENT]), { passphrase: PASSPHRASE })));
    expect(await decrypted(bytes, { passphrase: PASSPHRASE })).toEqual(CONTENT);
    await expect(decrypted(bytes, { passphrase: `${PASSPHRASE}!` })).rejects.toMatchObject({
      code: 'backup.invalid',
      message: expect.stringContaining('the passphrase is wrong') as unknown,
    });
  });

  // Pins the text of the age library by which this reason is told from damage.
  it('names the identity as the fault where it is none of the recipients', async () => {
    const [one, other] = [await keyPair(), await keyPair()];
    const bytes = await encrypted(one.recipient);
    await expect(decrypted(bytes, { identities: [other.identity] })).rejects.toMatchObject({
      code: 'backup.invalid',
      message: expect.stringContaining('the identity is none of its recipients') as unknown,
    });
  });

  it('is refused at each place where a bit is flipped or where it is cut off', async () => {
    const { identity, recipient } = await keyPair();
    const bytes = await encrypted(recipient);
    const places = [0, 10, 40, 100, 150, 200, 250, 1_000, bytes.length >> 1, bytes.length - 1];
    for (const place of places) {
      const flipped = Buffer.from(bytes);
      flipped[place] = (flipped[place] ?? 0) ^ 4;
      for (const spoilt of [flipped, bytes.subarray(0, place)]) {
        await expect(decrypted(spoilt, { identities: [identity] })).rejects.toMatchObject({
          code: 'backup.invalid',
        });
      }
    }
  });

  it('is refused if it holds something else than compressed bytes', async () => {
    const { identity, recipient } = await keyPair();
    for (const content of [Buffer.from('plain text'), gzipSync('cut off\n').subarray(0, -4)]) {
      const encrypter = new Encrypter();
      encrypter.addRecipient(recipient);
      const bytes = await encrypter.encrypt(new Uint8Array(content));
      await expect(decrypted(bytes, { identities: [identity] })).rejects.toMatchObject({
        code: 'backup.invalid',
      });
    }
  });

  it.each([
    [{ recipients: ['age1x'] }, "'age1x' is no recipient of age (age1…)"],
    [{ recipients: ['ssh-ed25519 AAAA'] }, "'ssh-ed25519 AAAA' is no recipient of age (age1…)"],
  ])('needs a recipient of age', async (lock, message) => {
    await expect(all(cipher.encrypt(of([CONTENT]), lock))).rejects.toMatchObject({
      code: 'parameter.invalid',
      message,
    });
  });

  it('does not quote an identity that is none', async () => {
    const bytes = await encrypted((await keyPair()).recipient);
    const fault = await decrypted(bytes, { identities: ['AGE-SECRET-KEY-1SECRET'] }).catch(
      (error: unknown) => error,
    );
    expect(fault).toMatchObject({ code: 'parameter.invalid' });
    expect(String((fault as Error).stack)).not.toContain('1SECRET');
  });
});

describe('a file that cannot be read', () => {
  it.each([0, 60, 5_000])(
    'fails by the reason, and is not called changed (after %i bytes)',
    async (bytes) => {
      const { identity, recipient } = await keyPair();
      const whole = await encrypted(recipient);
      const broken = async function* (): AsyncGenerator<Uint8Array> {
        yield await Promise.resolve(whole.subarray(0, bytes));
        throw new Error('EIO');
      };
      await expect(all(cipher.decrypt(broken(), { identities: [identity] }))).rejects.toThrow('EIO');
    },
  );
});

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
