import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { queryOnce } from '../../support/database/test-server.ts';
import { SqlTap } from '../../support/database/sql-tap.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';

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
});
afterAll(() => application.close());

beforeEach(async () => {
  number += 1;
  serial = `OTPPIN${number}`;
  await application.enrolPlain(serial, SUITE, { user: 'ann', realm: 'bank' });
  await application.services.tokens.setRealms(OPERATOR, { serial, realms: ['bank', 'shop'] });
});
afterEach(async () => {
  for (const { name } of await application.services.policies.list()) {
    if (name.startsWith('pin-')) {
      await application.services.policies.remove(OPERATOR, name);
    }
  }
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
