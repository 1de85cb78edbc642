import fc from 'fast-check';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { type Sealed, keyIdOf, Vault, type SecretPurpose } from '../../src/keys/vault.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { refusalOf } from '../support/values/refusal.ts';

const KEY = Buffer.alloc(32, 0x11);

const OTHER = Buffer.alloc(32, 0x22);

const SECRET = Buffer.from('3132333435363738393031323334353637383930', 'hex');

const vault = new Vault({ keys: [KEY], random: systemRandom });

describe('a sealed secret', () => {
  it.each([Buffer.alloc(0), SECRET, Buffer.alloc(10_000, 7)])('opens to what it was', (plain) => {
    expect(vault.open(vault.seal(plain, 'seed', 'T1'), 'seed', 'T1')).toEqual(plain);
  });

  it('does not show the secret, and looks different each time', () => {
    const sealed = vault.seal(SECRET, 'seed', 'T1');
    expect(sealed.includes(SECRET)).toBe(false);
    expect(vault.seal(SECRET, 'seed', 'T1')).not.toEqual(sealed);
  });

  it('is version, key id, nonce, ciphertext and tag', () => {
    const nonce = Buffer.from('000102030405060708090a0b', 'hex');
    const fixed = new Vault({ keys: [KEY], random: { bytes: () => nonce, below: () => 0 } });
    const sealed = fixed.seal(SECRET, 'seed', 'T1').toString('hex');
    expect(sealed.slice(0, 42)).toBe(`01${keyIdOf(KEY)}000102030405060708090a0b`);
    expect(sealed).toHaveLength(2 * (1 + 8 + 12 + SECRET.length + 16));
    // What is stored must stay readable: this was sealed by the first version.
    expect(sealed).toBe(SEALED_BY_THE_FIRST_VERSION);
  });

  it.each([
    ['for another purpose', 'pin', 'T1'],
    ['of another token', 'seed', 'T2'],
    ['of a token whose serial differs in case', 'seed', 't1'],
    ['with letters moved from purpose to subject', 'ocra-pin', ''],
  ] as const)('does not open %s', (_what, purpose, subject) => {
    const sealed = vault.seal(SECRET, 'seed', 'T1');
    expect(refusalOf(() => vault.open(sealed, purpose, subject)).code).toBe('secret.unreadable');
  });

  it('does not open with any bit changed, cut or added to', () => {
    const sealed = vault.seal(SECRET, 'seed', 'T1');
    for (let index = 0; index < sealed.length; index += 1) {
      const altered = Buffer.from(sealed);
      altered[index] = (altered[index] ?? 0) ^ 1;
      expect(['secret.unreadable', 'key.unavailable']).toContain(
        refusalOf(() => vault.open(altered as Sealed, 'seed', 'T1')).code,
      );
    }
    for (const length of [0, 1, 9, 36, sealed.length - 1]) {
      const cut = sealed.subarray(0, length) as Sealed;
      expect(refusalOf(() => vault.open(cut, 'seed', 'T1')).code).toBe('secret.unreadable');
    }
    const longer = Buffer.concat([sealed, Buffer.of(0)]) as Sealed;
    expect(refusalOf(() => vault.open(longer, 'seed', 'T1')).code).toBe('secret.unreadable');
  });

  it('never shows itself in the error, whose message names nobody', () => {
    const sealed = vault.seal(SECRET, 'seed', 'T1');
    const refusal = refusalOf(() => vault.open(sealed, 'seed', 'T2'));
    expect(refusal.message).toBe('A stored secret was altered or is not where it belongs');
    expect(inspect(refusal)).not.toContain(sealed.toString('hex').slice(42, 60));
  });
});

describe('several keys', () => {
  it('all open, and the first one seals', () => {
    const rotated = new Vault({ keys: [OTHER, KEY], random: systemRandom });
    expect(rotated.open(vault.seal(SECRET, 'seed', 'T1'), 'seed', 'T1')).toEqual(SECRET);
    const sealed = rotated.seal(SECRET, 'seed', 'T1');
    expect(rotated.open(sealed, 'seed', 'T1')).toEqual(SECRET);
    const refusal = refusalOf(() => vault.open(sealed, 'seed', 'T1'));
    expect([refusal.code, refusal.message]).toEqual([
      'key.unavailable',
      `The encryption key ${keyIdOf(OTHER)} is not loaded`,
    ]);
    expect(rotated.keyIds).toEqual([keyIdOf(OTHER), keyIdOf(KEY)]);
    expect(rotated.currentKeyId).toBe(keyIdOf(OTHER));
  });

  it.each([[[]], [[Buffer.alloc(31)]], [[KEY, Buffer.alloc(33)]]])('are needed, of 32 bytes each', (keys) => {
    expect(refusalOf(() => new Vault({ keys, random: systemRandom })).code).toBe('key.unavailable');
  });
});

describe('a key', () => {
  it('is known by an id that tells nothing of it', () => {
    expect(keyIdOf(KEY)).toMatch(/^[0-9a-f]{16}$/);
    expect(keyIdOf(KEY)).not.toBe(keyIdOf(OTHER));
    expect(KEY.toString('hex')).not.toContain(keyIdOf(KEY));
  });

  it('does not show when the vault is printed', () => {
    const printed = inspect(vault, { depth: 10, showHidden: true }) + JSON.stringify(vault);
    expect(printed).not.toContain('11 11 11');
    expect(printed).not.toContain('1111111111');
  });
});

const SEALED_BY_THE_FIRST_VERSION =
  '018aa215eef2032cd6000102030405060708090a0b22d185274e9502cc2d88e2adf79bc210fe99395882cd26fbd0ca187b8c1ace36440b11d0';

const sealer = new Vault({ keys: [Buffer.alloc(32, 5)], random: systemRandom });

const purpose = fc.constantFrom<SecretPurpose[]>(
  'seed',
  'shared-secret',
  'nonce',
  'pin',
  'ocra-pin',
  'resolver',
  'probe',
);

const place = fc.tuple(purpose, fc.string({ unit: 'grapheme', maxLength: 20 }));

describe('a sealed secret', () => {
  it('opens in its place, and in no other', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        place,
        place,
        (plain, [what, whose], [other, others]) => {
          const sealed = sealer.seal(plain, what, whose);
          expect(sealer.open(sealed, what, whose)).toEqual(Buffer.from(plain));
          if (what !== other || whose !== others) {
            expect(refusalOf(() => sealer.open(sealed, other, others)).code).toBe('secret.unreadable');
          }
        },
      ),
    );
  });

  it('is not to be had from any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.boolean(), (bytes, plausible) => {
        const head = sealer.seal(Buffer.alloc(0), 'seed', 'T1').subarray(0, 9);
        const forged = (plausible ? Buffer.concat([head, bytes]) : Buffer.from(bytes)) as Sealed;
        expect(['secret.unreadable', 'key.unavailable']).toContain(
          refusalOf(() => sealer.open(forged, 'seed', 'T1')).code,
        );
      }),
    );
  });
});
