import { describe, expect, it } from '@jest/globals';
import {
  type AttemptRecord,
  attemptState,
  beginAttempt,
  NO_ATTEMPTS,
  retryAt,
} from '../../../app/src/vault/attempts.ts';
import { readBackupContent } from '../../../app/src/vault/backup-content.ts';
import { issuerLogo } from '../../support/values/qr-code.ts';
import { token } from '../../campaigns/app/vault/vault-site.ts';
import { judgeBackupPassphrase, judgePin } from '../../../app/src/vault/pin-strength.ts';
import { restoredToken } from '../../../app/src/vault/token-change.ts';
import type { StoredToken } from '../../../app/src/vault/vault.ts';

const START = 1_700_000_000_000;

/** Makes wrong attempts, each as early as is allowed. */
function wrongAttempts(count: number, record: AttemptRecord = NO_ATTEMPTS): AttemptRecord {
  let next = record;
  for (let made = 0; made < count; made += 1) {
    const begun = beginAttempt(next, Math.max(START, retryAt(next)));
    if (begun.kind !== 'begun') {
      throw new Error(begun.kind);
    }
    next = begun.record;
  }
  return next;
}

function waitAfter(count: number): number {
  const record = wrongAttempts(count);
  return (retryAt(record) - record.lastAt) / 1_000;
}

describe('wrong PINs', () => {
  it('make the next attempt wait longer and longer after the third', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 50].map(waitAfter)).toEqual([
      0, 0, 0, 5, 15, 60, 300, 900, 3_600, 3_600, 3_600,
    ]);
  });

  it('are refused before the wait is over, and not counted then', () => {
    const record = wrongAttempts(6);
    expect(beginAttempt(record, retryAt(record) - 1)).toEqual({ kind: 'too-early', record });
    expect(beginAttempt(record, retryAt(record)).kind).toBe('begun');
  });

  it('cannot be shortened by a clock that is set back, nor last until the clock is there again', () => {
    const record = wrongAttempts(6);
    const back = record.lastAt - 86_400_000;
    const seen = beginAttempt(record, back);
    expect(seen).toEqual({ kind: 'too-early', record: { ...record, lastAt: back } });
    const stored = { ...record, lastAt: back };
    expect(beginAttempt(stored, back + 59_999).kind).toBe('too-early');
    expect(beginAttempt(stored, back + 60_000).kind).toBe('begun');
  });

  it('remove everything after as many as the user has set', () => {
    const record = wrongAttempts(5, { ...NO_ATTEMPTS, wipeAfter: 5 });
    expect(attemptState(record).attemptsLeft).toBe(0);
    expect(beginAttempt(record, retryAt(record)).kind).toBe('used-up');
  });

  it('wait before the last attempt of another tab is over, which may be right', () => {
    const record = wrongAttempts(5, { ...NO_ATTEMPTS, wipeAfter: 5 });
    expect(beginAttempt(record, record.lastAt).kind).toBe('too-early');
  });
});

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
    ['another suite', content({ tokens: [stored({ suite: 'OCRA-2:HOTP-SHA1-6:QN08' })] })],
    ['a secret that is not hexadecimal', content({ tokens: [stored({ sharedSecret: 'zz'.repeat(20) })] })],
    ['a short key', content({ tokens: [stored({ key: 'aa' })] })],
    ['a negative counter', content({ tokens: [stored({ counter: '-1' })] })],
    ['a counter beyond 64 bits', content({ tokens: [stored({ counter: '18446744073709551616' })] })],
    ['an issuer without a logo', content({ tokens: [stored({ issuer: { name: 'Bank' } })] })],
    ['no date', content({ createdAt: null })],
    ['settings out of bounds', content({ settings: { lockAfterMinutes: 1e9, requireCallback: true } })],
  ])('is refused with %s', (_what, text) => {
    expect(() => readBackupContent(text)).toThrow('backup-invalid');
  });
});

describe('a PIN', () => {
  it.each([
    ['', 'short'],
    ['482', 'short'],
    ['0000', 'pattern'],
    ['1234', 'pattern'],
    ['9876', 'pattern'],
    ['1212', 'pattern'],
    ['2580', 'common'],
    ['112233', 'common'],
    ['otters', 'short'],
    ['abababab', 'few-characters'],
    ['Password1', 'common'],
    ['9'.repeat(201), 'long'],
    [`a1b2c3${'x'.repeat(200)}`, 'long'],
  ])('%s is refused: %s', (pin, reason) => {
    expect(judgePin(pin)).toEqual({ strength: 'refused', reason });
  });

  it.each([['4829'], ['48291'], ['2412'], ['241285'], ['24121985'], ['1985'], ['river-otters']])(
    '%s gets a warning',
    (pin) => {
      expect(judgePin(pin)).toEqual({ strength: 'weak', reason: 'guessable' });
    },
  );

  it.each([['482915'], ['739164820517'], ['seven otters cross'], ['zwölf Füchse über Öl']])(
    '%s is good',
    (pin) => {
      expect(judgePin(pin).strength).toBe('good');
    },
  );
});

describe('the passphrase of a backup', () => {
  it.each([
    ['otters-seve', 'short'],
    ['aaaaaaaaaaaaaaab', 'few-characters'],
    ['passwort1234', 'common'],
  ])('%s is refused: %s', (passphrase, reason) => {
    expect(judgeBackupPassphrase(passphrase)).toEqual({ strength: 'refused', reason });
  });

  it.each([
    ['river-otters', 'weak'],
    ['48291573904418265', 'weak'],
    ['seven otters cross', 'good'],
  ])('%s is %s', (passphrase, strength) => {
    expect(judgeBackupPassphrase(passphrase).strength).toBe(strength);
  });
});

const storedToken = (change: Parameters<typeof token>[0] = {}, name = 'Everyday account'): StoredToken => ({
  token: token(change),
  name,
  addedAt: 1,
});

describe('a token of a backup', () => {
  it('is added with its counter moved on by half of the server window', () => {
    expect(restoredToken(undefined, storedToken({ counter: '7' }))).toEqual({
      kind: 'added',
      stored: { ...storedToken({ counter: '12' }), restored: { refusals: 0, isAhead: false } },
    });
  });

  it.each([
    ['has no counter', { suite: 'OCRA-1:HOTP-SHA256-8:QA64-T1M', counter: '0' }],
    ['has no key yet', { key: null, counter: '0' }],
  ])('keeps its counter if it %s', (_what, change) => {
    expect(restoredToken(undefined, storedToken(change)).stored.token.counter).toBe('0');
  });

  it.each([
    ['7', '9', '9'],
    ['9', '7', '9'],
    ['9007199254740993', '9007199254740992', '9007199254740993'],
  ])('never lowers the counter of the same token on the phone: %s and %s give %s', (here, there, result) => {
    const phone = storedToken({ counter: here }, 'Named here');
    expect(restoredToken(phone, storedToken({ counter: there }))).toEqual({
      kind: 'merged',
      stored: { ...phone, token: token({ counter: result }) },
    });
  });

  it('completes a roll-out that the phone has only begun', () => {
    const plan = restoredToken(storedToken({ key: null, counter: '0' }), storedToken({ counter: '3' }));
    expect(plan).toEqual({ kind: 'merged', stored: storedToken({ counter: '3' }) });
  });

  it('yields to a token of another key on the phone', () => {
    const phone = storedToken({ key: '00'.repeat(20), counter: '1' });
    expect(restoredToken(phone, storedToken({ counter: '90' }))).toEqual({
      kind: 'kept',
      stored: phone,
    });
  });
});
