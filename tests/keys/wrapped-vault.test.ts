import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type KeyRegistration,
  type KeyRegistry,
  type RegisteredKey,
  keyIdOf,
  notReady,
  sealCanary,
  SecretVault,
} from '../../src/keys/vault.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { openVault } from '../../src/keys/key-file.ts';
import {
  openWrappedVault,
  WrappedKeys,
  type WrappedVault,
  type Pkcs11Request,
} from '../../src/keys/wrapped-vault.ts';
import type { KeyBytes, Pkcs11Result } from '../../src/keys/pkcs11-process.ts';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';

const ONE = Buffer.alloc(32, 1);
const TWO = Buffer.alloc(32, 2);

/** A registry whose transactions take all or nothing. */
class InMemoryRegistry implements KeyRegistration {
  keys: RegisteredKey[] = [];

  registered(): Promise<readonly RegisteredKey[]> {
    return Promise.resolve(this.keys);
  }

  async withRegistration<T>(work: (registry: KeyRegistry) => Promise<T>): Promise<T> {
    const keys = [...this.keys];
    const result = await work({
      registered: () => Promise.resolve([...keys]),
      register: (keyId, canary, wrapped) => {
        keys.push({ keyId, canary, ...(wrapped !== undefined && { wrapped }) });
        return Promise.resolve(true);
      },
      addWrapped: (keyId, wrapped) => {
        const index = keys.findIndex((key) => key.keyId === keyId);
        keys[index] = { keyId, canary: keys[index]?.canary ?? Buffer.alloc(0), wrapped };
        return Promise.resolve(true);
      },
    });
    this.keys = keys;
    return result;
  }
}

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

let folder: string;
let keyFile: string;
let registry: InMemoryRegistry;
let module: FakeModule;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-wrapped-'));
  keyFile = join(folder, 'encryption.key');
  registry = new InMemoryRegistry();
  module = new FakeModule();
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const start = (): Promise<WrappedVault> =>
  openWrappedVault({ module, keyFile, registry, random: systemRandom });

async function startWithKeyFile(...keys: readonly Buffer[]): Promise<void> {
  await writeFile(keyFile, keys.map((key) => `${key.toString('base64')}\n`).join(''), { mode: 0o600 });
  await openVault({ keyFile, registry, random: systemRandom });
}

describe('a start with a security module', () => {
  it('makes a key at first, keeps it wrapped, and opens later what was sealed', async () => {
    const { vault, notes } = await start();
    expect(notes).toEqual([expect.stringContaining('A new encryption key was made and wrapped')]);
    const sealed = vault.seal(Buffer.from('secret'), 'seed', 'T1');
    const later = await start();
    expect(later.vault.open(sealed, 'seed', 'T1').toString()).toBe('secret');
    expect(later.notes).toEqual([]);
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
    const canary = sealCanary(new SecretVault({ keys: [TWO], random: systemRandom }));
    registry.keys = [...registry.keys, { keyId: keyIdOf(TWO), canary, isCurrent: true }];
    const { vault, notes } = await start();
    expect(vault.keyIds).toEqual([keyIdOf(TWO), keyIdOf(ONE)]);
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
    const { vault } = await openVault({ keyFile, registry, random: systemRandom });
    expect(vault.currentKeyId).toBe(keyIdOf(ONE));
    await rm(keyFile);
    expect((await eventualRefusal(openVault({ keyFile, registry, random: systemRandom }))).message).toContain(
      "wrapped by key 'k' of token 't': set SECURITY_MODULE=pkcs11",
    );
  });
});

describe('the module at run time', () => {
  const running = async (): Promise<{
    vault: WrappedVault['vault'];
    freshVault: () => ReturnType<WrappedKeys['freshVault']>;
  }> => {
    const { vault } = await start();
    const source = new WrappedKeys({ module, registry, random: systemRandom });
    return { vault, freshVault: () => source.freshVault(vault.keyIds) };
  };

  it('gives the keys anew, once for all who ask at a time', async () => {
    const { vault, freshVault } = await running();
    const [fresh, same] = await Promise.all([freshVault(), freshVault()]);
    expect(same).toBe(fresh);
    expect(module.requested).toHaveLength(2);
    expect(fresh.open(vault.seal(ONE, 'probe', 'x'), 'probe', 'x')).toEqual(ONE);
    await freshVault();
    expect(module.requested).toHaveLength(3);
  });

  it('is not ready when it fails, or when the database lost what it wrapped, and is again later', async () => {
    const { freshVault } = await running();
    module.ready = false;
    expect((await eventualRefusal(freshVault())).code).toBe('security-module.unavailable');
    module.ready = true;
    await freshVault();
    registry.keys = [];
    expect((await eventualRefusal(freshVault())).code).toBe('security-module.unavailable');
    const other = new InMemoryRegistry();
    await openWrappedVault({ module, keyFile, registry: other, random: systemRandom });
    registry.keys = other.keys;
    expect((await eventualRefusal(freshVault())).message).toContain('no longer has a key that is in use');
  });
});
