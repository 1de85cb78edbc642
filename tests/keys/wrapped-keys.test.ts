import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { openFrom, openKeys, type OpenedKeys } from '../../src/keys/opened-keys.ts';
import type { KeyBytes, Pkcs11Result } from '../../src/keys/pkcs11-process.ts';
import { keyIdOf, newKey, notReady } from '../../src/keys/vault.ts';
import { type Pkcs11Request, WrappedKeys } from '../../src/keys/wrapped-keys.ts';
import { eventualRefusal } from '../support/values/refusal.ts';
import { MemoryRegistry } from '../support/application/test-keys.ts';
import { temporaryFolder } from '../support/values/temporary-folder.ts';

const ONE = Buffer.alloc(32, 1);
const TWO = Buffer.alloc(32, 2);

const inverted = ({ keyId, bytes }: KeyBytes): KeyBytes => ({
  keyId,
  bytes: Buffer.from(bytes.map((byte) => byte ^ 0xff)),
});

/** "Wraps" by inverting each byte. */
class FakeModule {
  name = "key 'k' of token 't'";
  createsKey = false;
  ready = true;
  readonly requested: Pkcs11Request[] = [];

  async run(request: Pkcs11Request): Promise<Pkcs11Result> {
    this.requested.push(request);
    await Promise.resolve();
    if (!this.ready) {
      throw notReady('its token is not there', 'unplugged');
    }
    return {
      wrapped: request.wrap.map(inverted),
      unwrapped: request.unwrap.map(inverted),
      keyCreated: false,
      warnings: [],
    };
  }
}

const root = temporaryFolder();
let folder: string;
let keyFile: string;
let registry: MemoryRegistry;
let notes: string[];
let module: FakeModule;

beforeEach(async () => {
  folder = await mkdtemp(join(root, 'each-'));
  keyFile = join(folder, 'encryption.key');
  registry = new MemoryRegistry();
  notes = [];
  module = new FakeModule();
});

const note = (message: string): void => {
  notes.push(message);
};
const log = { error: note, warn: note, info: note, debug: note };

const start = (): Promise<OpenedKeys> =>
  openFrom(new WrappedKeys({ module, keyFile, random: systemRandom }), registry, log);
const startWithFile = (): Promise<OpenedKeys> =>
  openKeys({ encryptionKeyFile: keyFile, pkcs11: undefined }, registry, log);

async function startWithKeyFile(...keys: readonly Buffer[]): Promise<void> {
  await writeFile(keyFile, keys.map((key) => `${key.toString('base64')}\n`).join(''), { mode: 0o600 });
  await startWithFile();
  notes = [];
}

describe('a start with a security module', () => {
  it('makes a key at first, keeps it wrapped, and opens later what was sealed', async () => {
    const { vault } = await start();
    expect(notes).toEqual([expect.stringContaining('A new encryption key was made and wrapped')]);
    const sealed = vault.seal(Buffer.from('secret'), 'seed', 'T1');
    notes = [];
    const later = await start();
    expect(later.vault.open(sealed, 'seed', 'T1').toString()).toBe('secret');
    expect(notes).toEqual([]);
    expect(registry.keys).toHaveLength(1);
  });

  it('writes nothing when the module is not ready', async () => {
    module.ready = false;
    expect((await eventualRefusal(start())).code).toBe('security-module.unavailable');
    expect(registry.keys).toEqual([]);
  });

  it('asks for a key in the module only while nothing is wrapped', async () => {
    module.createsKey = true;
    await start();
    await start();
    expect(module.requested.map(({ createKey }) => createKey)).toEqual([true, false]);
  });

  it('says by which key the key of the database was wrapped when another one is configured', async () => {
    await start();
    module.name = "key 'other' of token 't'";
    module.ready = false;
    expect((await eventualRefusal(start())).detail).toMatch(/unplugged; key \w{16} was wrapped by key 'k'/);
  });

  it('refuses a key that is not the one that the database names', async () => {
    await start();
    const [key] = registry.keys;
    const foreign = { bytes: Buffer.from(inverted({ keyId: '', bytes: TWO }).bytes), by: module.name };
    registry.keys = [{ keyId: key?.keyId ?? '', canary: key?.canary ?? ONE, wrapped: foreign }];
    expect((await eventualRefusal(start())).message).toContain('it unwrapped another key');
  });

  it('refuses a database whose canary does not open', async () => {
    await start();
    registry.keys = registry.keys.map((key) => ({ ...key, canary: Buffer.alloc(60) }));
    expect((await eventualRefusal(start())).message).toContain('the database was altered');
  });
});

describe('a start with a security module after ones with a key file', () => {
  it('wraps every key of the file that is needed; the current one goes on sealing', async () => {
    await startWithKeyFile(ONE);
    await startWithKeyFile(TWO, ONE);
    registry.keys = [...registry.keys, { ...newKey(TWO, systemRandom), isCurrent: true }];
    const { vault } = await start();
    expect(vault.currentKeyId).toBe(keyIdOf(TWO));
    expect(vault.keyIds).toContain(keyIdOf(ONE));
    expect(notes).toEqual([expect.stringContaining('is no longer needed')]);
    await rm(keyFile);
    expect((await start()).vault.currentKeyId).toBe(keyIdOf(TWO));
  });

  it('is refused without the key file, or with another one: the module is not even asked', async () => {
    await startWithKeyFile(ONE);
    await writeFile(keyFile, TWO.toString('base64'), { mode: 0o600 });
    expect((await eventualRefusal(start())).message).toContain(
      `the encryption key ${keyIdOf(ONE)}, which no`,
    );
    await rm(keyFile);
    expect((await eventualRefusal(start())).message).toContain('Bring the key file back');
    expect(module.requested).toEqual([]);
  });

  it('can go back to the file while that is there', async () => {
    await startWithKeyFile(ONE);
    await start();
    const { vault } = await startWithFile();
    expect(vault.currentKeyId).toBe(keyIdOf(ONE));
    await rm(keyFile);
    expect((await eventualRefusal(startWithFile())).message).toContain(
      "wrapped by key 'k' of token 't': set SECURITY_MODULE=pkcs11",
    );
  });
});

describe('the module at run time', () => {
  it('gives the keys anew, once for all who ask at a time', async () => {
    const keys = await start();
    const [fresh, same] = await Promise.all([keys.freshVault(), keys.freshVault()]);
    expect(same).toBe(fresh);
    expect(module.requested).toHaveLength(2);
    expect(fresh.open(keys.vault.seal(ONE, 'probe', 'x'), 'probe', 'x')).toEqual(ONE);
    await keys.freshVault();
    expect(module.requested).toHaveLength(3);
  });

  it('is not ready when it fails, or when the database lost what it wrapped, and is again later', async () => {
    const keys = await start();
    module.ready = false;
    expect((await eventualRefusal(keys.freshVault())).code).toBe('security-module.unavailable');
    module.ready = true;
    await keys.freshVault();
    registry.keys = [];
    expect((await eventualRefusal(keys.freshVault())).code).toBe('security-module.unavailable');
    await start();
    expect((await eventualRefusal(keys.freshVault())).message).toContain(
      'no longer has a key that is in use',
    );
  });
});
