import { access, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { openFrom, openKeys, type OpenedKeys } from '../../src/keys/opened-keys.ts';
import type { KeyBytes, Pkcs11Result } from '../../src/keys/pkcs11-process.ts';
import { keyIdOf, newKey, notReady, type RegisteredKey, Vault } from '../../src/keys/vault.ts';
import { type Pkcs11Request, WrappedKeys } from '../../src/keys/wrapped-keys.ts';
import { eventualRefusal, refusalOf } from '../support/values/refusal.ts';
import { MemoryRegistry } from '../support/application/test-keys.ts';
import { temporaryFolder } from '../support/values/temporary-folder.ts';

const [ONE, TWO] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const SECRET = Buffer.from('secret');
const vaultWith = (...keys: Buffer[]): Vault => new Vault({ keys, random: systemRandom });
const registeredKey = (key: Buffer, more: Partial<RegisteredKey> = {}): RegisteredKey => ({
  ...newKey(key, systemRandom),
  ...more,
});

const root = temporaryFolder();
let folder: string;
let keyFile: string;
let registry: MemoryRegistry;
const logged: string[] = [];
const note = (message: string): void => {
  logged.push(message);
};
const log = { error: note, warn: note, info: note, debug: note };

beforeEach(async () => {
  folder = await mkdtemp(join(root, 'each-'));
  keyFile = join(folder, 'encryption.key');
  registry = new MemoryRegistry();
  logged.length = 0;
});

const start = (): Promise<OpenedKeys> =>
  openKeys({ encryptionKeyFile: keyFile, pkcs11: undefined }, registry, log);
const registeredIds = (): readonly string[] => registry.keys.map(({ keyId }) => keyId);

async function putKeys(...keys: readonly Buffer[]): Promise<void> {
  await writeFile(keyFile, keys.map((key) => `${key.toString('base64')}\n`).join(''), { mode: 0o600 });
}

describe('the first start', () => {
  it('makes a key and registers it; later starts open what was sealed', async () => {
    const first = await start();
    expect(logged).toEqual([expect.stringContaining('A new encryption key was made')]);
    expect(registeredIds()).toEqual([first.vault.currentKeyId]);
    const sealed = first.vault.seal(SECRET, 'seed', 'T1');
    const second = await start();
    expect(logged).toHaveLength(1);
    expect(second.vault.open(sealed, 'seed', 'T1')).toEqual(SECRET);
    expect(registry.keys).toHaveLength(1);
  });

  it('takes the newest key that is there already, from an operator or a start that failed', async () => {
    await putKeys(ONE, TWO);
    expect((await start()).vault.currentKeyId).toBe(keyIdOf(TWO));
    expect(registeredIds()).toEqual([keyIdOf(TWO)]);
  });

  it('does not go on with a damaged key file, nor replace it', async () => {
    await writeFile(keyFile, 'damaged', { mode: 0o600 });
    expect((await eventualRefusal(start())).message).toContain('its line 1 is not a base64 key');
    expect(await readFile(keyFile, 'utf8')).toBe('damaged');
    expect(registry.keys).toEqual([]);
  });
});

describe('a start with a database that has secrets', () => {
  beforeEach(async () => {
    await putKeys(ONE);
    await start();
  });

  it('is refused when the key file is lost: the key that is needed is named, and nothing is written', async () => {
    await rm(keyFile);
    const refusal = await eventualRefusal(start());
    expect(refusal.code).toBe('key.unavailable');
    expect(refusal.message).toContain(`needs the encryption key ${keyIdOf(ONE)}`);
    expect(refusal.message).toContain(`there is no key file ${keyFile}`);
    await expect(access(keyFile)).rejects.toThrow('ENOENT');
    expect(registeredIds()).toEqual([keyIdOf(ONE)]);
  });

  it('is refused with another key: needed and found are named, and nothing is written', async () => {
    await putKeys(TWO);
    const before = await readFile(keyFile, 'utf8');
    const refusal = await eventualRefusal(start());
    expect(refusal.code).toBe('key.unavailable');
    expect(refusal.message).toContain(`needs the encryption key ${keyIdOf(ONE)}`);
    expect(refusal.message).toContain(`holds the key ${keyIdOf(TWO)}`);
    expect(await readFile(keyFile, 'utf8')).toBe(before);
    expect(registeredIds()).toEqual([keyIdOf(ONE)]);
  });

  it('is refused when the database was altered, so that the key does not fit its id', async () => {
    const canary = Buffer.from(registry.keys[0]?.canary ?? []);
    canary[canary.length - 1] = (canary[canary.length - 1] ?? 0) ^ 1;
    registry.keys = [{ keyId: keyIdOf(ONE), canary }];
    expect((await eventualRefusal(start())).message).toContain(
      `The encryption key ${keyIdOf(ONE)} does not open what the database keeps to try it`,
    );
  });

  it('goes on sealing with the key that the database names where a newer one was put into the file, and says so', async () => {
    await putKeys(ONE, TWO);
    expect((await start()).vault.currentKeyId).toBe(keyIdOf(ONE));
    expect(logged).toEqual([
      expect.stringContaining(`the key ${keyIdOf(TWO)}, which the database does not know`),
    ]);
    expect(registeredIds()).toEqual([keyIdOf(ONE)]);
  });

  it('needs every key that is registered and not retired, and seals with the current one', async () => {
    await putKeys(TWO, ONE);
    registry.keys = [registeredKey(ONE), registeredKey(TWO, { isCurrent: true })];
    expect((await start()).vault.currentKeyId).toBe(keyIdOf(TWO));
    await putKeys(TWO);
    expect((await eventualRefusal(start())).message).toContain(`needs the encryption key ${keyIdOf(ONE)}`);
    await rm(keyFile);
    expect((await eventualRefusal(start())).message).toContain(
      `needs the encryption keys ${keyIdOf(ONE)}, ${keyIdOf(TWO)}`,
    );
    await putKeys(TWO);
    registry.keys = [registeredKey(ONE, { isRetired: true }), registeredKey(TWO, { isCurrent: true })];
    expect((await start()).vault.keyIds).toEqual([keyIdOf(TWO)]);
  });

  it('passes on what operators should correct', async () => {
    await chmod(keyFile, 0o644);
    await start();
    expect(logged).toEqual([expect.stringContaining('can be read by others')]);
  });
});

describe('the keys of a running server', () => {
  let keys: OpenedKeys;
  beforeEach(async () => {
    await putKeys(ONE);
    keys = await start();
  });

  it('are read anew: an added one opens, and seals once the database names it', async () => {
    registry.keys = [registeredKey(ONE, { isCurrent: true }), registeredKey(TWO)];
    await putKeys(ONE, TWO);
    const ofAnother = vaultWith(TWO).seal(SECRET, 'seed', 'T');
    expect(refusalOf(() => keys.vault.open(ofAnother, 'seed', 'T')).message).toContain('is not loaded');
    await keys.readAnew(log);
    expect(keys.vault.open(ofAnother, 'seed', 'T')).toEqual(SECRET);
    expect(keys.vault.currentKeyId).toBe(keyIdOf(ONE));
    registry.keys = [registeredKey(ONE), registeredKey(TWO, { isCurrent: true })];
    await keys.readAnew(log);
    expect(vaultWith(TWO).open(keys.vault.seal(SECRET, 'seed', 'T'), 'seed', 'T')).toEqual(SECRET);
    expect(keys.vault.open(vaultWith(ONE).seal(SECRET, 'seed', 'T'), 'seed', 'T')).toEqual(SECRET);
  });

  it.each([
    ['is not there', registeredKey(TWO, { isCurrent: true }), [ONE]],
    [
      'does not open its canary',
      { ...registeredKey(TWO, { isCurrent: true }), canary: Buffer.alloc(60) },
      [ONE, TWO],
    ],
  ])('stay as they are where one %s, which is logged', async (_what, key, file) => {
    registry.keys = [registeredKey(ONE), key];
    await putKeys(...file);
    await keys.readAnew(log);
    expect([keys.vault.currentKeyId, keys.vault.keyIds]).toEqual([keyIdOf(ONE), [keyIdOf(ONE)]]);
    expect(logged).toEqual([expect.stringContaining('cannot be read; those that are loaded still serve')]);
  });

  it.each([
    ['missing', () => rm(keyFile), 'the key file is missing'],
    ['damaged', () => writeFile(keyFile, 'damaged'), 'the key file cannot be used'],
    ['written by others', () => chmod(keyFile, 0o666), 'the key file cannot be used'],
    ['another one', () => putKeys(TWO), 'their source no longer has a key that is in use'],
  ])(
    'are not ready when their file is %s, which is said without its path',
    async (_title, change, reason) => {
      await change();
      expect(await eventualRefusal(keys.freshVault())).toMatchObject({
        code: 'security-module.unavailable',
        message: `The encryption keys are not ready: ${reason}`,
      });
      await rm(keyFile, { force: true });
      await putKeys(ONE);
      await keys.freshVault();
    },
  );
});

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

let module: FakeModule;
beforeEach(() => {
  module = new FakeModule();
});

const startWrapped = (): Promise<OpenedKeys> =>
  openFrom(new WrappedKeys({ module, keyFile, random: systemRandom }), registry, log);

async function startWithKeyFile(...keys: readonly Buffer[]): Promise<void> {
  await putKeys(...keys);
  await start();
  logged.length = 0;
}

describe('a start with a security module', () => {
  it('makes a key at first, keeps it wrapped, and opens later what was sealed', async () => {
    const { vault } = await startWrapped();
    expect(logged).toEqual([expect.stringContaining('A new encryption key was made and wrapped')]);
    const sealed = vault.seal(SECRET, 'seed', 'T1');
    logged.length = 0;
    const later = await startWrapped();
    expect(later.vault.open(sealed, 'seed', 'T1')).toEqual(SECRET);
    expect(logged).toEqual([]);
    expect(registry.keys).toHaveLength(1);
  });

  it('writes nothing when the module is not ready', async () => {
    module.ready = false;
    expect((await eventualRefusal(startWrapped())).code).toBe('security-module.unavailable');
    expect(registry.keys).toEqual([]);
  });

  it('asks for a key in the module only while nothing is wrapped', async () => {
    module.createsKey = true;
    await startWrapped();
    await startWrapped();
    expect(module.requested.map(({ createKey }) => createKey)).toEqual([true, false]);
  });

  it('says by which key the key of the database was wrapped when another one is configured', async () => {
    await startWrapped();
    module.name = "key 'other' of token 't'";
    module.ready = false;
    expect((await eventualRefusal(startWrapped())).detail).toMatch(
      /unplugged; key \w{16} was wrapped by key 'k'/,
    );
  });

  it('refuses a key that is not the one that the database names', async () => {
    await startWrapped();
    const [key] = registry.keys;
    const foreign = { bytes: Buffer.from(inverted({ keyId: '', bytes: TWO }).bytes), by: module.name };
    registry.keys = [{ keyId: key?.keyId ?? '', canary: key?.canary ?? ONE, wrapped: foreign }];
    expect((await eventualRefusal(startWrapped())).message).toContain('it unwrapped another key');
  });

  it('refuses a database whose canary does not open', async () => {
    await startWrapped();
    registry.keys = registry.keys.map((key) => ({ ...key, canary: Buffer.alloc(60) }));
    expect((await eventualRefusal(startWrapped())).message).toContain('the database was altered');
  });
});

describe('a start with a security module after ones with a key file', () => {
  it('wraps every key of the file that is needed; the current one goes on sealing', async () => {
    await startWithKeyFile(ONE);
    await startWithKeyFile(TWO, ONE);
    registry.keys = [...registry.keys, registeredKey(TWO, { isCurrent: true })];
    const { vault } = await startWrapped();
    expect(vault.currentKeyId).toBe(keyIdOf(TWO));
    expect(vault.keyIds).toContain(keyIdOf(ONE));
    expect(logged).toEqual([expect.stringContaining('is no longer needed')]);
    await rm(keyFile);
    expect((await startWrapped()).vault.currentKeyId).toBe(keyIdOf(TWO));
  });

  it('is refused without the key file, or with another one: the module is not even asked', async () => {
    await startWithKeyFile(ONE);
    await putKeys(TWO);
    expect((await eventualRefusal(startWrapped())).message).toContain(
      `the encryption key ${keyIdOf(ONE)}, which no`,
    );
    await rm(keyFile);
    expect((await eventualRefusal(startWrapped())).message).toContain('Bring the key file back');
    expect(module.requested).toEqual([]);
  });

  it('can go back to the file while that is there', async () => {
    await startWithKeyFile(ONE);
    await startWrapped();
    const { vault } = await start();
    expect(vault.currentKeyId).toBe(keyIdOf(ONE));
    await rm(keyFile);
    expect((await eventualRefusal(start())).message).toContain(
      "wrapped by key 'k' of token 't': set SECURITY_MODULE=pkcs11",
    );
  });
});

describe('the module at run time', () => {
  it('gives the keys anew, once for all who ask at a time', async () => {
    const keys = await startWrapped();
    const [fresh, same] = await Promise.all([keys.freshVault(), keys.freshVault()]);
    expect(same).toBe(fresh);
    expect(module.requested).toHaveLength(2);
    expect(fresh.open(keys.vault.seal(ONE, 'probe', 'x'), 'probe', 'x')).toEqual(ONE);
    await keys.freshVault();
    expect(module.requested).toHaveLength(3);
  });

  it('is not ready when it fails, or when the database lost what it wrapped, and is again later', async () => {
    const keys = await startWrapped();
    module.ready = false;
    expect((await eventualRefusal(keys.freshVault())).code).toBe('security-module.unavailable');
    module.ready = true;
    await keys.freshVault();
    registry.keys = [];
    expect((await eventualRefusal(keys.freshVault())).code).toBe('security-module.unavailable');
    await startWrapped();
    expect((await eventualRefusal(keys.freshVault())).message).toContain(
      'no longer has a key that is in use',
    );
  });
});
