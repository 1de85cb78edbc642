import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { AuditReading } from '../../../src/audit/audit-reading.ts';
import { InstallationStore } from '../../../src/doctor/installation-store.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';
import {
  applicationOfTests,
  BoundedAdministrators,
  OPERATOR,
} from '../../support/application/test-application.ts';
import { errorOf, valueOf, outcomeOf } from '../../support/application/browser.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

interface Finding {
  readonly code: string;
  readonly severity: string;
  readonly remedy: string;
}

interface Health {
  readonly installation: {
    readonly findings: readonly Finding[];
    readonly last_backup_at: string | null;
    readonly webhooks: readonly object[];
    readonly resolvers: readonly object[];
  } | null;
  readonly responses: Readonly<Record<'day' | 'week' | 'month', object>> | null;
  readonly refused_tokens: readonly { readonly serial: string }[] | null;
}

const application = applicationOfTests();
let administrators: BoundedAdministrators;

beforeAll(async () => {
  application.clock.set(new Date());
  await application.addRealm('north', ['anna']);
  await application.addRealm('south', ['berta']);
  await application.enrolPlain('N1', SUITE, { user: 'anna', realm: 'north' });
  await application.enrolPlain('S1', SUITE, { user: 'berta', realm: 'south' });
  for (const serial of ['S1', 'N1', 'N1']) {
    const { transactionid } = await application.challenge(serial, '12345678');
    await application.check(transactionid, '00000000');
    application.clock.advance(2);
  }
  // A decline that the token has not signed is no refused response.
  const { transactionid } = await application.challenge('S1', '12345678');
  await application.send('/ocra/check_t', { transactionid, decline: '00' });
  administrators = await BoundedAdministrators.of(application);
  await administrators.add('northern', 'audit, show', 'north');
  await administrators.add('counting', 'audit', '*');
  await administrators.add('nobody', 'enable', 'north');
  for (const scope of ['system', 'monitoring']) {
    await application.setPolicy(scope, scope, '*', { user: 'admin' });
  }
  await application.services.webhooks.add(OPERATOR, {
    name: 'siem',
    url: 'https://siem.example.com/secret-path',
  });
  await application.rows(
    `INSERT INTO webhook_deliveries (webhook_id, event_id, type, occurred_at, data, given_up_at)
       SELECT id, gen_random_uuid(), 'token.locked', now(), '{}', now() FROM webhooks;
     INSERT INTO webhook_health (webhook_id, last_failure_at, last_failure)
       SELECT id, now(), 'HTTP 500' FROM webhooks;
     INSERT INTO response_minutes (minute, outcome, durations) VALUES
       (now() - interval '1 hour', 'accepted', '{3,1}'), (now() - interval '2 hours', 'wrong', '{2}'),
       (now() - interval '2 hours', 'declined', '{4}'), (now() - interval '2 hours', 'reported', '{8}'),
       (now() - interval '3 days', 'expired', '{5}'), (now() - interval '20 days', 'locked', '{7}'),
       (now() - interval '40 days', 'accepted', '{9}')`,
  );
});

const HEALTH = '/admin/installation/health';

/** @param as an administrator with bounds; else one with all rights */
const health = async (as?: string): Promise<Health> =>
  (await administrators.ask(HEALTH, {}, as)).value as Health;

