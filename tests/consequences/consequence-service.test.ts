import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConsequenceService } from '../../src/consequences/consequence-service.ts';
import { changeOfRights } from '../../src/consequences/policy-consequences.ts';
import { checkPolicy, type PolicyDraft } from '../../src/policy/policy.ts';
import { ReadPolicy } from '../../src/policy/read-policy.ts';
import type { Administrator } from '../../src/administrators/administrator.ts';
import { managedUser, tokenValue } from '../support/values/token-values.ts';
import { GivenConfiguration } from '../support/values/configuration-value.ts';
import { TokenDatabase } from '../tokens/token-database.ts';
import type { Sealed } from '../../src/keys/vault.ts';
import { eventualRefusal } from '../support/values/refusal.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const clock = { now: () => NOW };
const ANN = { resolverId: '1', resolver: 'staff', userId: 'ann-id', login: 'ann' };
const QRTANURL = {
  name: 'answers',
  scope: 'authentication',
  realm: 'office',
  action: 'qrtanurl=https://tan.example.org/ocra/check_t',
};

const USERS = [
  { resolverId: '1', userId: 'ann-id', ...managedUser('ann') },
  { resolverId: '2', userId: 'bob-id', ...managedUser('bob', { passwordHash: 'hash' }) },
  { resolverId: '3', userId: 'zoe-id', ...managedUser('zoe') },
];

let configuration: GivenConfiguration;
let administrators: readonly Administrator[];
let service: ConsequenceService;

let held: TokenDatabase;
beforeAll(async () => {
  held = await TokenDatabase.create(['staff'], ['office', 'lab']);
  await held.hold([
    tokenValue('T1', { owner: ANN }),
    tokenValue('T4', { secrets: { ...tokenValue('T4').secrets, pin: Buffer.from('sealed') as Sealed } }),
    tokenValue('T2', { owner: ANN }),
    tokenValue('T3'),
    tokenValue('T5', { realms: ['lab', 'office'] }),
  ]);
});
afterAll(() => held.drop());

beforeEach(() => {
  configuration = new GivenConfiguration({
    realms: [
      { name: 'office', resolvers: ['staff', 'people'] },
      { name: 'lab', resolvers: ['people'] },
    ],
    resolvers: [{ name: 'staff' }, { name: 'people' }, { name: 'spare', secretStamp: 'f00d' }],
    policies: [
      checkPolicy(QRTANURL),
      checkPolicy({ name: 'ocra', scope: 'ocra', action: 'request', user: 'alice, bert, spare:' }),
    ],
  });
  administrators = ['alice', 'bert'].map((name) => ({
    id: name,
    name,
    passwordHash: 'hash',
    createdAt: NOW,
  }));
  const token = { name: 'pröbe', administrator: 'bert', rights: ['monitoring:*'], expiresAt: null };
  const count = { active: true, assigned: true };
  const snapshot = {
    tokens: [
      { ...count, realms: ['office'], tokens: 2 },
      { ...count, realms: ['lab', 'office'], tokens: 1 },
      { ...count, realms: ['lab'], tokens: 7 },
    ],
    activeUsers: [
      { resolver: 'staff', realms: ['office'], inNoRealm: false, users: 2 },
      { resolver: 'people', realms: ['lab'], inNoRealm: false, users: 5 },
    ],
  };
  service = new ConsequenceService({
    configuration,
    administrators: {
      list: () => Promise.resolve(administrators),
      listApiTokens: (name) => Promise.resolve(name === 'bert' ? [{ ...token, createdAt: NOW }] : []),
    },
    clock,
    counts: { snapshot: () => Promise.resolve(snapshot) },
    tokens: held.tokens,
    users: {
      count: () => Promise.resolve(1),
      findByLogin: (resolverId, login) =>
        Promise.resolve(USERS.find((one) => one.resolverId === resolverId && one.login === login)),
    },
  });
});

async function textsOf(work: Promise<readonly { readonly text: string }[]>): Promise<readonly string[]> {
  return (await work).map(({ text }) => text);
}

