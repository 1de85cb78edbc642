import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConsequenceService } from '../../src/consequences/consequence-service.ts';
import { checkPolicy, type PolicyDraft } from '../../src/policy/policy.ts';
import type { Administrator } from '../../src/administrators/administrator.ts';
import { managedUser } from '../support/values/user-values.ts';
import { GivenConfiguration } from '../support/values/configuration-value.ts';
import { TokenDatabase } from '../support/database/token-database.ts';
import type { Sealed } from '../../src/keys/vault.ts';
import { eventualRefusal } from '../support/application/eventual-refusal.ts';
import { OPERATOR } from '../support/values/callers.ts';
import { ACT, tokenValue } from '../support/values/token-values.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const clock = { now: () => NOW };
const ANN = { resolverId: '1', resolver: 'staff', userId: 'ann-id', login: 'ann' };
const QRTANURL = {
  name: 'answers',
  scope: 'authentication',
  realm: 'office',
  action: 'qrtanurl=https://tan.example.org/ocra/check_t',
};
const ONLY_ALICE = { name: 'p', scope: 'system', action: '*', user: 'alice' };

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

describe('the consequences of an act on a realm or a resolver', () => {
  it('removal: tokens, the default, users and policies', async () => {
    expect(await textsOf(service.ofRealmRemoval('Office'))).toEqual([
      '3 tokens leave this realm',
      '2 of them are in no realm afterwards',
      'it is the default realm',
      '2 users with active tokens can no longer be named by this realm',
      'it is named by the policies answers',
    ]);
    expect((await eventualRefusal(service.ofRealmRemoval('offize'))).code).toBe('realm.unknown');
  });

  it('fewer resolvers: their users, and whether another realm has them', async () => {
    expect(await textsOf(service.ofRealmChange({ name: 'office', resolvers: ['people'] }))).toEqual([
      'users of staff are no longer found in the realm office',
      '2 of them have active tokens',
      'staff is in no realm afterwards',
    ]);
    const more = { name: 'lab', resolvers: ['people', 'staff'] };
    expect(await service.ofRealmChange(more)).toEqual([]);
  });

  it('another default realm, or none', async () => {
    expect(await textsOf(service.ofDefaultRealm('lab'))).toEqual([
      'users who are named without a realm are looked for in lab, no longer in office',
    ]);
    expect(await textsOf(service.ofDefaultRealm(null))).toEqual([
      'users who are named without a realm are no longer found',
    ]);
    expect(await service.ofDefaultRealm(' Office')).toEqual([]);
  });

  it('removal of a resolver: its users, its password, its policies; refused as the act is', async () => {
    expect(await textsOf(service.ofResolverRemoval('spare'))).toEqual([
      '1 user with their passwords is removed',
      'its password is removed',
      'it is named by the policies ocra',
    ]);
    expect((await eventualRefusal(service.ofResolverRemoval('staff'))).message).toBe(
      "The resolver 'staff' is in use by the realm 'office'",
    );
  });
});

