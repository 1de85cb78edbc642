import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { readOcraSettings } from '../../../src/configuration/settings.ts';
import { LocalTime } from '../../../src/linotp/linotp-source.ts';
import { checkPin } from '../../../src/tokens/token-settings.ts';
import { applicationOfTests } from '../../support/application/test-application.ts';
import { findMariadb, type Mariadb, startMariadb } from '../../support/servers/mariadb.ts';
import {
  type Expected,
  type ExpectedToken,
  expectedOf,
  FIXTURES,
  type FixtureName,
  fixtureFile,
  type Imported,
  importFixture,
  loadIntoMariadb,
} from '../../linotp/linotp-fixture.ts';
import { opened, type StoredRow, storedTokens, wholeContent } from '../../linotp/stored-installation.ts';

const berlin = new LocalTime('Europe/Berlin');
/** Resolvers of directories and databases that do not exist any more: their users have no login here. */
const ROLLOUTS = { phase1: 'phase1', phase2_open: 'phase2', ready: 'complete' };

const hex = (bytes: Buffer | null): string | null => bytes?.toString('hex') ?? null;
const text = (bytes: Buffer | null): string | null => bytes?.toString('utf8') ?? null;

const programs = findMariadb();
let mariadb: Mariadb | undefined;

beforeAll(async () => {
  mariadb = programs && (await startMariadb(programs));
});

afterAll(() => mariadb?.remove());

/** @returns a live database that has loaded the dump; undefined: `importFixture` loads it */
async function loadDump(fixture: FixtureName): Promise<string | undefined> {
  return mariadb !== undefined && isOfMariadb(fixture)
    ? loadIntoMariadb(
        mariadb,
        `linotp_${fixture[0] ?? ''}`,
        await readFile(fixtureFile(fixture, 'dump.sql'), 'utf8'),
      )
    : undefined;
}

const isOfMariadb = (fixture: FixtureName): boolean => fixture.includes('mariadb');
const fixtures = FIXTURES.filter((fixture) => programs !== undefined || !isOfMariadb(fixture));

