import type { Answer, FakeServices } from './answer.ts';

const AT = new Date('2026-11-20T12:00:00.000Z');
const LOGIN = { token: 'a.login.token', csrfToken: '00112233-4455', expiresAt: AT };
const BEGUN = { attempt: 'A'.repeat(43), expiresAt: AT, options: { challenge: 'AAAA' } };

/** @returns the management of administrators with constant answers, which records its calls */
export function fakeAdministrators(answer: Answer): NonNullable<FakeServices['administrators']> {
  return {
    list: answer('listAdministrators', [{ name: 'admin', createdAt: AT }]),
    add: answer('addAdministrator', undefined),
    remove: answer('removeAdministrator', undefined),
    setPassword: answer('setPassword', { apiTokens: 1 }),
    changeOwnPassword: answer('changeOwnPassword', true),
    listApiTokens: answer('listApiTokens', [
      { name: 'probe', administrator: 'admin', rights: ['monitoring:*'], createdAt: AT, expiresAt: null },
    ]),
    addApiToken: answer('addApiToken', { token: `tk_${'A'.repeat(43)}` }),
    removeApiToken: answer('removeApiToken', undefined),
  };
}

/** @returns sign-ins with constant answers, which record their calls */
export function fakeSignIns(answer: Answer): FakeServices {
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
    signInMethods: { passkeys: true, singleSignOn: undefined },
    confirmation: {
      begin: answer('beginConfirmation', { kind: 'confirmed', until: AT }),
      pending: answer('pendingConfirmation', {
        hash: Buffer.alloc(32),
        login: Buffer.alloc(32),
        factor: { kind: 'token', serial: 'QR1', transactionId: '0123' },
        proven: { administrator: 'admin', version: Buffer.from('1') },
      }),
      finish: answer('finishConfirmation', { kind: 'confirmed', until: AT }),
    },
    secondFactors: {
      setToken: answer('setSecondFactor', undefined),
      remove: answer('removeSecondFactor', undefined),
      passkeyLink: answer('passkeyLink', { link: 'https://tan.example.com/x', expiresAt: AT }),
    },
  };
}
