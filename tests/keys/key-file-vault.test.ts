import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type KeyRegistration,
  type KeyRegistry,
  type RegisteredKey,
  keyIdOf,
  sealCanary,
  SecretVault,
} from '../../src/keys/vault.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { openVault, type OpenedVault } from '../../src/keys/key-file.ts';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';

const ONE = Buffer.alloc(32, 1);
const TWO = Buffer.alloc(32, 2);

/** A registry whose transactions take all or nothing. */
class InMemoryRegistration implements KeyRegistration {
  keys: RegisteredKey[] = [];

  async withRegistration<T>(work: (registry: KeyRegistry) => Promise<T>): Promise<T> {
    const keys = [...this.keys];
    const result = await work({
      registered: () => Promise.resolve(keys),
      register: (keyId, canary) => {
        keys.push({ keyId, canary });
        return Promise.resolve(true);
      },
      addWrapped: () => Promise.resolve(false),
    });
    this.keys = keys;
    return result;
  }

  get keyIds(): readonly string[] {
    return this.keys.map(({ keyId }) => keyId);
  }
}

let folder: string;
let keyFile: string;
let registry: InMemoryRegistration;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-vault-'));
  keyFile = join(folder, 'encryption.key');
  registry = new InMemoryRegistration();
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function start(): Promise<OpenedVault> {
  return openVault({ keyFile, registry, random: systemRandom });
}

async function putKeys(...keys: readonly Buffer[]): Promise<void> {
  await writeFile(keyFile, keys.map((key) => `${key.toString('base64')}\n`).join(''), { mode: 0o600 });
}

describe('the first start', () => {
  it('makes a key and registers it; later starts open what was sealed', async () => {
    const first = await start();
    expect(first.created).toBe(true);
    expect(registry.keyIds).toEqual([first.vault.currentKeyId]);
    const sealed = first.vault.seal(Buffer.from('secret'), 'seed', 'T1');
    const second = await start();
    expect(second.created).toBe(false);
    expect(second.vault.open(sealed, 'seed', 'T1').toString()).toBe('secret');
    expect(registry.keys).toHaveLength(1);
  });

  it('takes the key that is there already, from an operator or a start that failed', async () => {
    await putKeys(ONE);
    const opened = await start();
    expect([opened.created, opened.vault.currentKeyId]).toEqual([false, keyIdOf(ONE)]);
    expect(registry.keyIds).toEqual([keyIdOf(ONE)]);
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
    expect(registry.keyIds).toEqual([keyIdOf(ONE)]);
  });

  it('is refused with another key: needed and found are named, and nothing is written', async () => {
    await putKeys(TWO);
    const before = await readFile(keyFile, 'utf8');
    const refusal = await eventualRefusal(start());
    expect(refusal.code).toBe('key.unavailable');
    expect(refusal.message).toContain(`needs the encryption key ${keyIdOf(ONE)}`);
    expect(refusal.message).toContain(`holds the key ${keyIdOf(TWO)}`);
    expect(await readFile(keyFile, 'utf8')).toBe(before);
    expect(registry.keyIds).toEqual([keyIdOf(ONE)]);
  });

  it('is refused when the database was altered, so that the key does not fit its id', async () => {
    const [key] = registry.keys;
    const canary = Buffer.from(key?.canary ?? []);
    canary[canary.length - 1] = (canary[canary.length - 1] ?? 0) ^ 1;
    registry.keys = [{ keyId: keyIdOf(ONE), canary }];
    expect((await eventualRefusal(start())).message).toContain(
      `The encryption key ${keyIdOf(ONE)} in the key file ${keyFile} does not open`,
    );
  });

  it('goes on sealing with the key that the database names where a new one was put in front of it, and says so', async () => {
    await putKeys(TWO, ONE);
    const { vault, warnings } = await start();
    expect(vault.keyIds).toEqual([keyIdOf(ONE), keyIdOf(TWO)]);
    expect(warnings).toEqual([
      expect.stringContaining(`the key ${keyIdOf(TWO)}, which the database does not know`),
    ]);
    expect(registry.keyIds).toEqual([keyIdOf(ONE)]);
  });

  it('needs every key that is registered and not retired, and seals with the current one', async () => {
    await putKeys(TWO, ONE);
    const [one] = registry.keys;
    const two = {
      keyId: keyIdOf(TWO),
      canary: sealCanary(new SecretVault({ keys: [TWO], random: systemRandom })),
    };
    registry.keys = [one, { ...two, isCurrent: true }].flatMap((key) => key ?? []);
    expect((await start()).vault.currentKeyId).toBe(keyIdOf(TWO));
    await putKeys(TWO);
    expect((await eventualRefusal(start())).message).toContain(`needs the encryption key ${keyIdOf(ONE)}`);
    await rm(keyFile);
    expect((await eventualRefusal(start())).message).toContain(
      `needs the encryption keys ${keyIdOf(ONE)}, ${keyIdOf(TWO)}`,
    );
    await putKeys(TWO);
    registry.keys = registry.keys.map((key) =>
      key.keyId === keyIdOf(ONE) ? { ...key, isRetired: true } : key,
    );
    expect((await start()).vault.keyIds).toEqual([keyIdOf(TWO)]);
  });

  it('passes on what operators should mend', async () => {
    await writeFile(keyFile, ONE.toString('base64'));
    await rm(keyFile);
    await writeFile(keyFile, ONE.toString('base64'), { mode: 0o644 });
    expect((await start()).warnings).toHaveLength(1);
  });
});