describe.each(fixtures)('the fixture %s', (fixture) => {
  let source: { place?: string };
  const app = applicationOfTests();
  let sql: Knex;
  let imported: Imported;
  const expected = expectedOf(fixture);

  beforeAll(async () => {
    sql = app.sql;
    await sql('administrators').delete();
    const place = await loadDump(fixture);
    source = place === undefined ? {} : { place };
    imported = await importFixture(app.services, fixture, source);
  });

  it('has every token, with all of its fields and secrets', async () => {
    const stored = await storedTokens(sql);
    const bySerial = new Map(stored.map((row) => [row.serial, row]));
    expect([...bySerial.keys()].sort()).toEqual(expected.tokens.map(({ serial }) => serial).sort());
    for (const token of expected.tokens) {
      const row = bySerial.get(token.serial);
      expect(row && shownToken(row, token, expected)).toEqual(wantedToken(token));
    }
  });

  it('has every challenge, with its state', async () => {
    const rows = await sql('challenges')
      .join('tokens', 'tokens.id', 'challenges.token_id')
      .select<Record<string, unknown>[]>('challenges.*', 'serial');
    const byId = new Map(rows.map((row) => [row.transaction_id, row]));
    const { challengeTimeout } = readOcraSettings((await app.services.configuration.current()).settings);
    expect(byId.size).toBe(expected.challenges.length);
    for (const challenge of expected.challenges) {
      const isOcra = challenge.challenge !== undefined;
      const isRightOfOcra2 = challenge.valid_tan && challenge.received_count > 0;
      expect(byId.get(challenge.transaction_id)).toMatchObject({
        serial: challenge.serial,
        question: isOcra ? challenge.challenge : challenge.challenge_raw,
        data: isOcra ? challenge.message : challenge.data_raw,
        received_tan: challenge.received_tan,
        valid_tan: challenge.valid_tan,
        wrong_count: challenge.received_count - (isRightOfOcra2 ? 1 : 0),
      });
      const issuedAt = byId.get(challenge.transaction_id)?.issued_at as Date;
      expect(Math.floor(issuedAt.getTime() / 1000) * 1000).toBe(
        berlin.read(challenge.timestamp_local)?.getTime(),
      );
      const { open_until: expiresAt, is_triggered: isTriggered } = byId.get(challenge.transaction_id) ?? {};
      expect(expiresAt).toEqual(new Date(issuedAt.getTime() + challengeTimeout * 1000));
      expect(isTriggered).toBe(challenge.transaction_id.length === 17);
    }
  });

  it('has every realm with its resolvers in order, and the default realm', async () => {
    const { realms } = await app.services.configuration.current();
    const wanted = expected.realms.map(({ name, resolvers }) => ({ name, resolvers }));
    expect(realms.map(({ name, resolvers }) => ({ name, resolvers }))).toEqual(
      wanted.sort((one, other) => (one.name < other.name ? -1 : 1)),
    );
    expect(realms.find(({ isDefault }) => isDefault)?.name).toBe(expected.default_realm);
  });

  it('has every resolver with its settings and its decrypted password', async () => {
    const rows = await sql('resolvers').select<
      { name: string; kind: string; settings: Record<string, string>; secret: Buffer | null }[]
    >('name', 'kind', 'settings', 'secret');
    expect(rows.map(({ name }) => name).sort()).toEqual(expected.resolvers.map(({ name }) => name).sort());
    for (const resolver of expected.resolvers) {
      const row = rows.find(({ name }) => name === resolver.name);
      expect(row && { ...row, secret: text(opened(row.secret, 'resolver', row.name)) }).toEqual(
        wantedResolver(resolver, fixture),
      );
    }
  });

  it('has every policy; those that are not understood are inactive and reported', async () => {
    const { policies } = await app.services.configuration.current();
    const reported = new Set(
      imported.entries
        .filter(({ group, outcome }) => group === 'policies' && outcome === 'changed')
        .map(({ name }) => name),
    );
    for (const policy of expected.policies) {
      const stored = policies.find(({ name }) => name === policy.name);
      const { active, user, realm, ...others } = policy;
      expect(stored).toMatchObject(others);
      expect(stored?.active).toBe(active && !reported.has(policy.name));
      expect([user, '*', '']).toContain(stored?.user);
      expect([realm, '*']).toContain(stored?.realm);
    }
    const understood = ['ocra', 'monitoring', 'system'];
    const active = expected.policies.filter(({ scope, active: is }) => is && understood.includes(scope));
    expect(active.filter(({ name }) => reported.has(name))).toEqual([]);
  });

  it('has every value of the configuration, secret ones sealed', async () => {
    const rows = await sql('configuration').select<
      { key: string; value: string; type: string | null; secret: Buffer | null }[]
    >('key', 'value', 'type', 'secret');
    const left = imported.entries.filter(({ group, outcome }) => group === 'settings' && outcome === 'left');
    const names = new Set(['DefaultRealm', ...left.map(({ name }) => name)]);
    const wanted = Object.entries(expected.config)
      .map(([key, { value, type, encrypted = false }]) => [
        key.slice('linotp.'.length),
        value,
        type,
        encrypted,
      ])
      .filter(([key]) => !names.has(String(key)));
    const shown = rows.map(({ key, value, type, secret }) => [
      key,
      text(opened(secret, 'setting', key)) ?? value,
      type,
      secret !== null && value === '',
    ]);
    expect(new Map(shown.map((row) => [row[0], row]))).toEqual(new Map(wanted.map((row) => [row[0], row])));
    const refused = left.filter(({ name }) => !OF_THE_OLD_SERVER.includes(name));
    const isWrongPinFree = expected.config['linotp.FailCounterIncOnFalsePin']?.value === 'False';
    const mayOverwrite = 'linotp.mayOverwriteClient' in expected.config;
    expect(Object.fromEntries(refused.map(({ name, reasons }) => [name, reasons]))).toEqual({
      ...(isWrongPinFree && {
        FailCounterIncOnFalsePin: [expect.stringContaining('a wrong PIN always counts')],
      }),
      ...(mayOverwrite && { mayOverwriteClient: [expect.stringContaining('TRUST_PROXY')] }),
    });
    expect(imported.entries).toContainEqual(
      expect.objectContaining({
        name: 'DefaultOtpLen',
        outcome: 'taken',
        reasons: ['without effect here'],
      }),
    );
  });

  it('has every local administrator with the hash of the password', async () => {
    const rows = await sql('administrators').select<{ name: string; password_hash: string }[]>(
      'name',
      'password_hash',
    );
    expect(new Map(rows.map(({ name, password_hash }) => [name, password_hash]))).toEqual(
      new Map(expected.admins.map(({ username, password }) => [username, password])),
    );
  });

  it('changes nothing when it is imported again', async () => {
    const before = await wholeContent(sql);
    const again = await importFixture(app.services, fixture, source);
    expect(again.entries.filter(({ outcome }) => !['unchanged', 'left'].includes(outcome))).toEqual([]);
    expect(await wholeContent(sql)).toEqual(before);
  });
});

const OF_THE_OLD_SERVER = ['Config', 'root', 'sql_data_model_version', 'uencode_data', 'utf8_conversion'];
const WITHOUT_MEANING = ['PROXY', 'readonly', 'Password', 'BINDPW'];

function keptSettings(settings: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => value !== '' && !WITHOUT_MEANING.includes(name)),
  );
}

/** @returns the row of the resolver, with its secret in clear */
function wantedResolver(
  { name, type, settings }: Expected['resolvers'][number],
  fixture: FixtureName,
): object {
  if (settings.Table === 'imported_user') {
    return { name, kind: 'managed', settings: {}, secret: null };
  }
  const { fileName, ...others } = keptSettings(settings);
  const file = fileName === undefined ? {} : { fileName: fixtureFile(fixture, basename(fileName)) };
  const secret = settings.Password ?? settings.BINDPW ?? null;
  return { name, kind: type.replace('resolver', ''), settings: { ...others, ...file }, secret };
}

