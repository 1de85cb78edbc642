import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigurationStore } from '../../src/configuration/configuration-store.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { PolicyService } from '../../src/policy/policy-service.ts';
import { callerNamed, OPERATOR } from '../support/values/callers.ts';
import { eventualRefusal } from '../support/values/refusal.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { type StoredConfiguration, storeConfiguration } from '../support/database/stored-configuration.ts';

const admin = callerNamed('admin');
const DRAFT = { name: 'p', scope: 'ocra', action: 'request', user: 'ocra_admin' };

let test: TestDatabase;
let stored: StoredConfiguration;
let service: PolicyService;

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

beforeEach(async () => {
  stored = await storeConfiguration(test.database, {});
  service = new PolicyService({
    configuration: stored.configuration,
  });
});

describe('a policy that leaves no administrator the right to change policies', () => {
  it('is stored for an old client, with a warning in the log', async () => {
    const warnings: string[] = [];
    const logging = new PolicyService({
      configuration: stored.configuration,
      administrators: { list: () => Promise.resolve([{ name: 'admin' }, { name: 'bert' }]) },
      log: { warn: (message) => warnings.push(message) },
    });
    const own = { name: 'own', scope: 'system', action: '*', user: 'bert' };
    await logging.set(admin, own);
    expect(warnings).toEqual([]);
    await logging.set(callerNamed('bert'), { ...own, user: 'carol' });
    expect(warnings).toEqual([
      'The change of the policy own by bert leaves no administrator with the right system:write: only ' +
        '`tankeeper policy` on the machine of the server can change policies from now on',
    ]);
    expect(await logging.list()).toMatchObject([{ user: 'carol' }]);
  });
});

describe('actions that only LinOTP has', () => {
  const draft = { name: 'desk', scope: 'admin', action: 'show, unpair', user: 'admin', realm: '*' };

  it('are kept without effect for an old client, with a warning in the log and in the audit', async () => {
    const warnings: string[] = [];
    const logging = new PolicyService({
      configuration: stored.configuration,
      log: { warn: (message) => warnings.push(message) },
    });
    expect(await logging.set(admin, draft)).toMatchObject({ policy: { action: 'show, unpair' } });
    const remark = 'stored, unknown actions are without effect: unpair';
    expect(warnings).toEqual([`The policy desk is ${remark}`]);
    expect(await test.database.knex('audit').where({ subject: 'desk' }).pluck('outcome')).toEqual([remark]);
    const [policy] = (await stored.configuration.current()).policies;
    expect([policy?.names('show'), policy?.names('unpair'), policy?.isUnreadable]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('are refused alone, beside exclusions, and for the operator', async () => {
    for (const [caller, action] of [
      [admin, 'unpair'],
      [admin, '*, !remove'],
      [OPERATOR, 'show, unpair'],
    ] as const) {
      expect(await eventualRefusal(service.set(caller, { ...draft, action }))).toMatchObject({
        code: 'policy.invalid',
      });
    }
  });
});

describe('a stored policy with an action of another version', () => {
  it('gives the others, and is named once in the log', async () => {
    await service.set(OPERATOR, DRAFT);
    await test.database.knex('policies').update({ action: 'request, foretell=7x, !status' });
    const warnings: string[] = [];
    const log = { warn: (message: string) => warnings.push(message) };
    const other = new ConfigurationStore({ database: test.database, clock: systemClock, log });
    await other.current();
    await new PolicyService({ configuration: other }).set(OPERATOR, { ...DRAFT, name: 'another' });
    await other.current();
    const { policies } = await other.current();
    expect(policies.map((policy) => policy.names('request') && !policy.withholds('request'))).toEqual([
      true,
      true,
    ]);
    expect(warnings).toEqual(['The policy p names actions without effect here: foretell and !status']);
  });
});

describe('names in a policy that do not exist', () => {
  it('are stored for an old client with a warning in the log, and told to the operator first', async () => {
    const warnings: string[] = [];
    const logging = new PolicyService({
      configuration: stored.configuration,
      log: { warn: (message) => warnings.push(message) },
    });
    const draft = { name: 'p', scope: 'ocra', action: 'request', user: '*', realm: 'offize' };
    await logging.set(admin, draft);
    expect(warnings).toEqual(['The policy p names what does not exist: realm offize']);
    expect((await stored.configuration.current()).policies).toMatchObject([{ name: 'p', realm: 'offize' }]);
    expect(await logging.unknownNames(draft)).toMatchObject([{ part: 'realm', name: 'offize' }]);
  });
});

describe('the list of policies', () => {
  beforeEach(async () => {
    await service.set(admin, {
      name: 'a',
      scope: 'ocra',
      action: 'request, status',
      user: 'x, y',
      realm: 'one',
    });
    await service.set(admin, { name: 'b', scope: 'ocra', action: '*', user: 'y', realm: 'two, ONE' });
    await service.set(admin, {
      name: 'c',
      scope: 'authentication',
      action: 'qrtanurl=https://x.example/?a=b',
      realm: '*',
    });
    await service.set(OPERATOR, {
      name: 'd',
      scope: 'authentication',
      action: 'otppin = 1',
      realm: 'four',
      user: 'z',
    });
  });

  it.each([
    [{}, ['a', 'b', 'c', 'd']],
    [{ name: '', scope: ' ' }, ['a', 'b', 'c', 'd']],
    [{ name: ' b ' }, ['b']],
    [{ name: '*' }, []],
    [{ scope: 'ocra' }, ['a', 'b']],
    [{ action: 'status' }, ['a']],
    [{ action: 'qrtanurl' }, ['c']],
    [{ action: 'otppin' }, ['d']],
    [{ realm: 'One' }, ['a', 'b', 'c']],
    [{ realm: 'three' }, ['c']],
    [{ user: 'x' }, ['a']],
    [{ user: 'y', realm: 'two' }, ['b']],
    [{ name: 'constructor' }, []],
  ])('for %j has %j', async (filter, expected) => {
    expect((await service.list(filter)).map(({ name }) => name)).toEqual(expected);
  });
});
