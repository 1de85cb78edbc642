import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import request, { type Response } from 'supertest';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { AuditReading } from '../../../src/audit/audit-reading.ts';
import { InstallationStore } from '../../../src/doctor/installation-store.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';
import {
  BoundedAdministrators,
  AS_ADMIN,
  OPERATOR,
  TestApplication,
} from '../../support/application/test-application.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { valueOf, outcomeOf } from '../../support/application/browser.ts';

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

let application: TestApplication;
let administrators: BoundedAdministrators;

beforeAll(async () => {
  application = await TestApplication.open();
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
  const { policies, webhooks } = application.services;
  administrators = await BoundedAdministrators.of(application);
  await administrators.add('northern', 'audit, show', 'north');
  await administrators.add('counting', 'audit', '*');
  await administrators.add('nobody', 'enable', 'north');
  for (const scope of ['system', 'monitoring'] as const) {
    const always = { client: '', time: '', active: true, action: '*', user: 'admin', realm: '*' };
    await policies.set(OPERATOR, { ...always, name: scope, scope });
  }
  await webhooks.add(OPERATOR, { name: 'siem', url: 'https://siem.example.com/secret-path' });
  await queryOnce(
    application.databaseUrl,
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
afterAll(() => application.close());

function healthOf({ body }: Response): Health {
  return (body as { readonly result: { readonly value: Health } }).result.value;
}

function refusalOf({ body }: Response): string {
  return (body as { readonly result: { readonly error: { readonly message: string } } }).result.error.message;
}

describe('GET /admin/installation/health', () => {
  it('tells findings with their remedies, the backup, webhooks and resolvers', async () => {
    const walk = jest.spyOn(InstallationStore.prototype, 'realmsOfQrTokens');
    const { installation } = healthOf(await application.asAdmin('/admin/installation/health', {}, 'get'));
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
    const { responses } = healthOf(await application.asAdmin('/admin/installation/health', {}, 'get'));
    expect(responses).toMatchObject({
      day: { accepted: 4, refused: 2, expired: 0 },
      week: { accepted: 4, refused: 2, expired: 5 },
      month: { accepted: 4, refused: 9, expired: 5 },
    });
  });

  it('names the newest users with refused responses', async () => {
    const { refused_tokens: refused } = healthOf(
      await application.asAdmin('/admin/installation/health', {}, 'get'),
    );
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
    const health = healthOf(await application.asAdmin('/admin/installation/health', {}, 'get'));
    search.mockRestore();
    expect(health).toMatchObject({ installation: { last_backup_at: null }, refused_tokens: null });
  });

  it('shows an administrator of one realm the refused users of this realm alone', async () => {
    const shown = healthOf(await administrators.get('northern', '/admin/installation/health', {}));
    expect(shown).toEqual({
      installation: null,
      responses: null,
      refused_tokens: [
        expect.objectContaining({ serial: 'N1', owner: expect.objectContaining({ login: 'anna' }) }),
      ],
    });
  });

  it('names no owner to those who may not see tokens', async () => {
    const { refused_tokens: refused } = healthOf(
      await administrators.get('counting', '/admin/installation/health', {}),
    );
    expect(refused).toEqual([
      expect.objectContaining({ serial: 'N1', owner: null }),
      expect.objectContaining({ serial: 'S1', owner: null }),
    ]);
  });

  it('shows nothing to an API token without any of its rights', async () => {
    const token = await application.apiToken('enabling', ['admin:enable']);
    const answer = await application
      .send('/admin/installation/health', {})
      .set('Authorization', `Bearer ${token}`);
    expect(refusalOf(answer)).toMatch(/^ERR410/);
  });

  it('and an administrator without any of them is refused', async () => {
    expect(refusalOf(await administrators.get('nobody', '/admin/installation/health', {}))).toMatch(
      /^ERR410/,
    );
  });

  it('counts the response that uses a transaction up as refused', async () => {
    await application.services.settings.set(OPERATOR, new Map([['OcraMaxChallengeRequests', '1']]));
    const { transactionid } = await application.challenge('S1', '12345678');
    await application.check(transactionid, '00000000');
    const { refused_tokens: refused } = healthOf(
      await application.asAdmin('/admin/installation/health', {}, 'get'),
    );
    expect(refused).toContainEqual(expect.objectContaining({ serial: 'S1', refused_responses: 2 }));
  });
});

let populated: TestApplication;
beforeAll(async () => {
  populated = await TestApplication.open();
  await populated.addRealm('north', ['ann']);
  await populated.addRealm('south');
  await populated.services.realms.setDefault(OPERATOR, 'south');
});
afterAll(() => populated.close());

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
    await users.setPassword(OPERATOR, { resolver: 'north', login: 'ann', password: 'a long one' });
    const ann = { resolver: 'north', login: 'ann' };
    expect(await ask('/admin/resolver/remove/consequences', { name: 'north' })).toContain('north');
    expect(await foretold('/admin/user/remove/consequences', ann)).toEqual(['user.tokens']);
    expect(await foretold('/admin/user/remove-password/consequences', ann)).toEqual(['user.password']);
    await populated.services.tokens.remove(OPERATOR, { serial: 'OWNED' });
  });

  it('remove the password of a user, where that is requested alone', async () => {
    const ann = { resolver: 'north', login: 'ann' };
    const named = { login: 'ann', resolver: 'north' };
    expect(await ask('/admin/user/password', { ...named, password: 'a long one' })).toBe(true);
    expect(await foretold('/admin/user/remove-password/consequences', ann)).toHaveLength(1);
    expect(await ask('/admin/user/remove-password', named)).toBe(true);
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
let addressed: TestApplication;

beforeAll(async () => {
  addressed = await TestApplication.open({ ...KNOWN, http: KNOWN });
});
afterAll(() => addressed.close());

async function asked(
  path: string,
  parameters = {},
  headers: Record<string, string> = AS_ADMIN,
): Promise<unknown> {
  return valueOf(await request(addressed.app).post(path).set(headers).type('form').send(parameters));
}

async function policy(name: string, scope: string, action: string, realm: string, user = '*'): Promise<void> {
  const draft = { name, scope, action, realm, user, client: '', time: '', active: true };
  await addressed.services.policies.set(OPERATOR, draft);
}

describe('the first steps of an installation', () => {
  it('become true one by one as the database has them', async () => {
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
    await expect(asked('/admin/installation/first-steps')).resolves.toEqual({
      ...steps,
      proposed_address: ADDRESS,
    });
    await addressed.addRealm('north');
    await expect(asked('/admin/installation/first-steps')).resolves.toMatchObject({
      resolver: true,
      user: false,
      empty_resolver: 'north',
    });
    await addressed.addUser('anna', 'north');
    await asked('/admin/setting/set', { key: 'BackupElsewhere', value: 'True' });
    await expect(asked('/admin/installation/first-steps')).resolves.toMatchObject({ backup: true });
    await asked('/admin/setting/remove', { key: 'BackupElsewhere' });
    await expect(asked('/admin/installation/first-steps')).resolves.toMatchObject({ backup: false });
    await policy('url', 'authentication', `qrtanurl=${ADDRESS}`, 'north');
    await addressed.enrolPlain('OCRA1', 'OCRA-1:HOTP-SHA256-8:QN08', { user: 'anna', realm: 'north' });
    const recipient = await identityToRecipient(await generateX25519Identity());
    await addressed.services.backups.export(OPERATOR, {
      lock: { recipients: [recipient] },
      version: 'test',
      write: () => Promise.resolve(),
    });
    await expect(asked('/admin/installation/first-steps')).resolves.toEqual({
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
});

describe('the answer address of a token that is to be enrolled', () => {
  it('is given by a policy that covers it, and proposed where none would change for others', async () => {
    await addressed.addRealm('south', ['bert']);
    const found = (count: number, realm: string | null): object => ({
      address_count: count,
      realm,
      proposed_address: ADDRESS,
    });
    const address = (parameters: object): Promise<unknown> => asked('/admin/answer-address', parameters);
    await expect(address({ user: 'anna', realm: 'north' })).resolves.toEqual(found(1, null));
    await expect(address({ serial: 'OCRA1' })).resolves.toEqual(found(1, null));
    await expect(address({ user: 'bert', realm: 'south' })).resolves.toEqual(found(0, 'south'));
    await expect(address({})).resolves.toEqual(found(0, null));
    await policy('other', 'authentication', `qrtanurl=${ADDRESS}/`, 'north');
    await expect(address({ user: 'anna', realm: 'north' })).resolves.toEqual(found(2, null));
  });

  it('is told to a helpdesk for its own realms alone, and tells nothing of other serials', async () => {
    const { administrators } = addressed.services;
    await administrators.add(OPERATOR, 'desk', 'correct horse battery');
    await policy('admins', 'admin', '*', '*', 'admin');
    await policy('desk', 'admin', 'init', 'south', 'desk');
    const { token } = await administrators.addApiToken(OPERATOR, 'desk', { name: 'test', rights: ['*'] });
    const headers = { Authorization: `Bearer ${token}` };
    const refusal = async (parameters: Record<string, string>): Promise<string> => {
      const answer = await addressed.send('/admin/answer-address', parameters).set(headers);
      const { result } = answer.body as { result: { error?: { message: string } } };
      return result.error?.message ?? '';
    };
    await expect(refusal({ user: 'bert', realm: 'south' })).resolves.toBe('');
    await expect(refusal({ user: 'anna', realm: 'north' })).resolves.not.toBe('');
    const KNOWN = await refusal({ serial: 'OCRA1' });
    expect(KNOWN).toContain('ERR410');
    await expect(refusal({ serial: 'NONE' })).resolves.toBe(KNOWN);
  });
});
