import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import { FindingSearch, type Findings } from '../../src/doctor/finding.ts';
import {
  clockDifference,
  isLoopback,
  missingConnections,
  PROCESS_FINDINGS,
} from '../../src/doctor/installation-findings.ts';
import { ServiceError } from '../../src/kernel/errors.ts';

type Find = Findings<undefined>[string]['find'];

async function textsOf(finds: Readonly<Record<string, Find>>, timeoutMs = 1_000) {
  const examination = new FindingSearch(timeoutMs);
  for (const [code, find] of Object.entries(finds)) {
    await examination.lookFor({ [code]: { severity: 'error', find, remedy: 'nothing' } }, undefined);
  }
  return examination.findings.map(({ code, text }) => `${code}: ${text}`);
}

const last: Find = () => ['the last one'];

describe('an examination', () => {
  it('tells what fails, in a line without SQL, and goes on', async () => {
    const broken = new Error('select "x" from "audit" - permission denied for table audit\nmore');
    const refuse = (): never => {
      throw new ServiceError('database.unavailable', 'it is away', { detail: 'lost' });
    };
    expect(await textsOf({ broken: () => Promise.reject(broken), refused: refuse, last })).toEqual([
      'doctor.incomplete: broken was not examined: permission denied for table audit',
      'doctor.incomplete: refused was not examined: it is away (lost)',
      'last: the last one',
    ]);
  });

  it('tells what does not end, and goes on', async () => {
    const endless: Find = () => new Promise<never>(() => undefined);
    expect(await textsOf({ endless, last }, 20)).toEqual([
      'doctor.incomplete: endless was not examined: it took more than 0.02 s',
      'last: the last one',
    ]);
  });

  it('masks the passwords of URLs, also in the reason of a fault', async () => {
    const url = 'postgres://tank:hunter2@db.example.org/tank';
    expect(
      await textsOf({
        fault: () => Promise.reject(new Error(`cannot reach ${url}`)),
        text: () => [`see '${url}?password=hunter2'`],
      }),
    ).toEqual([
      'doctor.incomplete: fault was not examined: cannot reach postgres://tank:****@db.example.org/tank',
      "text: see 'postgres://tank:****@db.example.org/tank?password=****'",
    ]);
  });
});

type Variables = Readonly<Record<string, string>>;

async function addressCodes(variables: Variables): Promise<readonly string[]> {
  const examination = new FindingSearch(1_000);
  await examination.lookFor(PROCESS_FINDINGS, {
    settings: loadConfig(variables),
    unknownVariables: () => [],
    keyFile: () => Promise.resolve(undefined),
  });
  return examination.findings.map(({ severity, code }) => `${severity} ${code}`);
}

it.each<[string, Variables, Variables]>([
  ['warning addresses.plain-http', { HOST: '0.0.0.0' }, { HOST: '0.0.0.0', TRUST_PROXY: '192.0.2.1' }],
  ['warning addresses.plain-http', { HOST: '::' }, { HOST: '::1' }],
  ['error addresses.everyone', { TRUST_PROXY: 'loopback, 0.0.0.0/0' }, { TRUST_PROXY: 'loopback' }],
  ['error addresses.everyone', { TRUST_PROXY: '::/0' }, {}],
  ['error addresses.everyone', { LIMIT_EXEMPT: '0.0.0.0/0' }, { LIMIT_EXEMPT: '10.0.0.0/8' }],
])('%s: is found for %j, and not for %j', async (code, wrong, right) => {
  expect(await addressCodes(wrong)).toEqual([code]);
  expect(await addressCodes(right)).toEqual([]);
});

it.each([
  ['localhost', true],
  ['127.0.0.9', true],
  ['[::1]', true],
  ['0.0.0.0', false],
  ['db.example.org', false],
])('%s is this machine itself: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

it.each([
  // Of each server the pool and five more, and four for a command.
  [10, 0, 19],
  [10, 3, 49],
])('of a pool of %i with %i running servers, %i connections are enough', (pool, servers, needed) => {
  expect(missingConnections(pool, { granted: needed, servers })).toEqual([]);
  expect(missingConnections(pool, { granted: needed - 1, servers })).toHaveLength(1);
});

describe('the clock', () => {
  const clockOf = (...times: number[]): { now: () => Date } => ({ now: () => new Date(times.shift() ?? 0) });

  it.each([
    ['within the duration of a slow answer', [0, 9_000], 5_000, undefined],
    ['two seconds ahead', [0, 0], 2_000, undefined],
    ['more ahead', [0, 0], 2_100, 'the clock of the database is 2.1 s ahead of the clock here'],
    ['behind', [10_000, 10_000], 0, 'the clock of the database is 10.0 s behind the clock here'],
  ])('that is %s', async (_what, here, databaseTime, text) => {
    const [found] = await clockDifference(clockOf(...here), () => Promise.resolve(new Date(databaseTime)));
    expect(found?.split(':')[0]).toBe(text);
  });
});
