import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Severity } from '../../../src/doctor/examination.ts';
import type { PolicyDraft } from '../../../src/policy/policy.ts';
import { insertTokens } from '../../support/database/token-rows.ts';
import { OPERATOR } from '../../support/values/callers.ts';
import { ExaminedInstallation, expectToComeAndGo } from './examined-installation.ts';

let house: ExaminedInstallation;

beforeAll(async () => {
  house = await ExaminedInstallation.create();
});
afterAll(() => house.close());

const setPolicy = (draft: Partial<PolicyDraft>): Promise<unknown> =>
  house.services.policies.set(OPERATOR, { name: 'p', scope: 'authentication', action: '', ...draft });
const removePolicy = (name = 'p'): Promise<unknown> => house.services.policies.remove(OPERATOR, name);

describe('resolvers', () => {
  const set = (kind: string, settings: Readonly<Record<string, string>>): Promise<void> =>
    house.services.resolvers.set(OPERATOR, { name: 'other', kind, settings });
  const remove = (): Promise<void> => house.services.resolvers.remove(OPERATOR, 'other');

  it('resolvers.unavailable comes and goes with the file of one', async () => {
    const file = join(house.folder, 'passwd');
    await set('passwd', { fileName: file });
    await writeFile(file, 'bob:x:1001:1001:Bob::\n');
    await expectToComeAndGo(
      house,
      ['resolvers.unavailable', 'error'],
      () => rm(file),
      () => writeFile(file, 'bob:x:1001:1001:Bob::\n'),
    );
    await remove();
  });

  it('resolvers.empty comes and goes with the only user', async () => {
    await expectToComeAndGo(
      house,
      ['resolvers.empty', 'note'],
      () => house.services.users.remove(OPERATOR, { resolver: 'people', login: 'ann' }),
      () => house.services.users.add(OPERATOR, { resolver: 'people', login: 'ann' }),
    );
  });

  it('resolvers.unused comes and goes with one in no realm', async () => {
    await expectToComeAndGo(house, ['resolvers.unused', 'note'], () => set('managed', {}), remove);
  });

  const LDAP = {
    LDAPURI: 'ldap://directory.invalid',
    LDAPBASE: 'dc=example',
    TIMEOUT: '1',
    LOGINNAMEATTRIBUTE: 'uid',
    LDAPSEARCHFILTER: '(uid=*)',
    LDAPFILTER: '(uid=%s)',
    USERINFO: '{}',
  };
  const SQL = {
    Driver: 'postgresql',
    Server: 'db.invalid',
    Database: 'd',
    User: 'u',
    Table: 't',
    Map: '{"userid":"id","username":"login"}',
  };
  it.each([
    ['resolvers.no-tls', 'ldap', LDAP, { ...LDAP, EnforceTLS: 'True' }],
    ['resolvers.no-tls', 'ldap', LDAP, { ...LDAP, LDAPURI: 'ldaps://directory.invalid' }],
    ['resolvers.no-tls', 'ldap', LDAP, { ...LDAP, LDAPURI: 'ldap://127.0.0.1:1' }],
    [
      'resolvers.unverified-tls',
      'ldap',
      { ...LDAP, EnforceTLS: 'True', only_trusted_certs: 'False' },
      { ...LDAP, EnforceTLS: 'True' },
    ],
    ['resolvers.no-tls', 'sql', SQL, { ...SQL, conParams: 'sslmode=verify-full' }],
    ['resolvers.no-tls', 'sql', SQL, { ...SQL, Server: 'localhost', Port: '1' }],
    [
      'resolvers.unverified-tls',
      'sql',
      { ...SQL, conParams: 'sslmode=require' },
      { ...SQL, conParams: 'sslmode=verify-full' },
    ],
  ])('%s comes and goes with the settings of a resolver (%s)', async (code, kind, wrong, right) => {
    await expectToComeAndGo(
      house,
      [code, 'warning'],
      () => set(kind, wrong),
      () => set(kind, right),
    );
    await remove();
  });
});

