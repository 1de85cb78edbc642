import { beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigurationStore } from '../../src/configuration/configuration-store.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { PolicyService } from '../../src/policy/policy-service.ts';
import { callerNamed, OPERATOR } from '../support/values/callers.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { type StoredConfiguration, storeConfiguration } from '../support/database/stored-configuration.ts';

const admin = callerNamed('admin');
const DRAFT = { name: 'p', scope: 'ocra', action: 'request', user: 'ocra_admin' };

const test = databaseOfTests();
let stored: StoredConfiguration;
let service: PolicyService;

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
