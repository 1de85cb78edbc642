import { beforeEach, describe, expect, it } from '@jest/globals';
import { type RegisteredKey, keyIdOf, sealCanary, SecretVault } from '../../src/keys/vault.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { LoginTokens } from '../../src/administrators/json-web-tokens.ts';
import { KeyFollower, LiveVault } from '../../src/keys/live-vault.ts';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';
import type { KeyStore } from '../../src/keys/key-store.ts';
import { refusalOf } from '../support/values/refusal.ts';
import { until } from '../support/values/until.ts';

const [ONE, TWO] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const SECRET = Buffer.from('secret');
const vaultWith = (...keys: Buffer[]): SecretVault => new SecretVault({ keys, random: systemRandom });
const registeredKey = (key: Buffer, more: Partial<RegisteredKey> = {}): RegisteredKey => ({
  keyId: keyIdOf(key),
  canary: sealCanary(vaultWith(key)),
  ...more,
});

let registered: RegisteredKey[];
let file: Buffer[];
let vault: LiveVault;

beforeEach(() => {
  registered = [registeredKey(ONE, { isCurrent: true })];
  file = [ONE];
  vault = new LiveVault({
    vault: vaultWith(ONE),
    needed: [keyIdOf(ONE)],
    registry: { registered: () => Promise.resolve(registered) },
    fetch: () => Promise.resolve(file),
  });
});

describe('a vault whose keys change while it runs', () => {
  it('loads a key that was added, and seals with it only once the database names it', async () => {
    registered = [...registered, registeredKey(TWO)];
    file = [ONE, TWO];
    expect(await vault.refresh()).toEqual([]);
    expect([vault.currentKeyId, vault.keyIds]).toEqual([keyIdOf(ONE), [keyIdOf(ONE), keyIdOf(TWO)]]);
    registered = [registeredKey(ONE), registeredKey(TWO, { isCurrent: true })];
    await vault.refresh();
    expect(vault.currentKeyId).toBe(keyIdOf(TWO));
    expect(vaultWith(TWO).open(vault.seal(SECRET, 'seed', 'T'), 'seed', 'T')).toEqual(SECRET);
    expect(vault.open(vaultWith(ONE).seal(SECRET, 'seed', 'T'), 'seed', 'T')).toEqual(SECRET);
    registered = [registeredKey(ONE, { isRetired: true }), registeredKey(TWO, { isCurrent: true })];
    await vault.refresh();
    expect(vault.neededKeyIds).toEqual([keyIdOf(TWO)]);
  });

  it('names a key that is not to be had, and goes on sealing with what it has', async () => {
    registered = [registeredKey(ONE), registeredKey(TWO, { isCurrent: true })];
    expect(await vault.refresh()).toEqual([keyIdOf(TWO)]);
    expect(vault.currentKeyId).toBe(keyIdOf(ONE));
  });

  it('takes no key that does not open what the database keeps to try it', async () => {
    registered = [...registered, { ...registeredKey(TWO), canary: Buffer.alloc(60) }];
    file = [ONE, TWO];
    expect(await vault.refresh()).toEqual([keyIdOf(TWO)]);
    expect(vault.keyIds).toEqual([keyIdOf(ONE)]);
  });

  it('opens nothing with a key that it does not have', () => {
    const sealed = vaultWith(TWO).seal(SECRET, 'seed', 'T');
    expect(refusalOf(() => vault.open(sealed, 'seed', 'T')).message).toContain('is not loaded');
  });

  it('lets login tokens of before and after the change be accepted', async () => {
    const tokens = new LoginTokens({ keys: vault });
    const at = new Date('2026-11-20T12:00:00Z');
    const claims = {
      administrator: 'admin',
      session: 's'.repeat(43),
      csrfToken: 'c',
      expiresAt: new Date('2026-11-20T13:00:00Z'),
    };
    const before = await tokens.sign(claims, at);
    registered = [registeredKey(ONE), registeredKey(TWO, { isCurrent: true })];
    file = [ONE, TWO];
    await vault.refresh();
    const after = await tokens.sign(claims, at);
    expect(await tokens.read(before, at)).toEqual(claims);
    expect(await tokens.read(after, at)).toEqual(claims);
    expect(await new LoginTokens({ keys: vaultWith(ONE) }).read(after, at)).toBeUndefined();
  });
});

describe('a server that follows the list of keys', () => {
  const beats: string[] = [];
  const logged: string[] = [];
  const holders: Pick<KeyStore, 'beat' | 'leave'> = {
    beat: (_id, { keyIds, sealingKey }) => {
      beats.push(`${keyIds.join()} ${sealingKey}`);
      return Promise.resolve();
    },
    leave: () => {
      beats.push('left');
      return Promise.resolve();
    },
  };
  const note = (message: string): void => {
    logged.push(message);
  };
  const log = { error: note, warn: note, info: note, debug: note };
  const follower = (): KeyFollower =>
    new KeyFollower({ vault, holders, id: 'x', place: 'here:1', log, pause: 5 });

  beforeEach(() => {
    beats.length = 0;
    logged.length = 0;
  });

  it('says which keys it has, again when they have changed, and that it ends', async () => {
    const following = follower();
    await following.start();
    registered = [registeredKey(ONE), registeredKey(TWO, { isCurrent: true })];
    file = [ONE, TWO];
    const [one, two] = [keyIdOf(ONE), keyIdOf(TWO)];
    await until(() => beats.includes(`${two},${one} ${two}`));
    await following.stop();
    expect([beats[0], beats.at(-1)]).toEqual([`${one} ${one}`, 'left']);
    expect(logged).toEqual(['Another encryption key seals from now on']);
  });

  it('warns once of a key that it cannot get, and shows that it runs without it', async () => {
    const following = follower();
    await following.start();
    registered = [...registered, registeredKey(TWO)];
    const before = beats.length;
    await until(() => beats.length > before + 3);
    await following.stop();
    expect(logged).toEqual([expect.stringContaining('bring the key file here')]);
  });

  it('does not start without a key that was added a moment ago', async () => {
    registered = [...registered, registeredKey(TWO)];
    expect((await eventualRefusal(follower().start())).code).toBe('key.unavailable');
    expect(beats.at(-1)).toBe('left');
  });
});
