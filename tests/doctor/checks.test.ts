import { describe, expect, it } from '@jest/globals';
import type { Configuration } from '../../src/configuration/configuration.ts';
import { checkCounts, checkClock, checkConnections, checkDatabase } from '../../src/doctor/database-check.ts';
import { type Finding, Examination, findingOf } from '../../src/doctor/examination.ts';
import { closedKeys } from '../../src/doctor/key-check.ts';
import { checkAnswerAddresses, checkEnds, checkResolvers } from '../../src/doctor/configuration-check.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { CERTIFICATE_2030 } from '../support/values/certificate.ts';
import { configurationOf } from '../support/values/configuration-value.ts';
import { loadConfig } from '../../src/config/config.ts';
import { checkAddresses } from '../../src/doctor/environment-check.ts';

const shortly = (findings: readonly Finding[]): readonly string[] =>
  findings.map(({ severity, code }) => `${severity} ${code}`);

describe('a security module that is away', () => {
  it('is named with the reason and the variables', () => {
    const error = new ServiceError('security-module.unavailable', 'It is away', { detail: 'no token' });
    expect(closedKeys(error, [], undefined)).toMatchObject({
      severity: 'error',
      code: 'key.module',
      text: 'It is away (no token)',
      remedy: expect.stringContaining('PKCS11_PIN_FILE'),
    });
  });

  it('is no other fault', () => {
    const fault = new Error('something else');
    expect(() => closedKeys(fault, [], undefined)).toThrow(fault);
  });
});

describe('the counts', () => {
  it('that differ are an error, none is no finding', async () => {
    expect(await checkCounts(() => Promise.resolve(0))).toEqual([]);
    const [one] = await checkCounts(() => Promise.resolve(1));
    expect(one).toMatchObject({ severity: 'error', code: 'counters.drifted' });
    expect(one?.text).toMatch(/^1 count differs/);
  });

  it('that are not compared in time are a note', async () => {
    const late = new ServiceError('database.unavailable', 'The statement took too long');
    expect(shortly(await checkCounts(() => Promise.reject(late)))).toEqual(['note counters.uncompared']);
    await expect(checkCounts(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });
});

describe('what ends', () => {
  const RESOLVERS = configurationOf({
    resolvers: [
      { name: 'people', kind: 'ldap', settings: { CACERTIFICATE: CERTIFICATE_2030 } },
      { name: 'plain' },
    ],
  });
  const found = (at: string): readonly string[] => shortly(checkEnds(RESOLVERS, [], new Date(at)));

  it('is named: an API token with its administrator and day', () => {
    const token = { administrator: 'probe', name: 'nagios', endsAt: new Date('2026-11-24T08:00:00Z') };
    const [finding, ...others] = checkEnds(RESOLVERS, [token], new Date('2026-11-20T00:00:00Z'));
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ severity: 'warning', code: 'ends.api-token' });
    expect(finding?.text).toBe('the API token nagios of probe ends on 2026-11-24');
  });

  it('is a certificate of a resolver from 14 days before its end on, and an error once it has ended', () => {
    expect(found('2029-12-17T23:00:00Z')).toEqual([]);
    expect(found('2029-12-18T01:00:00Z')).toEqual(['warning ends.certificate']);
    expect(found('2030-01-01T00:00:00Z')).toEqual(['error ends.certificate']);
  });
});

describe('a resolver', () => {
  const USUAL = { entries: 1, users: 1, withoutId: 0, withoutLogin: 0, sharingId: 0 };
  const examined = (settings: Readonly<Record<string, string>>, found = USUAL): Promise<readonly Finding[]> =>
    checkResolvers(
      {
        resolvers: [{ id: '1', name: 'directory', kind: 'sql', settings }],
        realms: [{ id: '1', name: 'office', isDefault: true, resolvers: ['directory'] }],
      } as unknown as Configuration,
      { test: () => Promise.resolve(found), timeoutMs: 1_000 },
    );
  const SETTINGS = {
    Driver: 'postgresql',
    Server: 'localhost',
    Database: 'd',
    User: 'u',
    Table: 't',
    Map: '{"userid":"id","username":"login"}',
  };

  it('with settings that were changed by hand is an error', async () => {
    expect(await examined(SETTINGS)).toEqual([]);
    const [finding] = await examined({ ...SETTINGS, Map: '{' });
    expect(finding).toMatchObject({ severity: 'error', code: 'resolvers.invalid' });
    expect(finding?.text).toMatch(/^the settings of the resolver directory are wrong: /);
  });
});

