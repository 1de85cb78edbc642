import { access, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { openKeys, type OpenedKeys } from '../../src/keys/opened-keys.ts';
import { keyIdOf, newKey, type RegisteredKey, Vault } from '../../src/keys/vault.ts';
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
