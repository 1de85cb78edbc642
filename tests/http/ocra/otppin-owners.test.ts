import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATOR, TestApplication, wrongResponse } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const PASSWORD = 'p:ä55 word';

let application: TestApplication;
let number = 0;

beforeAll(async () => {
  application = await TestApplication.open();
  await application.addRealm('staff', ['anna', 'bert']);
  await application.addRealm('guests', ['gast']);
  await application.services.users.setPassword(OPERATOR, {
    resolver: 'staff',
    login: 'anna',
    password: PASSWORD,
  });
});
afterAll(() => application.close());
afterEach(async () => {
  const { policies } = application.services;
  for (const { name, scope } of await policies.list()) {
    if (scope === 'authentication') {
      await policies.remove(OPERATOR, name);
    }
  }
});

async function ask(
  value: string,
  more: { name?: string; realm?: string; user?: string } = {},
): Promise<void> {
  await application.services.policies.set(OPERATOR, {
    name: 'otppin',
    scope: 'authentication',
    action: `otppin=${value}`,
    realm: '*',
    user: '*',
    ...more,
  });
}

/** @returns true if a new token of that owner is answered rightly by each of the texts in front of the response */
async function accepted(
  owner: Record<string, string>,
  ...prefixes: readonly string[]
): Promise<readonly boolean[]> {
  number += 1;
  const serial = `OTPPIN${number}`;
  await application.enrolPlain(serial, SUITE, { pin: 'pin', ...owner });
  const results = [];
  for (const prefix of prefixes) {
    const { transactionid, question } = await application.challenge(serial);
    const { counter } = await application.services.tokens.show(OPERATOR, serial);
    const tan = application.respond(SUITE, question, { counter });
    const wrong = (await application.check(transactionid, `${prefix}${wrongResponse(tan)}`)) as {
      result: boolean;
    };
    const right = (await application.check(transactionid, `${prefix}${tan}`)) as { result: boolean };
    results.push(right.result && !wrong.result);
  }
  return results;
}

const ANNA = { user: 'anna', realm: 'staff' };

describe('the PIN before the response', () => {
  it('cannot be right with otppin=1 where the token has no owner or the owner has no password', async () => {
    await ask('1');
    expect(await accepted({ realm: 'staff' }, '', 'pin')).toEqual([false, false]);
    expect(await accepted({ user: 'bert', realm: 'staff' }, '', 'pin')).toEqual([false, false]);
  });

  it("follows the policy of the token's realm and owner", async () => {
    await ask('2', { realm: 'guests' });
    expect(await accepted({ user: 'gast', realm: 'guests' }, '', 'pin')).toEqual([true, false]);
    expect(await accepted(ANNA, '', 'pin')).toEqual([false, true]);
    await ask('1', { realm: 'staff', user: 'anna', name: 'second' });
    expect(await accepted(ANNA, 'pin', PASSWORD)).toEqual([false, true]);
    expect(await accepted({ user: 'bert', realm: 'staff' }, 'pin')).toEqual([true]);
  });

  it.each(['3', '', 'pin'])('cannot be required by otppin=%s', async (value) => {
    await expect(ask(value)).rejects.toMatchObject({ code: 'policy.invalid' });
  });
});