describe('a missing policy', () => {
  const found = (sets: readonly (readonly string[])[]): readonly Finding[] =>
    checkAnswerAddresses(configurationOf({}), sets, new Date('2026-11-20'));
  const many = Array.from({ length: 211 }, (_, index) => [`realm ${index}`]);

  it('is one finding, in however many realms', () => {
    const [finding, ...others] = found([[], ...many]);
    expect(others).toEqual([]);
    expect(finding?.text).toMatch(
      /^no policy .* in 212 sets of realms \(no realm, realm 0, .* others\) a qrtanurl/,
    );
    expect(finding?.remedy).toContain("--realm '*'");
  });

  it('names the realms of a single set', () => {
    expect(found([['a', 'b']])[0]?.text).toContain('tokens in a and b a qrtanurl');
    expect(found([['a', 'b']])[0]?.remedy).toContain('--realm a,b');
    expect(found([[]])[0]?.text).toContain('tokens without a realm a qrtanurl');
  });
});

type Variables = Readonly<Record<string, string>>;

const codesFor = (variables: Variables): readonly string[] =>
  checkAddresses(loadConfig(variables)).map(({ severity, code }) => `${severity} ${code}`);

const BEHIND = { TRUST_PROXY: 'loopback' };

it.each<[string, Variables, Variables]>([
  ['note addresses.no-proxy', {}, BEHIND],
  ['note addresses.no-proxy', { HOST: '::1' }, { HOST: '::1', ...BEHIND }],
  ['warning addresses.plain-http', { HOST: '0.0.0.0' }, { HOST: '0.0.0.0', TRUST_PROXY: '192.0.2.1' }],
  ['warning addresses.plain-http', { HOST: '::' }, { HOST: 'localhost' }],
  [
    'note addresses.metrics',
    { HOST: '192.0.2.5', TRUST_PROXY: '192.0.2.1', METRICS_PORT: '9464' },
    { HOST: '127.0.0.1', TRUST_PROXY: 'loopback', METRICS_PORT: '9464' },
  ],
  ['error addresses.trusts-everyone', { TRUST_PROXY: 'loopback, 0.0.0.0/0' }, BEHIND],
  ['error addresses.trusts-everyone', { TRUST_PROXY: '::/0' }, BEHIND],
  [
    'warning addresses.unreachable-proxy',
    { TRUST_PROXY: '192.0.2.1' },
    { TRUST_PROXY: '192.0.2.1,127.0.0.1' },
  ],
  [
    'note addresses.no-passkeys',
    { ...BEHIND, PUBLIC_URL: 'https://[2001:db8::10]:8443/tan' },
    { ...BEHIND, PUBLIC_URL: 'http://localhost:5001' },
  ],
  ['error addresses.exempts-everyone', { LIMIT_EXEMPT: '0.0.0.0/0' }, { LIMIT_EXEMPT: '10.0.0.0/8' }],
  [
    'warning addresses.exempts-proxy',
    { HOST: '192.0.2.5', TRUST_PROXY: '192.0.2.1', LIMIT_EXEMPT: 'loopback,192.0.2.1' },
    { HOST: '192.0.2.5', TRUST_PROXY: '192.0.2.1', LIMIT_EXEMPT: 'loopback,192.0.2.9' },
  ],
])('%s: is found for %j, and not for %j', (code, wrong, right) => {
  expect(codesFor(wrong)).toContain(code);
  expect(codesFor(right)).not.toContain(code);
});

it('finds nothing where a proxy on this machine is trusted, with the default exemptions', () => {
  expect(codesFor(BEHIND)).toEqual([]);
});

const codes = (findings: readonly { readonly code: string }[]): readonly string[] =>
  findings.map(({ code }) => code);

describe('the version and the limits of statements', () => {
  const facts = { version: 140_000, settings: new Map<string, string>(), isReadOnly: false };

  it('PostgreSQL 13 is too old, 14 is not', () => {
    expect(codes(checkDatabase({ ...facts, version: 130_022 }))).toEqual(['database.version']);
    expect(checkDatabase(facts)).toEqual([]);
  });

  it.each([
    ['statement_timeout', '0', '10s'],
    ['idle_in_transaction_session_timeout', '0', '10s'],
    ['idle_in_transaction_session_timeout', '2h', '500ms'],
    ['tcp_keepalives_idle', '7200', '4'],
    ['tcp_user_timeout', '0', '10000'],
    ['tcp_user_timeout', '900000', '59000'],
  ])('a limit that a pooler drops is found: %s = %s, and not %s', (name, wrong, right) => {
    const settings = (value: string): ReadonlyMap<string, string> => new Map([[name, value]]);
    expect(codes(checkDatabase({ ...facts, settings: settings(wrong) }))).toEqual([`database.${name}`]);
    expect(checkDatabase({ ...facts, settings: settings(right) })).toEqual([]);
  });
});