describe('realms and the qrtanurl of their tokens', () => {
  const URL_ACTION = 'qrtanurl=https://tan.example.org/ocra/check_t';

  beforeAll(async () => {
    await insertTokens(house.test.database, [{ serial: 'Q1', realms: ['office'] }]);
    await house.sql(`UPDATE tokens SET type = 'ocra2' WHERE serial = 'Q1'`);
  });
  afterAll(() => house.sql('DELETE FROM tokens'));
  beforeEach(() => setPolicy({ name: 'url', action: URL_ACTION, realm: 'office' }));

  it.each<[string, Severity, () => Promise<unknown>, () => Promise<unknown>]>([
    [
      'realms.no-qrtanurl',
      'warning',
      () => removePolicy('url'),
      () => setPolicy({ name: 'url', action: URL_ACTION, realm: '*' }),
    ],
    [
      'realms.no-qrtanurl',
      'warning',
      () => insertTokens(house.test.database, [{ serial: 'Q2', realms: [] }]).then(() => makeQr('Q2')),
      () => house.sql(`DELETE FROM tokens WHERE serial = 'Q2'`),
    ],
    [
      'realms.no-qrtanurl',
      'warning',
      async () => {
        await insertTokens(house.test.database, [{ serial: 'R1', realms: [] }]);
        await house.sql(`UPDATE tokens SET type = 'ocra', shared_secret = '\\x00' WHERE serial = 'R1'`);
      },
      () => house.sql(`DELETE FROM tokens WHERE serial = 'R1'`),
    ],
    [
      'realms.ambiguous-qrtanurl',
      'error',
      () => setPolicy({ name: 'second', action: 'qrtanurl=https://other.example.org', realm: '*' }),
      () => removePolicy('second'),
    ],
    [
      'realms.partial-qrtanurl',
      'note',
      () => setPolicy({ name: 'url', action: URL_ACTION, realm: 'office', client: '192.0.2.0/24' }),
      () => setPolicy({ name: 'url', action: URL_ACTION, realm: 'office' }),
    ],
    [
      'realms.no-default',
      'note',
      () => house.services.realms.setDefault(OPERATOR, null),
      () => house.services.realms.setDefault(OPERATOR, 'office'),
    ],
    [
      'realms.none',
      'note',
      () => house.services.realms.remove(OPERATOR, 'office'),
      () => house.services.realms.set(OPERATOR, { name: 'office', resolvers: ['people'] }),
    ],
  ])('%s (%s) comes and goes', async (code, severity, provoke, remedy) => {
    await expectToComeAndGo(house, [code, severity], provoke, remedy);
  });

  function makeQr(serial: string): Promise<void> {
    return house.sql(`UPDATE tokens SET type = 'ocra2' WHERE serial = '${serial}'`);
  }
});

describe('what the database keeps of the installation', () => {
  it.each([
    ['a trigger', 'TRIGGER tokens_count_update', 'tokens.tokens_count_update'],
    ['all of a table, with its foreign keys', 'TRIGGER ALL', 'tokens.tokens_'],
  ])('triggers.disabled comes and goes with %s', async (_what, which, named) => {
    await expectToComeAndGo(
      house,
      ['triggers.disabled', 'error'],
      async () => {
        await house.sql(`ALTER TABLE tokens DISABLE ${which}`);
        const { findings } = await house.examine();
        expect(findings.find(({ code }) => code === 'triggers.disabled')?.text).toContain(named);
      },
      () =>
        house.sql(
          `ALTER TABLE tokens ENABLE ${which}`,
          'ALTER TABLE tokens ENABLE ALWAYS TRIGGER tokens_count_version',
        ),
    );
  });

  it('a disabled trigger of somebody else is no finding', async () => {
    await house.sql(
      'CREATE FUNCTION theirs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
      'CREATE TRIGGER theirs AFTER INSERT ON tokens EXECUTE FUNCTION theirs()',
      'ALTER TABLE tokens DISABLE TRIGGER theirs',
    );
    expect(await house.codes()).not.toContain('triggers.disabled');
    await house.sql('DROP FUNCTION theirs CASCADE');
  });

  it('webhooks.failing comes and goes with the last delivery', async () => {
    await house.services.webhooks.add(OPERATOR, {
      name: 'siem',
      url: 'https://192.0.2.1/',
      events: ['token.locked'],
    });
    const state = (facts: string): Promise<void> =>
      house.sql(
        'DELETE FROM webhook_health',
        `INSERT INTO webhook_health (webhook_id, ${facts.replaceAll(/ = '[^']*'/g, '')})
         SELECT id, ${facts.replaceAll(/\w+ = /g, '')} FROM webhooks`,
      );
    const failed = "last_failure_at = '2026-11-20T10:00Z', last_failure = 'HTTP 500'";
    await expectToComeAndGo(
      house,
      ['webhooks.failing', 'warning'],
      () => state(failed),
      () => state(`${failed}, last_success_at = '2026-11-20T11:00Z'`),
    );
    await state(`${failed}, last_success_at = '2026-11-20T09:00Z'`);
    const { findings } = await house.examine();
    expect(findings.find(({ code }) => code === 'webhooks.failing')?.text).toMatch(
      /webhook siem fail, none since 2026-11-20T09:00:00.000Z: HTTP 500/,
    );
    await house.sql('UPDATE webhooks SET is_enabled = false');
    expect(await house.codes()).not.toContain('webhooks.failing');
    await house.services.webhooks.remove(OPERATOR, 'siem');
  });
});

