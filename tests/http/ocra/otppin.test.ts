import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { queryOnce } from '../../support/database/test-server.ts';
import { SqlTap } from '../../support/database/sql-tap.ts';
import { OPERATOR, TestApplication, wrongResponse } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const PASSWORD = 'correct horse';

let application: TestApplication;
let serial: string;
let number = 0;

beforeAll(async () => {
  application = await TestApplication.open();
  for (const name of ['bank', 'shop']) {
    await application.addRealm(name, ['ann']);
    await application.services.users.setPassword(OPERATOR, {
      resolver: name,
      login: 'ann',
      password: PASSWORD,
    });
  }
  await application.addRealm('staff', ['anna', 'bert']);
  await application.addRealm('guests', ['gast']);
  await application.services.users.setPassword(OPERATOR, {
    resolver: 'staff',
    login: 'anna',
    password: STAFF_PASSWORD,
  });
});
afterAll(() => application.close());

beforeEach(async () => {
  number += 1;
  serial = `OTPPIN${number}`;
  await application.enrolPlain(serial, SUITE, { user: 'ann', realm: 'bank' });
  await application.services.tokens.setRealms(OPERATOR, { serial, realms: ['bank', 'shop'] });
});
async function policy(realm: 'bank' | 'shop', mode: string, client = ''): Promise<void> {
  await application.services.policies.set(OPERATOR, {
    name: `pin-${realm}`,
    scope: 'authentication',
    action: `otppin=${mode}`,
    realm,
    client,
  });
}

/** Tries what may stand before the right response, each with a challenge and a counter of its own. */
async function accepted(...befores: readonly string[]): Promise<readonly boolean[]> {
  const results: boolean[] = [];
  for (const [index, before] of befores.entries()) {
    const { transactionid, question } = await application.challenge(serial, `1${index}345678`);
    const response = application.respond(SUITE, question, { counter: BigInt(index) });
    const value = (await application.check(transactionid, before + response)) as { result: boolean };
    results.push(value.result);
  }
  return results;
}

describe('the PIN before the response', () => {
  it('is the token PIN by default and with otppin=0, and empty where none was set', async () => {
    expect(await accepted('', '0', PASSWORD)).toEqual([true, false, false]);
    await policy('bank', '0');
    await application.services.tokens.set(OPERATOR, { serial }, { pin: '1234' });
    expect(await accepted('', '12345', PASSWORD, '1234')).toEqual([false, false, false, true]);
  });

  it('is the one that the policies for the answering client require', async () => {
    await policy('bank', '1', '203.0.113.0/24');
    expect(await accepted('', PASSWORD)).toEqual([true, false]);
    await policy('bank', '1', '127.0.0.0/8, ::1');
    expect(await accepted('', '', '', PASSWORD)).toEqual([false, false, false, true]);
  });

  it("is the user's password with otppin=1, whatever the token PIN", async () => {
    await application.services.tokens.set(OPERATOR, { serial }, { pin: '1234' });
    await policy('bank', '1');
    expect(await accepted('', '1234', `${PASSWORD} `, PASSWORD)).toEqual([false, false, false, true]);
  });

  it('is the password whose hash is in the passwd file of the owner', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tankeeper-otppin-'));
    const fileName = join(folder, 'passwd');
    const { realms, resolvers } = application.services;
    try {
      await writeFile(fileName, 'eva:$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5:1:1:::\n');
      await resolvers.set(OPERATOR, { name: 'unix', kind: 'passwd', settings: { fileName } });
      await realms.set(OPERATOR, { name: 'bank', resolvers: ['bank', 'unix'] });
      serial = 'OTPPINFILE';
      await application.enrolPlain(serial, SUITE, { user: 'eva', realm: 'bank' });
      await policy('bank', '1');
      expect(await accepted('', 'Hello world', 'Hello world!')).toEqual([false, false, true]);
    } finally {
      await realms.set(OPERATOR, { name: 'bank', resolvers: ['bank'] });
      await rm(folder, { recursive: true });
    }
  });

  it('is never right with otppin=1 where the token has no owner', async () => {
    await policy('bank', '1');
    await application.services.tokens.unassign(OPERATOR, { serial });
    expect(await accepted('', PASSWORD)).toEqual([false, false]);
  });

  it('is asked of no directory for a challenge that was closed elsewhere', async () => {
    await policy('bank', '1');
    const { transactionid } = await application.challenge(serial, '12345678');
    await queryOnce(
      application.databaseUrl,
      `UPDATE challenges SET closed_by = 'superseded', closed_at = now() WHERE transaction_id = '${transactionid}'`,
    );
    const directory: string[] = [];
    const tap = new SqlTap({
      text: (text) => {
        directory.push(...(text.includes('password_hash') ? [text] : []));
        return text;
      },
    });
    try {
      expect(await application.check(transactionid, `${PASSWORD}12345678`)).toMatchObject({ result: false });
    } finally {
      tap.close();
    }
    expect(directory).toEqual([]);
  });

  it('is empty with otppin=2, even where a token PIN was set', async () => {
    await application.services.tokens.set(OPERATOR, { serial }, { pin: '1234' });
    await policy('bank', '2');
    expect(await accepted('1234', PASSWORD, '')).toEqual([false, false, true]);
  });

  it.each([
    ['0', '1'],
    ['1', '2'],
    ['2', '1'],
  ])("is the user's password where one policy says %s and another %s", async (bank, shop) => {
    await policy('bank', bank);
    await policy('shop', shop);
    expect(await accepted('', PASSWORD)).toEqual([false, true]);
  });

  it('is the token PIN where one policy says 0 and another 2', async () => {
    await application.services.tokens.set(OPERATOR, { serial }, { pin: '1234' });
    await policy('bank', '2');
    await policy('shop', '0');
    expect(await accepted('', '1234')).toEqual([false, true]);
  });
});

const STAFF_PASSWORD = 'p:ä55 word';

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
async function acceptedOf(
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
    expect(await acceptedOf({ realm: 'staff' }, '', 'pin')).toEqual([false, false]);
    expect(await acceptedOf({ user: 'bert', realm: 'staff' }, '', 'pin')).toEqual([false, false]);
  });

  it("follows the policy of the token's realm and owner", async () => {
    await ask('2', { realm: 'guests' });
    expect(await acceptedOf({ user: 'gast', realm: 'guests' }, '', 'pin')).toEqual([true, false]);
    expect(await acceptedOf(ANNA, '', 'pin')).toEqual([false, true]);
    await ask('1', { realm: 'staff', user: 'anna', name: 'second' });
    expect(await acceptedOf(ANNA, 'pin', STAFF_PASSWORD)).toEqual([false, true]);
    expect(await acceptedOf({ user: 'bert', realm: 'staff' }, 'pin')).toEqual([true]);
  });

  it.each(['3', '', 'pin'])('cannot be required by otppin=%s', async (value) => {
    await expect(ask(value)).rejects.toMatchObject({ code: 'policy.invalid' });
  });
});
