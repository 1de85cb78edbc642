import { describe, expect, it } from '@jest/globals';
import { listUnknownNames, unknownNames } from '../../src/policy/policy-names.ts';

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

  it('are all named, and the first twenty compared with those that exist: that takes time', () => {
    const realm = Array.from({ length: 30 }, (_, index) => `offic${index}`).join();
    const found = unknownNames({ realm, user: '*@offize, peple:' }, BASE);
    expect(found).toHaveLength(32);
    expect(found.map(({ nearest }) => nearest).filter((one) => one !== undefined)).toEqual(
      Array.from({ length: 20 }, () => 'office'),
    );
  });
});