describe('unknown names in policies', () => {
  const ADMIN = { scope: 'admin', action: 'show', realm: 'office', user: 'bert' };

  it('an unknown scope: policies.unreadable comes and goes', async () => {
    await setPolicy(ADMIN);
    await house.sql('ALTER TABLE policies DROP CONSTRAINT IF EXISTS policies_scope_known');
    await expectToComeAndGo(
      house,
      ['policies.unreadable', 'error'],
      () => house.sql(`UPDATE policies SET scope = 'adnim', active = true WHERE name = 'p'`),
      () => setPolicy(ADMIN),
    );
    await removePolicy();
  });

  it('policies.unreadable-inactive is one note for all that an import brings', async () => {
    await setPolicy({ ...ADMIN, active: false });
    await setPolicy({ ...ADMIN, name: 'q', active: false });
    await expectToComeAndGo(
      house,
      ['policies.unreadable-inactive', 'note'],
      () => house.sql(`UPDATE policies SET action = '*, !shwo' WHERE name IN ('p', 'q')`),
      async () => {
        const { findings } = await house.examine();
        expect(findings.filter(({ code }) => code === 'policies.unreadable-inactive')).toHaveLength(1);
        await removePolicy('q');
        await removePolicy('p');
      },
    );
  });

  it.each(['show, shwo', '*, !shwo'])('policies.unknown-action comes and goes with %s', async (action) => {
    await setPolicy(ADMIN);
    await expectToComeAndGo(
      house,
      ['policies.unknown-action', 'warning'],
      () => house.sql(`UPDATE policies SET action = '${action}' WHERE name = 'p'`),
      () => setPolicy(ADMIN),
    );
    await removePolicy();
  });

  it.each([
    ['policies.unknown-realm', { realm: 'offize,office' }],
    ['policies.unknown-user', { user: '*@offize' }],
    ['policies.unknown-user', { user: '!pepole:, *' }],
  ])('%s comes and goes with %j', async (code, wrong) => {
    await expectToComeAndGo(
      house,
      [code, 'warning'],
      () => setPolicy({ ...ADMIN, ...wrong }),
      () => setPolicy(ADMIN),
    );
    await removePolicy();
  });

  it('are not those that LinOTP gives its administrators', async () => {
    await setPolicy({ ...ADMIN, user: '*@linotp_admins, LinOTP_local_admins:, *@office, people:' });
    expect((await house.codes()).filter((code) => code.startsWith('policies.'))).toEqual([]);
    await removePolicy();
  });
});

describe('configuration values', () => {
  const remove = (key: string) => (): Promise<void> => house.services.settings.remove(OPERATOR, key);

  it('settings.unknown comes and goes with a misspelt one', async () => {
    const entries = new Map([['OcraMaxChalenges', '5']]);
    await expectToComeAndGo(
      house,
      ['settings.unknown', 'note'],
      () => house.services.settings.set(OPERATOR, entries),
      remove('OcraMaxChalenges'),
    );
  });

  it('settings.invalid comes and goes with a value that was changed by hand', async () => {
    await house.services.settings.set(OPERATOR, new Map([['OcraMaxChallenges', '5']]));
    await expectToComeAndGo(
      house,
      ['settings.invalid', 'error'],
      () => house.sql(`UPDATE configuration SET value = 'many'`),
      remove('OcraMaxChallenges'),
    );
  });
});

// Last: the installation of this file has read its keys before.
describe('the change of a key', () => {
  it('is a note, after a week a warning, until the former key is retired', async () => {
    const former = (await house.services.keys.show(false)).keys[0]?.keyId ?? '';
    const codes: (readonly string[])[] = [];
    const note = async (): Promise<void> => {
      codes.push((await house.codes()).filter((code) => code.startsWith('key.')));
    };
    await note();
    await house.command(({ keys }) => keys.add(OPERATOR));
    await note();
    await house.command(({ keys }) => keys.rotate(OPERATOR));
    await note();
    const later = await house.examine(8 * 86_400_000);
    expect(later.findings).toContainEqual(
      expect.objectContaining({
        code: 'key.rotation',
        severity: 'warning',
        text: `the former key ${former} is not retired, 8 days after another key took its place`,
        remedy: expect.stringContaining(`tankeeper keys retire ${former}`),
      }),
    );
    await house.command(({ keys }) => keys.retire(OPERATOR, former));
    await note();
    expect(codes).toEqual([[], ['key.never-used'], ['key.rotation'], []]);
  });
});
