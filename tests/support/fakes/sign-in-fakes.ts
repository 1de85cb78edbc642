import type { PasskeyOperations } from '../../../src/http/controllers/passkey-controller.ts';
import type { OpenSessionOperations } from '../../../src/http/controllers/session-controller.ts';
import type { SignInOperations } from '../../../src/http/controllers/sign-in-controller.ts';
import type { Answer } from './administration-fakes.ts';

const AT = new Date('2026-11-20T12:00:00.000Z');
const LOGIN = { token: 'a.login.token', csrfToken: '00112233-4455', expiresAt: AT };
const BEGUN = { attempt: 'A'.repeat(43), expiresAt: AT, options: { challenge: 'AAAA' } };

/** The operations of sign-ins. */
interface SignInFakes {
  readonly signIn: SignInOperations;
  readonly passkeys: PasskeyOperations;
  readonly sessions: OpenSessionOperations;
}

/** @returns sign-ins with constant answers, which record their calls */
export function fakeSignIns(answer: Answer): SignInFakes {
  return {
    signIn: {
      begin: answer('beginSignIn', { kind: 'signed-in', login: LOGIN }),
      pending: answer('pendingSignIn', {
        hash: Buffer.alloc(32),
        content: { kind: 'token', serial: 'QR1', transactionId: '0123' },
        proven: { administrator: 'admin', version: Buffer.from('1') },
      }),
      finish: answer('finishSignIn', LOGIN),
    },
    passkeys: {
      list: answer('listPasskeys', [{ id: '1', name: 'laptop', createdAt: AT, lastUsedAt: null }]),
      beginOwn: answer('beginOwnPasskey', BEGUN),
      beginByLink: answer('beginPasskeyByLink', BEGUN),
      register: answer('registerPasskey', undefined),
      remove: answer('removePasskey', undefined),
    },
    sessions: {
      list: answer('listSessions', [
        { id: '1', owner: 'admin', kind: 'login', client: '::1', createdAt: AT, expiresAt: AT, isOwn: true },
      ]),
      end: answer('endSessions', 1),
    },
  };
}
