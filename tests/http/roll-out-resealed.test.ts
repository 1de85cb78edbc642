import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Sealed } from '../../src/accounts/vault.ts';
import { systemRandom } from '../../src/kernel/clock.ts';
import { SecretVault } from '../../src/security/secret-vault.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { untilWaiting } from '../support/lock-waits.ts';
import { OPERATOR, TestApplication } from '../support/test-application.ts';

const SERIAL = 'ROLL1';
/** As the test application's. */
const vault = new SecretVault({ keys: [Buffer.alloc(32, 7)], random: systemRandom });

let application: TestApplication;
let operator: Database;

beforeAll(async () => {
  application = await TestApplication.open();
  operator = openDatabase({ connection: application.databaseUrl, poolSize: 3, applicationName: 'rotation' });
  await application.addRealm('bank');
  await application.services.policies.set(OPERATOR, {
    name: 'url',
    scope: 'authentication',
    action: 'qrtanurl=https://bank.example/ocra/check_t',
    realm: '*',
  });
});

afterAll(async () => {
  await operator.close();
  await application.close();
});

const init = async (more: Record<string, string>): Promise<unknown> => {
  const given = { type: 'ocra', serial: SERIAL, genkey: '1', tokenrealm: 'bank', ...more };
  return ((await application.asAdmin('/admin/init', given)).body as { result: unknown }).result;
};

/** Between the look at the token and the write, of somebody who starts the second phase. */
async function phase2While(change: (sealed: Sealed) => Sealed): Promise<unknown> {
  const changing = await operator.knex.transaction();
  const row = await changing('tokens')
    .where({ serial: SERIAL })
    .forUpdate()
    .first<{ shared_secret: Sealed }>('shared_secret');
  const running = init({ activationcode: 'GEZDGNBVGY3TQOJQ01', message: 'Welcome' });
  await untilWaiting(operator);
  await changing('tokens')
    .where({ serial: SERIAL })
    .update({ shared_secret: change(row.shared_secret) });
  await changing.commit();
  return running;
}

describe('the second phase of a roll-out', () => {
  it('goes on when the shared secret is sealed anew meanwhile, as a change of the key does', async () => {
    expect(await init({ sharedsecret: '1' })).toMatchObject({ value: true });
    const result = await phase2While((sealed) =>
      vault.seal(vault.open(sealed, 'shared-secret', SERIAL), 'shared-secret', SERIAL),
    );
    expect(result).toMatchObject({ status: true, value: true });
  }, 30_000);

  it('is refused when the token has another shared secret meanwhile', async () => {
    const result = await phase2While(() => vault.seal(Buffer.alloc(32, 9), 'shared-secret', SERIAL));
    expect(JSON.stringify(result)).toContain('has left this roll-out meanwhile');
  }, 30_000);
});
