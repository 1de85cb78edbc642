import { describe, expect, it } from '@jest/globals';
import { restoredToken } from '../../../app/src/vault/token-change.ts';
import type { StoredToken } from '../../../app/src/vault/vault.ts';
import { token } from '../../campaigns/app/vault/vault-site.ts';

const stored = (change: Parameters<typeof token>[0] = {}, name = 'Everyday account'): StoredToken => ({
  token: token(change),
  name,
  addedAt: 1,
});

describe('a token of a backup', () => {
  it('is added with its counter moved on by half of the server window', () => {
    expect(restoredToken(undefined, stored({ counter: '7' }))).toEqual({
      kind: 'added',
      stored: stored({ counter: '12' }),
    });
  });

  it.each([
    ['has no counter', { suite: 'OCRA-1:HOTP-SHA256-8:QA64-T1M', counter: '0' }],
    ['has no key yet', { key: null, counter: '0' }],
  ])('keeps its counter if it %s', (_what, change) => {
    expect(restoredToken(undefined, stored(change)).stored.token.counter).toBe('0');
  });

  it.each([
    ['7', '9', '9'],
    ['9', '7', '9'],
    ['9007199254740993', '9007199254740992', '9007199254740993'],
  ])('never lowers the counter of the same token on the phone: %s and %s give %s', (here, there, result) => {
    const phone = stored({ counter: here }, 'Named here');
    expect(restoredToken(phone, stored({ counter: there }))).toEqual({
      kind: 'merged',
      stored: { ...phone, token: token({ counter: result }) },
    });
  });

  it('completes a roll-out that the phone has only begun', () => {
    const plan = restoredToken(stored({ key: null, counter: '0' }), stored({ counter: '3' }));
    expect(plan).toEqual({ kind: 'merged', stored: stored({ counter: '3' }) });
  });

  it('yields to a token of another key on the phone', () => {
    const phone = stored({ key: '00'.repeat(20), counter: '1' });
    expect(restoredToken(phone, stored({ counter: '90' }))).toEqual({ kind: 'kept', stored: phone });
  });
});
