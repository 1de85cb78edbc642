import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type NewAttempt, SignInStore } from '../../src/administrators/sign-in-store.ts';
import { secretHash, type SignInContent } from '../../src/administrators/session.ts';
import { AdministratorStore } from '../../src/administrators/administrator-store.ts';
import { PasskeyStore } from '../../src/administrators/passkey-store.ts';
import { SessionStore } from '../../src/administrators/session-store.ts';
import { whileHeld, untilWaiting } from '../support/database/held-statement.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { NOW } from '../support/values/challenge-answers.ts';
import { ACT } from '../support/values/token-values.ts';

const LATER = new Date(NOW.getTime() + 60_000);
const PROVEN = { administrator: 'alice', version: secretHash('hash') };
const PASSKEY = {
  administrator: 'alice',
  name: 'laptop',
  credentialId: 'Y3JlZA',
  counter: 0,
  transports: [],
  publicKey: new Uint8Array([1, 2, 3]),
};

const test = databaseOfTests();
let administrators: AdministratorStore;
let sessions: SessionStore;
let signIns: SignInStore;
let passkeys: PasskeyStore;

beforeAll(() => {
  const { database } = test;
  administrators = new AdministratorStore({ database });
  sessions = new SessionStore({ database });
  signIns = new SignInStore({ database });
  passkeys = new PasskeyStore({ database });
});
beforeEach(async () => {
  await test.database.knex('administrators').delete();
  await administrators.insert('alice', 'hash', ACT);
});

function attempt(secret: string, content: SignInContent, owner: NewAttempt['owner']): NewAttempt {
  return { hash: secretHash(secret), content, expiresAt: LATER, client: '192.0.2.1', owner };
}

/** @returns the statements that wait for a lock */
async function waiting(): Promise<readonly string[]> {
  const { rows } = await test.database.knex.raw<{ rows: { query: string }[] }>(
    "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return rows.map(({ query }) => query);
}

describe('the end of all sessions', () => {
  it('locks nothing before the administrator, as the registration of a passkey, so that both end', async () => {
    const [own, other] = [secretHash('own'), secretHash('other')];
    for (const hash of [other, own]) {
      await administrators.insertSession(PROVEN, hash, LATER, ACT, 'login');
    }
    const registration = { kind: 'registration', challenge: 'c', keeps: own.toString('base64') } as const;
    await signIns.begin(attempt('r', registration, { administrator: 'alice' }), NOW, ACT);
    let ending: Promise<number> | undefined;
    const isRegistered = await whileHeld(
      /^delete from "sign_in_attempts"/,
      () => passkeys.register(secretHash('r'), PASSKEY, own, ACT),
      async () => {
        ending = sessions.end({ owner: 'alice' }, NOW, ACT);
        await untilWaiting(test.database);
        expect(await waiting()).toEqual([expect.stringMatching(/from "administrators" .*for update$/)]);
      },
    );
    expect(isRegistered).toBe(true);
    // The passkey has ended the other one.
    expect(await ending).toBe(1);
    expect(await administrators.findSession(own, NOW)).toBeUndefined();
  });

  it('reaches the session of a sign-in that succeeds at this moment', async () => {
    const [{ id: tokenId } = { id: '' }] = await test.database
      .knex('tokens')
      .insert({
        serial: 'QR17',
        type: 'ocra2',
        active: true,
        realm_set_id: test.database.knex.raw("(SELECT id FROM realm_sets WHERE realm_ids = '{}')"),
      })
      .returning<{ id: string }[]>('id');
    const TOKEN = { kind: 'token', serial: 'QR17', tokenId } as const;
    await test.database.knex('administrators').update({
      second_factor: 'token',
      second_factor_serial: 'QR17',
      second_factor_token_id: tokenId,
    });
    const owner = { ...PROVEN, secondFactor: TOKEN };
    await signIns.begin(attempt('s', { ...TOKEN, transactionId: '1' }, owner), NOW, ACT);
    const session = { hash: secretHash('late'), expiresAt: LATER };
    let ending: Promise<number> | undefined;
    const isOpen = await whileHeld(
      /^commit/i,
      () => signIns.complete(secretHash('s'), { proven: owner, factor: TOKEN }, session, ACT),
      async () => {
        ending = sessions.end({ owner: 'alice' }, NOW, ACT);
        await untilWaiting(test.database);
      },
    );
    expect([isOpen, await ending]).toEqual([true, 1]);
    expect(await administrators.findSession(session.hash, NOW)).toBeUndefined();
  });
});

describe('a sign-in that begins', () => {
  it('waits for none of the older ones that somebody else is ending', async () => {
    const begin = (secret: string) =>
      signIns.begin(attempt(secret, { kind: 'passkey', challenge: 'c' }, PROVEN), NOW, ACT);
    for (let number = 0; number < 10; number += 1) {
      await begin(`s${number}`);
    }
    const ending = await test.database.knex.transaction();
    await ending('sign_in_attempts')
      .where({ attempt_hash: secretHash('s0') })
      .delete();
    expect(await begin('s10')).toBe(true);
    await ending.rollback();
    expect(await begin('s11')).toBe(true);
    const left = await test.database.knex('sign_in_attempts').count<{ count: string }[]>();
    expect(left[0]?.count).toBe('10');
  });
});
