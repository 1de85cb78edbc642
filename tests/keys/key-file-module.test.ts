import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { KeyFileKeys } from '../../src/keys/key-file.ts';
import { keyIdOf, SecretVault } from '../../src/keys/vault.ts';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';

const ONE = Buffer.alloc(32, 1);
const TWO = Buffer.alloc(32, 2);

let folder: string;
let file: string;
let source: KeyFileKeys;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-key-file-module-'));
  file = join(folder, 'encryption.key');
  source = new KeyFileKeys({ file, random: systemRandom });
  await putKeys(ONE);
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function putKeys(...keys: readonly Buffer[]): Promise<void> {
  return writeFile(file, keys.map((key) => `${key.toString('base64')}\n`).join(''), { mode: 0o600 });
}

describe('the key file of a running server', () => {
  it('opens what the server seals, also when a new key was put in front', async () => {
    const sealed = new SecretVault({ keys: [ONE], random: systemRandom }).seal(TWO, 'probe', 'x');
    expect((await source.freshVault([keyIdOf(ONE)])).open(sealed, 'probe', 'x')).toEqual(TWO);
    await putKeys(TWO, ONE);
    expect((await source.freshVault([keyIdOf(ONE)])).open(sealed, 'probe', 'x')).toEqual(TWO);
  });

  it.each([
    ['missing', () => rm(file), 'the key file is missing'],
    ['damaged', () => writeFile(file, 'damaged'), 'the key file cannot be used'],
    ['written by others', () => chmod(file, 0o666), 'the key file cannot be used'],
    ['another one', () => putKeys(TWO), 'it no longer has a key that is in use'],
  ])('is not ready when it is %s, and says so without its path', async (_title, change, reason) => {
    await change();
    const refusal = await eventualRefusal(source.freshVault([keyIdOf(ONE)]));
    expect(refusal).toMatchObject({
      code: 'security-module.unavailable',
      message: `The security module is not ready: ${reason}`,
    });
    await rm(file, { force: true });
    await putKeys(ONE);
    await source.freshVault([keyIdOf(ONE)]);
  });
});
