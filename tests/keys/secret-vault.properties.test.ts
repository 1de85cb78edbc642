import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Sealed, type SecretPurpose, SecretVault } from '../../src/keys/vault.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { refusalOf } from '../support/values/refusal.ts';

const vault = new SecretVault({ keys: [Buffer.alloc(32, 5)], random: systemRandom });
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
          const sealed = vault.seal(plain, what, whose);
          expect(vault.open(sealed, what, whose)).toEqual(Buffer.from(plain));
          if (what !== other || whose !== others) {
            expect(refusalOf(() => vault.open(sealed, other, others)).code).toBe('secret.unreadable');
          }
        },
      ),
    );
  });

  it('is not to be had from any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.boolean(), (bytes, plausible) => {
        const head = vault.seal(Buffer.alloc(0), 'seed', 'T1').subarray(0, 9);
        const forged = (plausible ? Buffer.concat([head, bytes]) : Buffer.from(bytes)) as Sealed;
        expect(['secret.unreadable', 'key.unavailable']).toContain(
          refusalOf(() => vault.open(forged, 'seed', 'T1')).code,
        );
      }),
    );
  });
});