describe('the consequences of an act on a token, a user or an administrator', () => {
  it('removal of tokens: the keys, and the owners who have no other', async () => {
    expect(await textsOf(service.ofTokenRemoval(['T1', 'T3']))).toEqual([
      'the keys of T1 and T3 are gone for good',
    ]);
    expect(await textsOf(service.ofTokenRemoval(['T1', 'T2']))).toEqual([
      'the keys of T1 and T2 are gone for good',
      'ann has no other active token',
    ]);
    expect((await eventualRefusal(service.ofTokenRemoval(['T9']))).code).toBe('token.unknown');
  });

  it('an enrolment under a serial that there is: the key', async () => {
    expect(await textsOf(service.ofEnrolment({ serial: 'T1' }))).toEqual([
      'there is a token T1: its key is replaced, and the device that has it now is refused',
    ]);
    expect(await service.ofEnrolment({ serial: 'T9' })).toEqual([]);
    expect(await service.ofEnrolment({})).toEqual([]);
  });

  it('an enrolment under the serial of a token with a PIN: the key, as the PIN stays', async () => {
    expect(await textsOf(service.ofEnrolment({ serial: 'T4' }))).toEqual([
      'there is a token T4: its key is replaced, and the device that has it now is refused',
    ]);
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
      'T5 leaves lab: policies and administrators of this realm no longer apply to it',
    ]);
    expect(await textsOf(service.ofTokenRealms({ serial: 'T5', realms: [] }))).toEqual([
      'T5 leaves lab and office: policies and administrators of these realms no longer apply to it',
      'it is in no realm then',
    ]);
    const more = { serial: 'T5', realms: ['lab', 'office', 'plant'] };
    expect(await service.ofTokenRealms(more)).toEqual([]);
  });

  it('removal of a password: only where there is one', async () => {
    const people = { resolver: 'people', login: 'bob' };
    expect(await textsOf(service.ofPasswordRemoval(people))).toEqual([
      'the password of bob is gone for good, and logins with it are refused',
    ]);
    expect(await service.ofPasswordRemoval({ resolver: 'staff', login: 'ann' })).toEqual([]);
  });

  it('switching off: only the last active token of a user', async () => {
    expect(await service.ofTokenWithdrawal(['T1', 'T3'])).toEqual([]);
    expect(await textsOf(service.ofTokenWithdrawal(['T1', 'T2']))).toEqual(['ann has no other active token']);
  });

  it('a period or counts of use: only where the token takes no responses from now on', async () => {
    const past = { validUntil: '2026-11-20T12:00:00Z' };
    expect(await textsOf(service.ofTokenUse('T3', past))).toEqual([
      'T3 takes no responses from now on: its period has ended',
    ]);
    expect(await textsOf(service.ofTokenUse('T3', { validFrom: '2026-11-20T12:00:01Z' }))).toEqual([
      'T3 takes no responses from now on: its period begins later',
    ]);
    expect(await textsOf(service.ofTokenUse('T3', { maxUses: '2', useCount: '2' }))).toEqual([
      'T3 takes no responses from now on: it has been used as often as it may',
    ]);
    for (const harmless of [{ validUntil: '2026-11-20T12:00:01Z' }, { maxUses: '2' }, { validFrom: '' }]) {
      expect(await service.ofTokenUse('T3', harmless)).toEqual([]);
    }
    await held.tokens.update('T2', { active: false }, ACT);
    expect(await textsOf(service.ofTokenUse('T1', past))).toContain('ann has no other active token');
    expect(await service.ofTokenUse('T2', past)).toEqual([]);
    await held.tokens.update('T2', { active: true }, ACT);
    expect((await eventualRefusal(service.ofTokenUse('T3', { validUntil: 'soon' }))).code).toBe(
      'parameter.invalid',
    );
  });

  it('removal of a user: their tokens', async () => {
    expect(await textsOf(service.ofUserRemoval({ resolver: 'staff', login: 'ann' }))).toEqual([
      '2 tokens become unassigned, and open challenges close',
    ]);
  });

  it('removal of the last administrator is refused as the act is', async () => {
    administrators = administrators.filter(({ name }) => name !== 'bert');
    expect((await eventualRefusal(service.ofAdministratorRemoval('alice'))).code).toBe(
      'administrator.invalid',
    );
  });

  it('removal of an administrator, and of an API token', async () => {
    expect(await textsOf(service.ofAdministratorRemoval('bert'))).toEqual([
      'the password and all sessions of bert end',
      '1 API token of bert is refused from then on',
      'the policies ocra name bert',
      'alice is then the only administrator',
    ]);
    expect(await textsOf(service.ofApiTokenRemoval('bert', 'pro\u0308be'))).toEqual([
      'programs that show it are refused from then on (monitoring:*)',
    ]);
  });

  it('have their numbers and names, for other languages', async () => {
    expect(await service.ofRealmRemoval('office')).toMatchObject([
      { code: 'realm.tokens', count: 3 },
      { code: 'realm.last', count: 2 },
      { code: 'realm.default' },
      { code: 'realm.users', count: 2 },
      { code: 'realm.policies', names: ['answers'] },
    ]);
    expect(await service.ofDefaultRealm('lab')).toMatchObject([{ names: ['lab'] }]);
    expect(await service.ofPolicyRemoval(OPERATOR, 'ocra')).toMatchObject([
      { names: ['alice', 'bert'], rights: ['ocra:request'] },
    ]);
    expect(await service.ofSetting('OcraMaxChallenges', '2')).toMatchObject([{ count: 2 }]);
  });
});

describe('the consequences of a policy', () => {
  it.each<[string, PolicyDraft, readonly string[]]>([
    ['the first one of its scope', ONLY_ALICE, ['bert loses system:*']],
    [
      'one that leaves nobody the right to change policies',
      { ...ONLY_ALICE, user: 'carol' },
      [
        'no administrator can change policies over HTTP afterwards: only `tankeeper policy` on this machine can',
        'alice and bert lose system:*',
      ],
    ],
    [
      'one that names fewer administrators',
      { name: 'ocra', scope: 'ocra', action: 'request', user: 'alice' },
      ['bert loses ocra:request'],
    ],
    [
      'one without the callback URL',
      { ...QRTANURL, active: false },
      ['in office, apps refuse new challenges: there is no callback URL'],
    ],
    [
      'another PIN policy',
      { name: 'pin', scope: 'authentication', action: 'otppin=1', realm: 'lab' },
      ['in lab, responses need another PIN or password than before'],
    ],
    ['one that only widens', { name: 'more', scope: 'ocra', action: '*', user: 'bert' }, []],
  ])('%s', async (_name, draft, texts) => {
    expect(await textsOf(service.ofPolicy(OPERATOR, draft))).toEqual(texts);
  });

  it('are also those of its removal', async () => {
    expect(await textsOf(service.ofPolicyRemoval(OPERATOR, 'ocra'))).toEqual([
      'alice and bert lose ocra:request',
    ]);
    expect((await eventualRefusal(service.ofPolicyRemoval(OPERATOR, 'x'))).code).toBe('policy.unknown');
  });
});

describe('the consequences of a configuration value', () => {
  it.each<[string, string | undefined, readonly string[]]>([
    ['OcraChallengeTimeout', '1M', []],
    ['ocramaxchallenges', '2', ["a token's next challenge leaves at most 2 open, and closes older ones"]],
    ['DefaultMaxFailCount', '1', ['new tokens are locked after 1 wrong responses']],
    ['OcraMaxChallengeRequests', '1000', []],
    ['errors', '77', []],
    ['AutoResync', undefined, []],
  ])('%s = %s', async (key, value, texts) => {
    expect(await textsOf(service.ofSetting(key, value))).toEqual(texts);
  });

  it('can be mended where a stored one is invalid', async () => {
    configuration.change({ settings: new Map([['OcraMaxChallenges', 'many']]) });
    expect(await service.ofSetting('OcraMaxChallenges', '2')).toEqual([]);
  });
});
