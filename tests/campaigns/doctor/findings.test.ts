import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { examineInstallation } from '../../../src/compose/examine-installation.ts';
import { type Installation, openInstallation } from '../../../src/compose/open-installation.ts';
import { type Config, loadConfig } from '../../../src/config/config.ts';
import type { Finding } from '../../../src/doctor/finding.ts';
import { createTestDatabase, databaseOfTests } from '../../support/database/test-database.ts';
import { OPERATOR } from '../../support/values/callers.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import type { PolicyDraft } from '../../../src/policy/policy.ts';
import { insertTokens } from '../../support/database/token-rows.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { CERTIFICATE_2030 } from '../../support/values/certificate.ts';

const ignored = (): void => undefined;

const LOG = { error: ignored, warn: ignored, info: ignored, debug: ignored };

const HOUR = 3_600_000;

const DAY = 24 * HOUR;

const WRONG_KEY = Buffer.alloc(32, 9).toString('base64');

let config: Config;
let installation: Installation;
let services: Installation['services'];
afterAll(() => installation.close());
const folder = temporaryFolder();
const test = databaseOfTests();

/** An installation with a key, a user, a token and a realm, without faults of its own. */
beforeAll(async () => {
  config = loadConfig({ DATABASE_URL: test.url, DATA_DIR: folder, TRUST_PROXY: 'loopback' });
  // A server, not a command, makes the key.
  await (await openInstallation(config, 'server', LOG)).close();
  installation = await openInstallation(config, 'command', LOG);
  ({ services } = installation);
  await services.administrators.ensureFirstAdministrator();
  await services.resolvers.set(OPERATOR, { name: 'people', kind: 'managed', settings: {} });
  await services.users.add(OPERATOR, { resolver: 'people', login: 'ann' });
  await services.realms.set(OPERATOR, { name: 'office', resolvers: ['people'] });
  await insertTokens(test.database, [{ serial: 'Q1', realms: ['office'] }]);
  await sql(`UPDATE tokens SET type = 'ocra2' WHERE serial = 'Q1'`);
  await setPolicy({ name: 'url', action: URL_ACTION, realm: 'office' });
});

/** @param later milliseconds by which the clock of the examination is ahead */
function examine(later = 0): Promise<readonly Finding[]> {
  return examineInstallation(config, { clock: { now: () => new Date(Date.now() + later) } });
}

async function sql(...statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    await test.database.knex.raw(statement);
  }
}

/** Runs work as a command, which reads the keys when it starts. */
async function command<T>(work: (services: Installation['services']) => Promise<T>): Promise<T> {
  const own = await openInstallation(config, 'command', LOG);
  return work(own.services).finally(() => own.close());
}

const URL_ACTION = 'qrtanurl=https://tan.example.org/ocra/check_t';

const ADMIN = { scope: 'admin', action: 'show', realm: 'office', user: 'bert' };

const setPolicy = (draft: Partial<PolicyDraft>): Promise<unknown> =>
  services.policies.set(OPERATOR, { name: 'p', scope: 'authentication', action: '', ...draft });

const removePolicy = (name = 'p'): Promise<unknown> => services.policies.remove(OPERATOR, name);

const setResolver =
  (kind: string, settings: Readonly<Record<string, string>> = {}) =>
  (): Promise<unknown> =>
    services.resolvers.set(OPERATOR, { name: 'other', kind, settings });

const removeResolver = (): Promise<unknown> => services.resolvers.remove(OPERATOR, 'other');

const alterAudit = (from: string, to: string): Promise<void> =>
  sql(
    `DO $$ BEGIN SET LOCAL tankeeper.audit = 'open';
      UPDATE audit SET outcome = '${to}' WHERE outcome = '${from}'; END $$`,
  );

const makeQr = (serial: string, set: string) => async (): Promise<void> => {
  await insertTokens(test.database, [{ serial, realms: [] }]);
  await sql(`UPDATE tokens SET ${set} WHERE serial = '${serial}'`);
};