describe('GET /admin/installation/health', () => {
  it('tells findings with their remedies, the backup, webhooks and resolvers', async () => {
    const walk = jest.spyOn(InstallationStore.prototype, 'realmsOfQrTokens');
    const { installation } = await health();
    expect(walk).not.toHaveBeenCalled();
    expect(installation?.findings).toContainEqual({
      severity: 'warning',
      code: 'webhooks.failing',
      text: expect.stringMatching(/webhook siem fail, nothing was ever delivered: HTTP 500/),
      remedy: expect.stringContaining('tankeeper webhook test'),
    });
    expect(installation?.findings.map(({ code }) => code)).not.toContain('doctor.incomplete');
    expect(installation).toMatchObject({
      last_backup_at: null,
      webhooks: [{ name: 'siem', given_up: 1, waiting: 0, active: true }],
      resolvers: [
        { resolver: 'north', state: 'available' },
        { resolver: 'south', state: 'available' },
      ],
    });
    expect(JSON.stringify(installation)).not.toContain('secret-path');
  });

  it('is counted by /metrics, by code and severity', async () => {
    application.metrics.measureFindings(() => application.services.health.findings());
    const { text } = await application.asAdmin('/metrics', {}, 'get');
    expect(text).toContain('tankeeper_findings{code="webhooks.failing",severity="warning"} 1\n');
  });

  it('sums the responses of a day, a week and a month from kept numbers', async () => {
    const { responses } = await health();
    expect(responses).toMatchObject({
      day: { accepted: 4, refused: 2, expired: 0 },
      week: { accepted: 4, refused: 2, expired: 5 },
      month: { accepted: 4, refused: 9, expired: 5 },
    });
  });

  it('names the newest users with refused responses', async () => {
    const { refused_tokens: refused } = await health();
    expect(refused).toEqual([
      {
        serial: 'N1',
        owner: { login: 'anna', resolver: 'north' },
        owner_realm: 'north',
        is_locked: false,
        refused_responses: 2,
        last_at: expect.any(String),
      },
      expect.objectContaining({ serial: 'S1', refused_responses: 1 }),
    ]);
  });

  it('tells the rest while too many search the audit', async () => {
    const busy = new ServiceError('server.busy', 'busy');
    const search = jest.spyOn(AuditReading.prototype, 'page').mockRejectedValue(busy);
    const found = await health();
    search.mockRestore();
    expect(found).toMatchObject({ installation: { last_backup_at: null }, refused_tokens: null });
  });

  it('shows an administrator of one realm the refused users of this realm alone', async () => {
    const shown = await health('northern');
    expect(shown).toEqual({
      installation: null,
      responses: null,
      refused_tokens: [
        expect.objectContaining({ serial: 'N1', owner: expect.objectContaining({ login: 'anna' }) }),
      ],
    });
  });

  it('names no owner to those who may not see tokens', async () => {
    const { refused_tokens: refused } = await health('counting');
    expect(refused).toEqual([
      expect.objectContaining({ serial: 'N1', owner: null }),
      expect.objectContaining({ serial: 'S1', owner: null }),
    ]);
  });

  it('shows nothing to an API token without any of its rights', async () => {
    const token = await application.apiToken('enabling', ['admin:enable']);
    const answer = await application.send(HEALTH, {}).set('Authorization', `Bearer ${token}`);
    expect(errorOf(answer)).toMatch(/^ERR410/);
  });

  it('and an administrator without any of them is refused', async () => {
    expect((await administrators.ask(HEALTH, {}, 'nobody')).error?.message).toMatch(/^ERR410/);
  });

  it('counts the response that uses a transaction up as refused', async () => {
    await application.services.settings.set(OPERATOR, new Map([['OcraMaxChallengeRequests', '1']]));
    const { transactionid } = await application.challenge('S1', '12345678');
    await application.check(transactionid, '00000000');
    const { refused_tokens: refused } = await health();
    expect(refused).toContainEqual(expect.objectContaining({ serial: 'S1', refused_responses: 2 }));
  });
});

const populated = applicationOfTests();
beforeAll(async () => {
  await populated.addRealm('north', ['ann']);
  await populated.addRealm('south');
  await populated.services.realms.setDefault(OPERATOR, 'south');
});

async function ask(path: string, given: Record<string, string> = {}): Promise<unknown> {
  return outcomeOf(await populated.asAdmin(path, given));
}

/** @returns the codes of what would follow */
async function foretold(path: string, given: Record<string, string>): Promise<readonly string[]> {
  return ((await ask(path, given)) as { code: string }[]).map(({ code }) => code);
}

describe('the endpoints of an installation', () => {
  it('foretell what follows from an act on a realm', async () => {
    expect(await foretold('/admin/realm/remove/consequences', { name: 'south' })).toEqual(['realm.default']);
    expect(
      await foretold('/admin/realm/set/consequences', { name: 'north', resolvers: 'south, ' }),
    ).toContain('realm.resolvers');
    expect(
      await foretold('/admin/realm/set/consequences', { name: 'north', resolvers: 'north, south' }),
    ).toEqual([]);
    expect(await foretold('/admin/realm/default/consequences', { name: ' South' })).toEqual([]);
    const another = await ask('/admin/realm/default/consequences', { name: 'north' });
    const none = await ask('/admin/realm/no-default/consequences');
    for (const foretelling of [another, none]) {
      expect(foretelling).toMatchObject([
        { code: 'realm.new-default', text: expect.stringContaining('no longer looked for in south') },
      ]);
    }
  });

  it('foretell what follows from the removal of a resolver, a user and a password', async () => {
    const { users } = populated.services;
    await populated.enrolPlain('OWNED', 'OCRA-1:HOTP-SHA256-8:QN08', { user: 'ann', realm: 'north' });
    const ann = { resolver: 'north', login: 'ann' };
    await users.setPassword(OPERATOR, { ...ann, password: 'a long one' });
    expect(await ask('/admin/resolver/remove/consequences', { name: 'north' })).toContain('north');
    expect(await foretold('/admin/user/remove/consequences', ann)).toEqual(['user.tokens']);
    expect(await foretold('/admin/user/remove-password/consequences', ann)).toEqual(['user.password']);
    await populated.services.tokens.remove(OPERATOR, { serial: 'OWNED' });
  });

  it('remove the password of a user, where that is requested alone', async () => {
    const ann = { resolver: 'north', login: 'ann' };
    expect(await ask('/admin/user/password', { ...ann, password: 'a long one' })).toBe(true);
    expect(await foretold('/admin/user/remove-password/consequences', ann)).toHaveLength(1);
    expect(await ask('/admin/user/remove-password', ann)).toBe(true);
    expect(await foretold('/admin/user/remove-password/consequences', ann)).toEqual([]);
  });

  it('describe every kind of resolver', async () => {
    const { kinds, settings } = (await ask('/admin/resolver/kinds')) as {
      kinds: { kind: string }[];
      settings: { kind: string; name: string; is_secret?: boolean }[];
    };
    expect(kinds.map(({ kind }) => kind)).toEqual(['managed', 'passwd', 'sql', 'ldap']);
    const secrets = settings.flatMap(({ kind, name, is_secret: secret }) =>
      secret === true ? [`${kind} ${name}`] : [],
    );
    expect(secrets).toEqual(['sql Password', 'ldap BINDPW']);
  });
});

