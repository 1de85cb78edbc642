import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccessControl } from '../../src/policy/access-control.ts';
import {
  type AdministratorDependencies,
  AdministratorService,
  type ApiTokenDraft,
} from '../../src/administrators/administrator-service.ts';
import type { Caller } from '../../src/policy/caller.ts';
import { checkPolicy } from '../../src/policy/policy.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { callerNamed } from '../support/values/callers.ts';
import { eventualRefusal } from '../support/values/refusal.ts';
import { AdministratorStore } from '../../src/administrators/administrator-store.ts';
import { type StoredConfiguration, storeConfiguration } from '../support/database/stored-configuration.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { openSession } from '../support/application/test-application.ts';
import { ACT } from '../support/values/token-values.ts';
import { ReadableHasher } from '../support/application/readable-hasher.ts';

const START = new Date('2026-11-20T10:00:00Z');
const admin = callerNamed('admin', { proof: 'password' });
const confirmations = { isConfirmed: () => Promise.resolve(false) };
const PASSWORD = 'correct horse';

let now: Date;
const test = databaseOfTests();
let stored: StoredConfiguration;
let store: AdministratorStore;
let hasher: ReadableHasher;
let service: AdministratorService;

beforeAll(() => {
  store = new AdministratorStore({ database: test.database });
});

beforeEach(async () => {
  now = START;
  stored = await storeConfiguration(test.database, {});
  await test.database.knex('administrators').delete();
  hasher = new ReadableHasher();
  service = server();
  await service.ensureFirstAdministrator(PASSWORD);
});

function server(more: Partial<AdministratorDependencies> = {}): AdministratorService {
  const clock = { now: () => now };
  return new AdministratorService({
    administrators: store,
    confirmations,
    configuration: stored.configuration,
    hasher,
    credentials: { current: undefined },
    clock,
    random: systemRandom,
    sessionLifetime: 600,
    access: new AccessControl({ clock }),
    ...more,
  });
}

function after(seconds: number): void {
  now = new Date(START.getTime() + seconds * 1000);
}

async function refusedCode(attempt: Promise<unknown>): Promise<string> {
  return (await eventualRefusal(attempt)).code;
}

describe('administrators', () => {
  it('are one however their name is spelled', async () => {
    const [composed, decomposed] = ['Zo\u00eb', 'Zoe\u0308'];
    await service.add(admin, decomposed, 'another one');
    expect(await refusedCode(service.add(admin, composed, 'another one'))).toBe('administrator.exists');
    expect(await service.authenticatePassword(decomposed, 'another one')).toMatchObject({
      administrator: composed,
    });
    await service.setPassword(admin, decomposed, 'a third one');
    await service.addApiToken(admin, decomposed, { name: 'Zoe\u0308', rights: ['*'] });
    expect(await service.listApiTokens(decomposed)).toMatchObject([{ name: composed }]);
    await service.removeApiToken(admin, decomposed, 'Zoe\u0308');
    expect(await service.listApiTokens(composed)).toEqual([]);
    const herself = callerNamed(composed, { proof: 'password' });
    const rights = checkPolicy({ name: 'zoe', scope: 'system', action: '*', user: `admin, ${decomposed}` });
    await stored.configuration.putPolicy(rights, ACT);
    expect(await refusedCode(service.remove(herself, decomposed))).toBe('administrator.invalid');
    await service.remove(admin, decomposed);
    expect((await service.list()).map(({ name }) => name)).toEqual(['admin']);
  });

  it.each([
    ['login that ends', 'confirmation.required'],
    ['right that is taken', 'right.missing'],
  ])('make and change no password with a %s while the new one is hashed', async (_, refusal) => {
    await service.add(admin, 'bob', PASSWORD);
    let isOpen = true;
    const readOnly = checkPolicy({ name: 'r', scope: 'system', action: 'read', user: '*' });
    const slow = server({
      confirmations: { isConfirmed: () => Promise.resolve(isOpen) },
      hasher: Object.assign(new ReadableHasher(), {
        hash: async (password: string) => {
          isOpen = refusal === 'right.missing';
          if (isOpen) {
            await stored.configuration.putPolicy(readOnly, ACT);
          }
          return hasher.hash(password);
        },
      }),
    });
    const thief = callerNamed('admin', { proof: { kind: 'login', hash: Buffer.alloc(32) } });
    for (const attempt of [
      () => slow.add(thief, 'mallory', PASSWORD),
      () => slow.setPassword(thief, 'bob', 'my new one'),
    ]) {
      isOpen = true;
      expect(await refusedCode(attempt())).toBe(refusal);
      await stored.configuration.removePolicy('r', ACT);
    }
    expect((await service.list()).map(({ name }) => name)).toEqual(['admin', 'bob']);
    expect(await service.authenticatePassword('bob', PASSWORD)).toMatchObject({ administrator: 'bob' });
  });
});

