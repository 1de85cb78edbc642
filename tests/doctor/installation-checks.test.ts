import { describe, expect, it } from '@jest/globals';
import type { Configuration } from '../../src/configuration/configuration.ts';
import { checkCounts } from '../../src/doctor/database-check.ts';
import type { Finding } from '../../src/doctor/examination.ts';
import { closedKeys } from '../../src/doctor/key-check.ts';
import { checkEnds, checkResolvers } from '../../src/doctor/configuration-check.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { CERTIFICATE_2030 } from '../support/values/certificate.ts';
import { configurationOf } from '../support/values/configuration-value.ts';

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