describe('the consequences of an act on a token, a user or an administrator', () => {
  it('removal of tokens: the keys', async () => {
    expect(await textsOf(service.ofTokenRemoval(['T1', 'T3']))).toEqual([
      'the keys of T1 and T3 are gone for good',
    ]);
    expect((await eventualRefusal(service.ofTokenRemoval(['T9']))).code).toBe('token.unknown');
  });

  it('switching off: whose second factor it is, and not whose it was under that serial', async () => {
    const withFactor = (tokenId: string | undefined): Promise<readonly string[]> => {
      const secondFactor = { kind: 'token', serial: 'T3', tokenId } as const;
      administrators = administrators.map((one) => ({ ...one, secondFactor }));
      return textsOf(service.ofTokenWithdrawal(['T3']));
    };
    expect(await withFactor('3')).toEqual(['alice and bert cannot sign in without these second factors']);
    expect(await withFactor(undefined)).toEqual([]);
  });

  it('an enrolment under a serial that there is: the key', async () => {
    expect(await textsOf(service.ofEnrolment({ serial: 'T1' }))).toEqual([
      'there is a token T1: its key is replaced, and the device that has it now is refused',
    ]);
    expect(await service.ofEnrolment({ serial: 'T9' })).toEqual([]);
    expect(await service.ofEnrolment({})).toEqual([]);
  });

  it('removal of a PIN: responses without it, where there is one', async () => {
    expect(await textsOf(service.ofPinRemoval('T4', 'pin'))).toEqual([
      'the PIN of T4 is gone for good: anyone with the device answers without it',
    ]);
    expect(await service.ofPinRemoval('T4', 'ocraPin')).toEqual([]);
    expect(await service.ofPinRemoval('T1', 'pin')).toEqual([]);
    expect((await eventualRefusal(service.ofPinRemoval('T9', 'pin'))).code).toBe('token.unknown');
  });

  it('other realms of a token: those that it leaves', async () => {
    expect(await textsOf(service.ofTokenRealms({ serial: 'T5', realms: ['Office'] }))).toEqual([
      'T5 leaves lab: policies and administrators there no longer apply to it',
    ]);
    expect(await textsOf(service.ofTokenRealms({ serial: 'T5', realms: [] }))).toEqual([
      'T5 leaves lab and office: policies and administrators there no longer apply to it',
    ]);
    const more = { serial: 'T5', realms: ['lab', 'office', 'plant'] };
    expect(await service.ofTokenRealms(more)).toEqual([]);
  });

  it('removal of the last administrator is refused as the act is', async () => {
    administrators = administrators.filter(({ name }) => name !== 'bert');
    expect((await eventualRefusal(service.ofAdministratorRemoval('alice'))).code).toBe(
      'administrator.invalid',
    );
  });

  it('removal of an administrator, and of an API token', async () => {
    expect(await textsOf(service.ofAdministratorRemoval('bert'))).toEqual([
      'the password, all sessions and API tokens of bert end',
    ]);
    expect(await textsOf(service.ofApiTokenRemoval('bert', 'pro\u0308be'))).toEqual([
      'programs that show it are refused from then on',
    ]);
  });
});

describe('a change of policies', () => {
  const changed = (before: readonly PolicyDraft[], after: readonly PolicyDraft[]) => {
    const [was, is] = [before, after].map((drafts) => drafts.map((one) => new ReadPolicy(checkPolicy(one))));
    return changeOfRights(was ?? [], is ?? [], ['alice', 'bert']);
  };
  const first = { name: 'p', scope: 'system', action: '*', user: 'alice' };

  it('takes rights from those whom none names any more, and from nobody where it only widens', () => {
    const ocra = { name: 'ocra', scope: 'ocra', action: 'request', user: 'alice, bert' };
    expect(changed([], [first]).lost).toEqual([{ administrators: ['bert'], rights: ['system:*'] }]);
    expect(changed([ocra], [{ ...ocra, user: 'alice' }]).lost).toEqual([
      { administrators: ['bert'], rights: ['ocra:request'] },
    ]);
    expect(changed([ocra], [{ ...ocra, action: '*' }]).lost).toEqual([]);
  });

  it('is known to leave nobody who may change policies', () => {
    expect(changed([], [first]).nobodyWrites).toBe(false);
    expect(changed([], [{ ...first, user: 'carol' }]).nobodyWrites).toBe(true);
  });
});