const KNOWN = { publicUrl: 'https://tan.example.org' };
const ADDRESS = 'https://tan.example.org/ocra/check_t';
const addressed = applicationOfTests({ ...KNOWN, http: KNOWN });

async function asked(path: string, parameters: Record<string, string> = {}): Promise<unknown> {
  return valueOf(await addressed.asAdmin(path, parameters));
}

it('the first steps of an installation become true one by one as the database has them', async () => {
  const FIRST = '/admin/installation/first-steps';
  const steps = {
    resolver: false,
    user: false,
    empty_resolver: null,
    realm: false,
    answer_address: false,
    token: false,
    second_factor: false,
    backup: false,
  };
  await expect(asked(FIRST)).resolves.toEqual({
    ...steps,
    proposed_address: ADDRESS,
  });
  await addressed.addRealm('north');
  await expect(asked(FIRST)).resolves.toMatchObject({
    resolver: true,
    user: false,
    empty_resolver: 'north',
  });
  await addressed.addUser('anna', 'north');
  await asked('/admin/setting/set', { key: 'BackupElsewhere', value: 'True' });
  await expect(asked(FIRST)).resolves.toMatchObject({ backup: true });
  await asked('/admin/setting/remove', { key: 'BackupElsewhere' });
  await expect(asked(FIRST)).resolves.toMatchObject({ backup: false });
  await addressed.setPolicy('url', 'authentication', `qrtanurl=${ADDRESS}`, { realm: 'north' });
  await addressed.enrolPlain('OCRA1', 'OCRA-1:HOTP-SHA256-8:QN08', { user: 'anna', realm: 'north' });
  const recipient = await identityToRecipient(await generateX25519Identity());
  await addressed.services.backups.export(OPERATOR, {
    lock: { recipients: [recipient] },
    version: 'test',
    write: () => Promise.resolve(),
  });
  await expect(asked(FIRST)).resolves.toEqual({
    ...steps,
    resolver: true,
    user: true,
    realm: true,
    answer_address: true,
    token: true,
    backup: true,
    proposed_address: ADDRESS,
  });
});

describe('the answer address of a token that is to be enrolled', () => {
  it('is given by a policy that covers it, and proposed where none would change for others', async () => {
    await addressed.addRealm('south', ['bert']);
    const found = (count: number, realm: string | null): object => ({
      address_count: count,
      realm,
      proposed_address: ADDRESS,
    });
    const address = (parameters: Record<string, string>) => asked('/admin/answer-address', parameters);
    await expect(address({ user: 'anna', realm: 'north' })).resolves.toEqual(found(1, null));
    await expect(address({ serial: 'OCRA1' })).resolves.toEqual(found(1, null));
    await expect(address({ user: 'bert', realm: 'south' })).resolves.toEqual(found(0, 'south'));
    await expect(address({})).resolves.toEqual(found(0, null));
    await addressed.setPolicy('other', 'authentication', `qrtanurl=${ADDRESS}/`, { realm: 'north' });
    await expect(address({ user: 'anna', realm: 'north' })).resolves.toEqual(found(2, null));
  });

  it('is told to a helpdesk for its own realms alone, and tells nothing of other serials', async () => {
    const bounded = await BoundedAdministrators.of(addressed);
    await bounded.add('desk', 'init', 'south');
    const refusal = async (parameters: Record<string, string>): Promise<string | undefined> =>
      (await bounded.ask('/admin/answer-address', parameters, 'desk')).error?.message;
    await expect(refusal({ user: 'bert', realm: 'south' })).resolves.toBeUndefined();
    await expect(refusal({ user: 'anna', realm: 'north' })).resolves.toBeDefined();
    const known = await refusal({ serial: 'OCRA1' });
    expect(known).toContain('ERR410');
    await expect(refusal({ serial: 'NONE' })).resolves.toBe(known);
  });
});
