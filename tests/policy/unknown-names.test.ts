import { describe, expect, it } from '@jest/globals';
import { AccessControl } from '../../src/policy/access-control.ts';
import { PolicyService } from '../../src/policy/policy-service.ts';
import { listUnknownNames, unknownNames } from '../../src/policy/unknown-names.ts';
import { callerNamed, OPERATOR } from '../support/values/callers.ts';
import { InMemoryConfigurationStore } from '../support/fakes/in-memory-configuration-store.ts';

const BASE = {
  policies: [],
  realms: [{ name: 'office' }, { name: 'lab' }],
  resolvers: [{ name: 'people' }],
};

describe('names in a policy that do not exist', () => {
  it.each<[string, string, string]>([
    ['offize, lab', '*', 'realm offize (did you mean office?)'],
    ['zoo', '*', 'realm zoo'],
    ['*', '*@LAP, peple:', 'user *@LAP (did you mean *@lab?), user peple: (did you mean people:?)'],
    ['*', '!*@offize', 'user *@offize (did you mean *@office?)'],
    ['Office', 'alice, alice@nowhere.org, people:, *@lab, *@*, *@linotp_admins', ''],
  ])('realms %p, users %p: %s', (realm, user, listed) => {
    expect(listUnknownNames(unknownNames({ realm, user }, BASE))).toBe(listed);
  });

  it('are stored for an old client with a warning in the log, and told to the operator first', async () => {
    const warnings: string[] = [];
    const configuration = new InMemoryConfigurationStore();
    const service = new PolicyService({
      configuration,
      access: new AccessControl({ clock: { now: () => new Date(0) } }),
      log: { warn: (message) => warnings.push(message) },
    });
    const draft = { name: 'p', scope: 'ocra', action: 'request', user: '*', realm: 'offize' };
    await service.set(callerNamed('admin'), draft);
    expect(warnings).toEqual(['The policy p names what does not exist: realm offize']);
    expect((await configuration.current()).policies).toMatchObject([{ name: 'p', realm: 'offize' }]);
    expect(await service.unknownNames(OPERATOR, draft)).toMatchObject([{ part: 'realm', name: 'offize' }]);
  });
});
