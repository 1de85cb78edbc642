import { describe, expect, it } from '@jest/globals';
import { readBackupContent } from '../../../app/src/vault/backup-content.ts';
import { issuerLogo } from '../../support/values/issuer-logo.ts';
import { token } from '../../campaigns/app/vault/vault-site.ts';

const stored = (change: object = {}): object => ({ token: { ...token(), ...change }, name: 'A', addedAt: 1 });
const content = (change: object = {}): string =>
  JSON.stringify({
    createdAt: 1,
    tokens: [stored()],
    settings: { lockAfterMinutes: 5, requireCallback: true },
    ...change,
  });

describe('the content of a backup', () => {
  it('is read', () => {
    expect(JSON.stringify(readBackupContent(content()))).toBe(content());
  });

  it('is read with the issuer of a token', () => {
    const tokens = [stored({ issuer: { name: 'Musterbank', logo: issuerLogo() } })];
    expect(JSON.stringify(readBackupContent(content({ tokens })))).toBe(content({ tokens }));
  });

  it('is read without an issuer that this browser cannot show', () => {
    const tokens = [stored({ issuer: { name: 'a\u202Eb', logo: '' } })];
    expect(JSON.stringify(readBackupContent(content({ tokens })))).toBe(content());
  });

  it('is read with a token whose name was cleared', () => {
    const tokens = [{ ...stored(), name: '' }];
    expect(readBackupContent(content({ tokens })).tokens[0]?.name).toBe('');
  });

  it.each([
    ['no JSON', 'tokens'],
    ['no list of tokens', content({ tokens: {} })],
    ['a serial twice', content({ tokens: [stored(), stored({ serial: 'ocra00012345' })] })],
    [
      'too many tokens',
      content({ tokens: Array.from({ length: 1_001 }, (_, n) => stored({ serial: `S${n}` })) }),
    ],
    ['no serial', content({ tokens: [stored({ serial: '' })] })],
    ['another suite', content({ tokens: [stored({ suite: 'OCRA-2:HOTP-SHA1-6:QN08' })] })],
    ['a secret that is not hexadecimal', content({ tokens: [stored({ sharedSecret: 'zz'.repeat(20) })] })],
    ['a short key', content({ tokens: [stored({ key: 'aa' })] })],
    ['a missing key', content({ tokens: [stored({ key: undefined })] })],
    ['a negative counter', content({ tokens: [stored({ counter: '-1' })] })],
    ['a counter that is a number', content({ tokens: [stored({ counter: 5 })] })],
    ['a counter beyond 64 bits', content({ tokens: [stored({ counter: '18446744073709551616' })] })],
    ['an issuer without a logo', content({ tokens: [stored({ issuer: { name: 'Bank' } })] })],
    ['no date', content({ createdAt: null })],
    ['settings out of bounds', content({ settings: { lockAfterMinutes: 1e9, requireCallback: true } })],
  ])('is refused with %s', (_what, text) => {
    expect(() => readBackupContent(text)).toThrow('backup-invalid');
  });
});