const removeToken = (serial: string) => (): Promise<void> =>
  sql(`DELETE FROM tokens WHERE serial = '${serial}'`);

/** @returns the finding of a code; undefined: there is none */
async function find(code: string, later = 0) {
  return (await examine(later)).find((finding) => finding.code === code);
}

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

const TLS = { ...LDAP, EnforceTLS: 'True' };

it('an installation in order has no finding but of the server of the tests, and is only read', async () => {
  const before = await state();
  const codes = (await examine()).map(({ code }) => code);
  expect(codes.filter((code) => code !== 'database.settings')).toEqual([]);
  expect(await state()).toBe(before);
});

/** @returns a hash of every table */
async function state(): Promise<string> {
  const names = await test.rows<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY 1`,
  );
  const hashes = names.map(
    ({ name }) => `(SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM ${name} AS t)`,
  );
  const [row] = await test.rows<{ hash: string }>(`SELECT concat_ws(' ', ${hashes.join(', ')}) AS hash`);
  return row?.hash ?? '';
}

type Act = () => Promise<unknown>;

it.each<[code: string, severity: string, what: string, provoke: Act, remedy: Act]>([
  [
    'tables.incomplete',
    'error',
    'a table that is gone',
    () => sql('ALTER TABLE used_sign_ons RENAME TO elsewhere'),
    () => sql('ALTER TABLE elsewhere RENAME TO used_sign_ons'),
  ],
  [
    'key.exposed',
    'warning',
    'a key file that others read',
    () => chmod(config.encryptionKeyFile, 0o644),
    () => chmod(config.encryptionKeyFile, 0o600),
  ],
  [
    'key.exposed',
    'warning',
    'a folder of the key file that others write',
    () => chmod(folder, 0o777),
    () => chmod(folder, 0o700),
  ],
  [
    'key.unavailable',
    'error',
    'a key file that is gone',
    () => rename(config.encryptionKeyFile, `${config.encryptionKeyFile}.away`),
    // It was not made anew.
    () => rename(`${config.encryptionKeyFile}.away`, config.encryptionKeyFile),
  ],
  [
    'counters.drifted',
    'error',
    'a count that is wrong',
    () => sql('SELECT fold_counts(1000)', 'UPDATE token_counts SET tokens = tokens + 7'),
    () => services.counts.repair(OPERATOR),
  ],
  [
    'triggers.disabled',
    'error',
    'triggers and foreign keys of a table',
    () => sql('ALTER TABLE tokens DISABLE TRIGGER ALL'),
    () =>
      sql(
        'ALTER TABLE tokens ENABLE TRIGGER ALL',
        'ALTER TABLE tokens ENABLE ALWAYS TRIGGER tokens_count_version',
      ),
  ],
  [
    'realms.no-qrtanurl',
    'warning',
    'tokens of a realm',
    () => removePolicy('url'),
    () => setPolicy({ name: 'url', action: URL_ACTION, realm: 'office' }),
  ],
  ['realms.no-qrtanurl', 'warning', 'one in no realm', makeQr('Q2', "type = 'ocra2'"), removeToken('Q2')],
  [
    'realms.no-qrtanurl',
    'warning',
    'one that an app has rolled out',
    makeQr('R1', "type = 'ocra', shared_secret = '\\x00'"),
    removeToken('R1'),
  ],
  [
    'realms.ambiguous-qrtanurl',
    'error',
    'two policies',
    () => setPolicy({ name: 'second', action: 'qrtanurl=https://other.example.org', realm: '*' }),
    () => removePolicy('second'),
  ],
  [
    'policies.unreadable',
    'error',
    'an unknown scope',
    async () => {
      await setPolicy(ADMIN);
      await sql(
        'ALTER TABLE policies DROP CONSTRAINT IF EXISTS policies_scope_known',
        `UPDATE policies SET scope = 'adnim', active = true WHERE name = 'p'`,
      );
    },
    removePolicy,
  ],
  [
    'policies.unknown-names',
    'warning',
    'an action',
    async () => {
      await setPolicy(ADMIN);
      await sql(`UPDATE policies SET action = '*, !shwo' WHERE name = 'p'`);
    },
    () => removePolicy(),
  ],
  [
    'policies.unknown-names',
    'warning',
    'a realm and a resolver, but not those that LinOTP gives its administrators',
    () => setPolicy({ ...ADMIN, realm: 'offize,office', user: '!pepole:, *' }),
    async () => {
      await setPolicy({ ...ADMIN, user: '*@linotp_admins, LinOTP_local_admins:, *@office, people:' });
      expect(await find('policies.unknown-names')).toBeUndefined();
      await removePolicy();
    },
  ],
  [
    'resolvers.unavailable',
    'error',
    'the file of one',
    async () => {
      const file = join(folder, 'passwd');
      await writeFile(file, 'bob:x:1001:1001:Bob::\n');
      await setResolver('passwd', { fileName: file })();
      await rm(file);
    },
    removeResolver,
  ],
  ['resolvers.insecure', 'warning', 'LDAP in clear', setResolver('ldap', LDAP), setResolver('ldap', TLS)],
  [
    'resolvers.insecure',
    'warning',
    'LDAP without verification',
    setResolver('ldap', { ...TLS, only_trusted_certs: 'False' }),
    setResolver('ldap', { ...LDAP, LDAPURI: 'ldaps://directory.invalid' }),
  ],
  [
    'resolvers.insecure',
    'warning',
    'SQL in clear, but not on this machine',
    () => removeResolver().then(setResolver('sql', SQL)),
    setResolver('sql', { ...SQL, Server: 'localhost', Port: '1' }),
  ],
  [
    'resolvers.insecure',
    'warning',
    'SQL without verification',
    setResolver('sql', { ...SQL, conParams: 'sslmode=require' }),
    setResolver('sql', { ...SQL, conParams: 'sslmode=verify-full' }),
  ],
  [
    'audit.altered',
    'error',
    'a row that somebody has changed',
    async () => {
      await services.settings.set(OPERATOR, new Map([['OcraMaxChallenges', '4']]));
      await services.auditSealer.sealAll();
      await alterAudit('stored', 'forged');
    },
    () => alterAudit('forged', 'stored'),
  ],
])('%s (%s) comes and goes with %s', async (code, severity, _what, provoke, remedy) => {
  expect(await find(code)).toBeUndefined();
  await provoke();
  const found = await find(code);
  await remedy();
  expect(found).toMatchObject({ severity, text: expect.any(String), remedy: expect.any(String) });
  expect(await find(code)).toBeUndefined();
});

it('a disabled trigger of somebody else is no finding', async () => {
  await sql(
    'CREATE FUNCTION theirs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
    'CREATE TRIGGER theirs AFTER INSERT ON tokens EXECUTE FUNCTION theirs()',
    'ALTER TABLE tokens DISABLE TRIGGER theirs',
  );
  expect(await find('triggers.disabled')).toBeUndefined();
  await sql('DROP FUNCTION theirs CASCADE');
});

it('another key in the key file is a finding, and is not shown', async () => {
  const right = await readFile(config.encryptionKeyFile, 'utf8');
  await writeFile(config.encryptionKeyFile, `${WRONG_KEY}\n`);
  const findings = await examine();
  await writeFile(config.encryptionKeyFile, right);
  expect(findings.map(({ code }) => code)).toContain('key.unavailable');
  expect(JSON.stringify(findings)).not.toContain(WRONG_KEY);
});

it('a database before its first server has no finding about keys, and no key is made', async () => {
  const fresh = await createTestDatabase();
  const empty = join(folder, 'empty');
  const findings = await examineInstallation(loadConfig({ DATABASE_URL: fresh.url, DATA_DIR: empty }));
  await fresh.drop();
  expect(findings.filter(({ code }) => code.startsWith('key.'))).toEqual([]);
  await expect(readFile(join(empty, 'encryption.key'))).rejects.toThrow('ENOENT');
});

it.each([10_000, -10_000])('clock.differs is there for a difference of %i ms', async (later) => {
  expect(await find('clock.differs', later)).toMatchObject({ severity: 'warning' });
  expect(await find('clock.differs')).toBeUndefined();
});

it('backup.old is there a week after the installation, and after an export', async () => {
  expect(await find('backup.old', 8 * DAY)).toMatchObject({ text: expect.stringContaining('no backup') });
  const recipient = await identityToRecipient(await generateX25519Identity());
  await services.backups.export(OPERATOR, {
    lock: { recipients: [recipient] },
    version: 'test',
    write: () => Promise.resolve(),
  });
  expect(await find('backup.old')).toBeUndefined();
  expect(await find('backup.old', 8 * DAY)).toMatchObject({
    text: expect.stringContaining('its last backup'),
  });
  await services.settings.set(OPERATOR, new Map([['BackupElsewhere', 'True']]));
  expect(await find('backup.old', 8 * DAY)).toBeUndefined();
  await services.settings.remove(OPERATOR, 'BackupElsewhere');
});

it('audit.unsealed is there after an hour, and goes with a checkpoint', async () => {
  await services.settings.set(OPERATOR, new Map([['OcraMaxChallenges', '5']]));
  expect(await find('audit.unsealed', 2 * HOUR)).toMatchObject({ severity: 'warning' });
  await services.auditSealer.sealAll();
  expect(await find('audit.unsealed', 2 * HOUR)).toBeUndefined();
});

it('ends.soon names an API token with its administrator, and a certificate, from 14 days before on', async () => {
  const { administrators } = services;
  await administrators.addApiToken(OPERATOR, 'admin', {
    name: 'nagios',
    rights: ['monitoring:*'],
    expires: new Date(Date.now() + 20 * DAY).toISOString(),
  });
  await removeResolver();
  await setResolver('ldap', { ...TLS, CACERTIFICATE: CERTIFICATE_2030 })();
  const texts = async (later: number): Promise<readonly string[]> =>
    (await examine(later)).filter(({ code }) => code === 'ends.soon').map(({ text }) => text);
  expect(await texts(0)).toEqual([]);
  expect(await texts(10 * DAY)).toEqual([expect.stringMatching(/^the API token nagios of admin ends on /)]);
  expect(await texts(Date.parse('2029-12-20') - Date.now())).toEqual([
    expect.stringMatching(/^a certificate in CACERTIFICATE of the resolver other ends on /),
  ]);
  await removeResolver();
});

describe('a lock that another holds', () => {
  it('makes what waits for it a finding, and nothing else', async () => {
    const findings = await test.database.knex.transaction(async (sql) => {
      await sql.raw('LOCK TABLE audit IN ACCESS EXCLUSIVE MODE');
      return examineInstallation(config, { timeoutMs: 5_000 });
    });
    const late = findings.filter(({ code }) => code === 'doctor.incomplete').map(({ text }) => text);
    expect(late.map((text) => text.split(' ')[0])).toEqual(
      expect.arrayContaining(['backup.old', 'audit.altered']),
    );
    expect(await find('doctor.incomplete')).toBeUndefined();
  });
});

// Last: the installation of this file has read its keys before.
it('key.rotation is there a week after a change of the key, until the former one is retired', async () => {
  const former = (await services.keys.list(false))[0]?.keyId ?? '';
  await command(({ keys }) => keys.add(OPERATOR));
  expect(await find('key.rotation', 8 * DAY)).toMatchObject({
    text: expect.stringContaining('seals nothing'),
  });
  await command(({ keys }) => keys.rotate(OPERATOR));
  expect(await find('key.rotation')).toBeUndefined();
  expect(await find('key.rotation', 8 * DAY)).toMatchObject({ text: expect.stringContaining(former) });
  await command(({ keys }) => keys.retire(OPERATOR, former));
  expect(await find('key.rotation', 8 * DAY)).toBeUndefined();
});