/** @returns the stored token in the terms of expected.json */
function shownToken(row: StoredRow, token: ExpectedToken, { resolvers }: Expected): object {
  const { secrets } = row;
  const isReachable = resolvers.some(
    ({ name, type }) => name === row.owner_resolver && type === 'passwdresolver',
  );
  const key = row.rollout === 'phase1' ? secrets.sharedSecret : secrets.seed;
  return {
    serial: row.serial,
    type: row.type,
    type_raw: row.type_name,
    description: row.description,
    active: row.active,
    failcount: row.fail_count,
    maxfail: row.max_fail,
    counter: Number(row.counter),
    otplen: row.otp_length,
    count_window: row.counter_window,
    sync_window: row.sync_window,
    realms: row.realms,
    resolver: row.owner_resolver,
    resolver_class: row.resolver_class,
    resolver_id: row.resolver_id,
    userid: row.user_id,
    login: isReachable ? row.owner_login : token.login,
    created: row.created_at,
    success: row.last_success_at,
    match: row.last_match_at,
    seed_hex: row.key_form === 'key' ? hex(key) : null,
    password_hash: row.key_form === 'crypt' ? text(secrets.seed) : null,
    hasPin: secrets.pin !== null,
    pinFits: token.pin.value === undefined || checkPin(secrets.pin, token.pin.value),
    wrongPinFits: checkPin(secrets.pin, `${token.pin.value ?? ''}x`),
    user_pin: text(secrets.ocraPin),
    so_pin: text(secrets.soPin),
    shared_secret: hex(secrets.sharedSecret),
    nonce: hex(secrets.nonce),
    info: row.info,
    suite: row.algorithm,
    time_window: row.time_window,
    rollout: row.rollout,
    time_shift: row.time_shift,
    use: [row.use_count, row.max_uses, row.success_count, row.max_successes],
    period: [row.valid_from, row.valid_until],
    locked: row.fail_count >= row.max_fail,
  };
}

/** No fixture has a token of HOTP or TOTP that cannot be checked. */
function wantedAlgorithm({ type, otplen, info, ocrasuite, password_hash: hash }: ExpectedToken): object {
  const name = `${String(info.hashlib).toUpperCase()}-${otplen}`;
  if (type === 'totp') {
    const step = Number(info.timeStep) === 60 ? 'T1M' : 'T30S';
    return { suite: `TOTP-${name}:${step}`, time_window: Number(info.timeWindow) };
  }
  const suite = hash === null ? ocrasuite : `CRYPT-${otplen}`;
  return { suite: type === 'hmac' ? `HOTP-${name}` : suite, time_window: null };
}

function wantedUse(info: ExpectedToken['info']): object {
  const moment = (text: unknown): Date | null => {
    const [day, month, year, time] = typeof text === 'string' ? text.split(/[/ ]/) : [];
    return day === undefined ? null : (berlin.read(`20${year}-${month}-${day} ${time}:00`) ?? null);
  };
  return {
    use: [
      info.count_auth ?? 0,
      info.count_auth_max ?? null,
      info.count_auth_success ?? 0,
      info.count_auth_success_max ?? null,
    ],
    period: [moment(info.validity_period_start), moment(info.validity_period_end)],
  };
}

function wantedToken(token: ExpectedToken): object {
  const { sharedSecret, nonce, ...info } = token.info;
  const date = (text: string | null): Date | null => (text === null ? null : new Date(`${text}Z`));
  expect([sharedSecret === undefined, nonce ?? null]).toEqual([token.shared_secret === null, token.nonce]);
  return {
    serial: token.serial,
    type: token.type,
    type_raw: token.type_raw,
    description: token.description,
    active: token.active,
    failcount: token.failcount,
    maxfail: token.maxfail,
    counter: token.counter,
    otplen: token.otplen,
    count_window: token.count_window,
    sync_window: token.sync_window,
    realms: [...token.realms].sort(),
    resolver: token.resolver,
    resolver_class: token.resolver_class ?? '',
    resolver_id: token.resolver_id ?? '',
    userid: token.userid ?? '',
    login: token.login,
    created: date(token.created_utc),
    success: date(token.last_auth_success_utc),
    match: date(token.last_auth_match_utc),
    seed_hex: token.seed_hex ?? null,
    password_hash: token.password_hash,
    hasPin: token.pin.mode !== 'none' && token.pin.value !== '',
    pinFits: true,
    wrongPinFits: false,
    user_pin: token.user_pin,
    so_pin: token.so_pin,
    shared_secret: token.shared_secret,
    nonce: token.nonce,
    info,
    ...wantedAlgorithm(token),
    rollout: token.state === undefined ? 'complete' : ROLLOUTS[token.state],
    time_shift: Number(token.time_shift ?? 0),
    ...wantedUse(info),
    locked: token.locked,
  };
}
