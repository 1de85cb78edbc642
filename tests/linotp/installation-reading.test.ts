import { describe, expect, it } from '@jest/globals';
import { EncryptionKey } from '../../src/linotp/secrets.ts';
import { type ConfigTable, readInstallation } from '../../src/linotp/installation-reading.ts';
import { LinotpSource } from '../../src/linotp/linotp-source.ts';
import { mapPolicies } from '../../src/linotp/configuration-mapping.ts';

it('reads a table of 300,000 imported users that arrives at once', async () => {
  const tables = ['Token', 'Config', 'imported_user'].map((name) => ({ name, kind: 'table' }));
  const users = Array.from({ length: 300_000 }, (_, userid) => ({ userid }));
  const source = await LinotpSource.open({
    dialect: 'postgresql',
    query: (sql) =>
      Promise.resolve(sql.includes('pg_class') ? tables : sql.includes('"imported_user"') ? users : []),
    close: () => Promise.resolve(),
  });
  const key = EncryptionKey.fromFile(Buffer.alloc(96));
  if (key === undefined) {
    throw new Error('no key');
  }
  expect((await readInstallation(source, key, 'utf8')).users).toHaveLength(300_000);
});

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
