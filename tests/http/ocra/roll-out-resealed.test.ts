import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Sealed, SecretVault } from '../../../src/keys/vault.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import { untilWaiting } from '../../support/database/lock-waits.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';

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

/** Between the look at the token and the write, of `work` that has begun. */
async function whileChanging<T>(
  { serial, column }: { serial: string; column: 'shared_secret' | 'seed' },
  work: () => Promise<T>,
  change: (sealed: Sealed) => Sealed,
): Promise<T> {
  const changing = await operator.knex.transaction();
  const row = await changing('tokens')
    .where({ serial })
    .forUpdate()
    .first<Record<typeof column, Sealed>>(column);
  const running = work();
  await untilWaiting(operator);
  await changing('tokens')
    .where({ serial })
    .update({ [column]: change(row[column]) });
  await changing.commit();
  return running;
}

const phase2While = (change: (sealed: Sealed) => Sealed): Promise<unknown> =>
  whileChanging(
    { serial: SERIAL, column: 'shared_secret' },
    () => init({ activationcode: 'GEZDGNBVGY3TQOJQ01', message: 'Welcome' }),
    change,
  );

describe('the second phase of a roll-out', () => {
  it('goes on when the shared secret is sealed anew meanwhile, as a change of the key does', async () => {
    expect(await init({ sharedsecret: '1' })).toMatchObject({ value: true });
    const result = await phase2While((sealed) =>
      vault.seal(vault.open(sealed, 'shared-secret', SERIAL), 'shared-secret', SERIAL),
    );
    expect(result).toMatchObject({ status: true, value: true });
  });

  it('is refused when the token has another shared secret meanwhile', async () => {
    const result = await phase2While(() => vault.seal(Buffer.alloc(32, 9), 'shared-secret', SERIAL));
    expect(JSON.stringify(result)).toContain('has left this roll-out meanwhile');
  });
});

it('a challenge is requested while the key is resealed', async () => {
  const serial = 'PLAIN1';
  const suite = 'OCRA-1:HOTP-SHA256-8:C-QN08';
  await application.enrolPlain(serial, suite);
  const { transactionid } = await whileChanging(
    { serial, column: 'seed' },
    () => application.challenge(serial, '12345678'),
    (sealed) => vault.seal(vault.open(sealed, 'seed', serial), 'seed', serial),
  );
  const pass = application.respond(suite, '12345678');
  expect(await application.check(transactionid, pass)).toEqual({ failcount: 0, result: true });
});