describe('connections', () => {
  it.each([
    // Of each server the pool and two more, and four for a command.
    [10, 0, 16],
    [10, 1, 16],
    [10, 3, 40],
    [23, 2, 54],
  ])('of a pool of %i with %i running servers must be %i', (pool, servers, needed) => {
    expect(checkConnections(pool, { granted: needed, servers })).toEqual([]);
    const [finding] = checkConnections(pool, { granted: needed - 1, servers });
    expect(finding?.text).toContain(`may need ${needed}`);
  });
});

describe('the clock', () => {
  const clockOf = (...times: number[]): { now: () => Date } => ({ now: () => new Date(times.shift() ?? 0) });
  const there = (time: number) => (): Promise<Date> => Promise.resolve(new Date(time));

  it.each([
    ['within the duration of a slow answer', [0, 9_000], 5_000, undefined],
    ['two seconds ahead', [0, 0], 2_000, undefined],
    ['more ahead', [0, 0], 2_100, 'the clock of the database is 2.1 s ahead of the clock here'],
    ['behind', [10_000, 10_000], 0, 'the clock of the database is 10.0 s behind the clock here'],
  ])('that is %s', async (_what, here, databaseTime, text) => {
    const [finding] = await checkClock(clockOf(...here), there(databaseTime));
    expect(finding?.text.split(':')[0]).toBe(text);
  });
});

const NOTE = findingOf('note', 'last.note', 'the last check ran', 'nothing');

const last = { name: 'last', find: () => [NOTE] };

describe('an examination', () => {
  it('makes a check that fails a finding, and goes on', async () => {
    const examination = new Examination({ timeoutMs: 1_000 });
    const broken = new Error('select "x" from "audit" - permission denied for table audit\nmore');
    await examination.run([
      { name: 'broken', find: () => Promise.reject(broken) },
      {
        name: 'refused',
        find: () => {
          throw new ServiceError('database.unavailable', 'it is away', { detail: 'lost' });
        },
      },
      last,
    ]);
    expect(examination.report.checks.map(({ state }) => state)).toEqual(['failed', 'failed', 'done']);
    expect(examination.report.findings.map(({ code, severity, text }) => [code, severity, text])).toEqual([
      ['broken.failed', 'warning', 'the check failed: permission denied for table audit'],
      ['refused.failed', 'warning', 'the check failed: it is away (lost)'],
      ['last.note', 'note', 'the last check ran'],
    ]);
  });

  it('makes a check that does not end a finding, and goes on', async () => {
    const examination = new Examination({ timeoutMs: 20 });
    const endless = { name: 'endless', find: () => new Promise<never>(() => undefined) };
    await examination.run([endless, last]);
    expect(examination.report.findings.map(({ code }) => code)).toEqual(['endless.overdue', 'last.note']);
  });

  it('gives the value of a check, and none of one that fails', async () => {
    const examination = new Examination({ timeoutMs: 1_000 });
    expect(await examination.runFirst('one', () => Promise.resolve({ findings: [NOTE], value: 7 }))).toBe(7);
    expect(await examination.runFirst('two', () => Promise.reject(new Error('no')))).toBeUndefined();
  });

  it('names the checks that are not possible in one note', () => {
    const examination = new Examination({ timeoutMs: 1_000 });
    examination.skip(['clock', 'audit'], 'the database is away');
    examination.skip([], 'nothing is left');
    expect(examination.report.checks).toEqual([
      { name: 'clock', state: 'skipped' },
      { name: 'audit', state: 'skipped' },
    ]);
    expect(examination.report.findings.map(({ text }) => text)).toEqual([
      'not examined, as the database is away: clock, audit',
    ]);
  });

  it('masks the passwords of URLs, also in the reason of a fault', async () => {
    const examination = new Examination({ timeoutMs: 1_000 });
    const url = 'postgres://tank:hunter2@db.example.org/tank';
    await examination.run([
      { name: 'fault', find: () => Promise.reject(new Error(`cannot reach ${url}`)) },
      {
        name: 'text',
        find: () => [findingOf('note', 'text.url', `see '${url}'`, `set ${url}?password=hunter2`)],
      },
    ]);
    expect(examination.report.findings.map(({ text, remedy }) => [text, remedy])).toEqual([
      ['the check failed: cannot reach postgres://tank:****@db.example.org/tank', expect.anything()],
      [
        "see 'postgres://tank:****@db.example.org/tank'",
        'set postgres://tank:****@db.example.org/tank?password=****',
      ],
    ]);
  });
});
