import { type NewToken, type Token, UNBOUND_USE } from '../../../src/tokens/token.ts';
import type { Act } from '../../../src/policy/caller.ts';
import type { Sealed } from '../../../src/keys/vault.ts';
import type { ManagedUser } from '../../../src/users/user.ts';

/** An act for the audit, for tests that ignore it. */
export const ACT: Act = { actor: 'alice', action: 'test/act', client: '192.0.2.7', requestId: 'request-1' };

/** @returns bytes in place of a sealed secret, for stores, which never read it */
export function sealedBytes(text: string): Sealed {
  return Buffer.from(text) as Sealed;
}

/** @returns a token that answers challenges, with the given changes */
export function tokenValue(serial: string, changes: Partial<NewToken> = {}): NewToken {
  return {
    serial,
    type: 'ocra2',
    description: '',
    active: true,
    owner: null,
    realms: [],
    failCount: 0,
    maxFail: 1_000,
    counter: 0n,
    counterWindow: 10,
    syncWindow: 1_000,
    timeShift: 0,
    algorithm: 'OCRA-1:HOTP-SHA256-8:C-QA64',
    rollout: 'complete',
    replayMarkers: [],
    secrets: { seed: sealedBytes('seed'), sharedSecret: null, nonce: null, pin: null, ocraPin: null },
    ...changes,
  };
}

/** @returns a user of a managed resolver without a password, with the given changes */
export function managedUser(login: string, changes: Partial<ManagedUser> = {}): Omit<ManagedUser, 'userId'> {
  return { login, givenName: '', surname: '', email: '', phone: '', passwordHash: null, ...changes };
}

/** @returns a token as it is read, with the given changes */
export function storedToken(
  serial: string,
  { use, ...changes }: Partial<Omit<Token, 'use'> & Pick<NewToken, 'use'>> = {},
): Token {
  return {
    ...tokenValue(serial),
    id: '1',
    version: '1',
    isSecondFactor: false,
    use: { ...UNBOUND_USE, ...use },
    createdAt: new Date('2026-11-20T12:00:00Z'),
    lastSuccessAt: null,
    syncMarker: null,
    revision: '1',
    changedBy: '',
    lostAt: null,
    lostBy: null,
    ...changes,
  };
}
