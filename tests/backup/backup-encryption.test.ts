import { describe, expect, it, jest } from '@jest/globals';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { BackupUnlock } from '../../src/backup/backup-encryption.ts';
import { BackupCipher } from '../../src/backup/backup-encryption.ts';

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

  it('is an age file of gzip', async () => {
    const { identity, recipient } = await keyPair();
    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    const plain = await decrypter.decrypt(new Uint8Array(await encrypted(recipient)));
    expect(gunzipSync(plain)).toEqual(CONTENT);
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
