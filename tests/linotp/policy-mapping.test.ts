import { describe, expect, it } from '@jest/globals';
import type { ConfigTable } from '../../src/linotp/installation-reading.ts';
import { mapPolicies } from '../../src/linotp/configuration-mapping.ts';

function policyTable(scope: string, action: string): ConfigTable {
  const fields = { scope, action, realm: '*', user: '*', active: 'True' };
  return new Map(
    Object.entries(fields).map(([field, value]) => {
      const key = `linotp.Policy.p.${field}`;
      return [key, { key, value, type: '', description: '', isSecret: false }];
    }),
  );
}

describe('an imported policy with actions that only LinOTP has', () => {
  it.each([
    ['admin', 'show, unpair, checkstatus', 'unpair, checkstatus'],
    ['admin', 'unpair', 'unpair'],
    ['authentication', 'otppin=1, autosms', 'autosms'],
  ])('of scope %s keeps the known ones of %j active and lists the others', (scope, action, unknown) => {
    expect(mapPolicies(policyTable(scope, action))).toMatchObject([
      {
        value: { action, active: true },
        reasons: [],
        remarks: [`these actions are unknown and without effect: ${unknown}`],
      },
    ]);
  });

  it.each([
    ['admin', '*, !remove'],
    ['authentication', 'otppin=2, disable_on_authentication_exceed'],
  ])('of scope %s is inactive where it could become wider without them: %j', (scope, action) => {
    expect(mapPolicies(policyTable(scope, action))).toMatchObject([
      {
        value: { action, active: false },
        reasons: [expect.stringMatching(/^is now inactive: Unknown action/)],
      },
    ]);
  });
});