describe('a password', () => {
  it('is refused with the same work whether or not there is such an administrator', async () => {
    expect(await service.authenticatePassword('admin', 'wrong one')).toBeUndefined();
    expect([hasher.verified, hasher.verifiedNothing]).toEqual([1, 0]);
    for (const name of ['nosuch', '', '*', 'ADMIN', 'admin ', 'ad\0min']) {
      expect(await service.authenticatePassword(name, PASSWORD)).toBeUndefined();
    }
    expect([hasher.verified, hasher.verifiedNothing]).toEqual([1, 6]);
  });

  it('of endless length is refused without any work', async () => {
    expect(await service.authenticatePassword('admin', 'x'.repeat(1025))).toBeUndefined();
    expect(await service.authenticatePassword('nosuch', 'x'.repeat(1025))).toBeUndefined();
    expect([hasher.verified, hasher.verifiedNothing]).toEqual([0, 0]);
  });
});

describe('a session', () => {
  it('belongs to the administrator until it ends', async () => {
    const { session, expiresAt } = await openSession(service, 'admin', PASSWORD);
    expect(session).toMatch(/^[\w-]{43}$/);
    expect(expiresAt).toEqual(new Date('2026-11-20T10:10:00Z'));
    after(599);
    expect(await service.findSession(session)).toBe('admin');
    after(600);
    expect(await service.findSession(session)).toBeUndefined();
  });

  it('is kept as a hash, and the hash is no session', async () => {
    const { session } = await openSession(service, 'admin', PASSWORD);
    const [row] = await test.database.knex('sessions').select<{ session_hash: Buffer }[]>('session_hash');
    const kept = row?.session_hash.toString('hex') ?? '';
    expect(kept).not.toContain(session);
    expect(kept).not.toContain(Buffer.from(session).toString('hex'));
    expect(await service.findSession(Buffer.from(kept, 'hex').toString('base64url'))).toBeUndefined();
  });

  it.each(['', '*', 'null', 'x'.repeat(42), `${'x'.repeat(43)}\n`, 'x'.repeat(10_000)])(
    'is never %j',
    async (session) => {
      await openSession(service, 'admin', PASSWORD);
      expect(await service.findSession(session)).toBeUndefined();
      expect(await service.closeSession(session)).toBe(false);
    },
  );
});

describe('an API token', () => {
  const make = async (draft: Partial<ApiTokenDraft> = {}, caller: Caller = admin): Promise<string> =>
    (await service.addApiToken(caller, 'admin', { name: 'probe', rights: ['monitoring:*'], ...draft })).token;

  it('is shown once, kept as a hash, and stands for its administrator and rights until it ends', async () => {
    const token = await make({ expires: new Date(START.getTime() + 60_000).toISOString() });
    expect(token).toMatch(/^tk_[\w-]{43}$/);
    const [row] = await test.database.knex('api_tokens').select<{ token_hash: Buffer }[]>();
    expect(JSON.stringify(row) + String(row?.token_hash)).not.toContain(token.slice(3));
    after(59);
    expect(await service.authenticateApiToken(token)).toMatchObject({
      administrator: 'admin',
      name: 'probe',
      rights: ['monitoring:*'],
    });
    after(60);
    expect(await service.authenticateApiToken(token)).toBeUndefined();
  });

  it('gets no more rights than its maker has', async () => {
    const maker = callerNamed('admin', { rights: ['system:*', 'monitoring:tokens'], operator: true });
    expect(await make({ rights: ['system:read', 'monitoring:tokens'] }, maker)).toMatch(/^tk_/);
    for (const rights of [['*'], ['monitoring:*'], ['*:tokens'], ['ocra:request', 'system:read']]) {
      const refusal = await eventualRefusal(make({ name: 'x', rights }, maker));
      expect(refusal.message).toBe('An API token cannot have more rights than its maker');
    }
  });

  it.each(['', '*', 'tk_', 'tk_*', `tk_${'x'.repeat(43)}`, 'x'.repeat(43), 'x'.repeat(10_000)])(
    'is never %j',
    async (token) => {
      await make();
      expect(await service.authenticateApiToken(token)).toBeUndefined();
    },
  );
});
