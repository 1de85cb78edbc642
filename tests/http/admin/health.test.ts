import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Response } from 'supertest';
import { AuditReading } from '../../../src/audit/audit-reading.ts';
import { InstallationStore } from '../../../src/doctor/installation-store.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { BoundedAdministrators } from '../../support/application/bounded-administrators.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';
import { queryOnce } from '../../support/database/test-server.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

interface Finding {
  readonly code: string;
  readonly severity: string;
  readonly remedy: string;
}

interface Health {
  readonly installation: {
    readonly findings: readonly Finding[];
    readonly last_backup: string | null;
    readonly webhooks: readonly object[];
    readonly servers: readonly string[];
    readonly resolvers: readonly object[];
  } | null;
  readonly responses: Readonly<Record<'day' | 'week' | 'month', object>> | null;
  readonly refused: readonly { readonly serial: string }[] | null;
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
     INSERT INTO response_minutes (minute, outcome, durations) VALUES
       (now() - interval '1 hour', 'accepted', '{3,1}'), (now() - interval '2 hours', 'wrong', '{2}'),
       (now() - interval '2 hours', 'declined', '{4}'), (now() - interval '2 hours', 'reported', '{8}'),
       (now() - interval '3 days', 'expired', '{5}'), (now() - interval '20 days', 'locked', '{7}'),
       (now() - interval '40 days', 'accepted', '{9}');
     INSERT INTO key_holders (id, place, key_ids, sealing_key) VALUES ('one', 'tan1:4711 (1.0.0)', '{}', '')`,
  );
});
afterAll(() => application.close());

function healthOf({ body }: Response): Health {
  return (body as { readonly result: { readonly value: Health } }).result.value;
}

function refusalOf({ body }: Response): string {
  return (body as { readonly result: { readonly error: { readonly message: string } } }).result.error.message;
}

describe('GET /system/health', () => {
  it('tells findings with their remedies, the backup, webhooks, servers and resolvers', async () => {
    const walk = jest.spyOn(InstallationStore.prototype, 'realmsOfQrTokens');
    const { installation } = healthOf(await application.asAdmin('/system/health', {}, 'get'));
    expect(walk).not.toHaveBeenCalled();
    expect(installation?.findings).toContainEqual({
      severity: 'note',
      code: 'addresses.no-proxy',
      text: expect.stringContaining('trusts no proxy'),
      remedy: 'TRUST_PROXY=loopback',
    });
    expect(installation?.findings.map(({ code }) => code)).toContain('backup.none');
    expect(installation?.findings.filter(({ code }) => /\.(?:failed|overdue)$/.test(code))).toEqual([]);
    expect(installation).toMatchObject({
      last_backup: null,
      webhooks: [{ name: 'siem', given_up: 1, waiting: 0, enabled: true }],
      servers: ['tan1:4711 (1.0.0)'],
      resolvers: [
        { resolver: 'north', state: 'available' },
        { resolver: 'south', state: 'available' },
      ],
    });
    expect(JSON.stringify(installation)).not.toContain('secret-path');
  });

  it('sums the responses of a day, a week and a month from kept numbers', async () => {
    const { responses } = healthOf(await application.asAdmin('/system/health', {}, 'get'));
    expect(responses).toMatchObject({
      day: { accepted: 4, refused: 2, expired: 0 },
      week: { accepted: 4, refused: 2, expired: 5 },
      month: { accepted: 4, refused: 9, expired: 5 },
    });
  });

  it('names the newest users with refused responses', async () => {
    const { refused } = healthOf(await application.asAdmin('/system/health', {}, 'get'));
    expect(refused).toEqual([
      {
        serial: 'N1',
        owner: { user: 'anna', resolver: 'north', realm: 'north' },
        locked: false,
        refusals: 2,
        last: expect.any(String),
      },
      expect.objectContaining({ serial: 'S1', refusals: 1 }),
    ]);
  });

  it('tells the rest while too many search the audit', async () => {
    const busy = new ServiceError('server.busy', 'busy');
    const search = jest.spyOn(AuditReading.prototype, 'page').mockRejectedValue(busy);
    const health = healthOf(await application.asAdmin('/system/health', {}, 'get'));
    search.mockRestore();
    expect(health).toMatchObject({ installation: { last_backup: null }, refused: null });
  });

  it('shows an administrator of one realm the refused users of this realm alone', async () => {
    const shown = healthOf(await administrators.get('northern', '/system/health', {}));
    expect(shown).toEqual({
      installation: null,
      responses: null,
      refused: [expect.objectContaining({ serial: 'N1', owner: expect.objectContaining({ user: 'anna' }) })],
    });
  });

  it('names no owner to those who may not see tokens', async () => {
    const { refused } = healthOf(await administrators.get('counting', '/system/health', {}));
    expect(refused).toEqual([
      expect.objectContaining({ serial: 'N1', owner: null }),
      expect.objectContaining({ serial: 'S1', owner: null }),
    ]);
  });

  it('shows nothing to an API token without any of its rights', async () => {
    const { token } = await application.services.administrators.addApiToken(OPERATOR, 'admin', {
      name: 'enabling',
      rights: ['admin:enable'],
    });
    const answer = await application.send('/system/health', {}).set('Authorization', `Bearer ${token}`);
    expect(refusalOf(answer)).toMatch(/^ERR410/);
  });

  it('and an administrator without any of them is refused', async () => {
    expect(refusalOf(await administrators.get('nobody', '/system/health', {}))).toMatch(/^ERR410/);
  });

  it('counts the response that uses a transaction up as refused', async () => {
    await application.services.settings.set(OPERATOR, new Map([['OcraMaxChallengeRequests', '1']]));
    const { transactionid } = await application.challenge('S1', '12345678');
    await application.check(transactionid, '00000000');
    const { refused } = healthOf(await application.asAdmin('/system/health', {}, 'get'));
    expect(refused).toContainEqual(expect.objectContaining({ serial: 'S1', refusals: 2 }));
  });
});
