import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';
import { queryOnce } from '../../support/database/test-server.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';

interface Answer {
  readonly result: { readonly value?: unknown; readonly error?: { readonly message: string } };
}

describe.each(['documented', 'linotp'] as const)('the login of a user, in the dialect %s', (dialect) => {
  let application: TestApplication;
  let folder: string;

  const ask = async (path: string, parameters: Record<string, string>): Promise<Answer> =>
    ((await application.asAdmin(path, parameters)) as { body: Answer }).body;
  /** @returns the serial of the token that is asked, or the error */
  const serialOf = async (user: string, realm = ''): Promise<string | undefined> => {
    const { result } = await ask('/ocra/request', { user, realm, data: 'x' });
    if (result.error !== undefined) {
      return result.error.message;
    }
    const [newest] = await queryOnce<{ serial: string }>(
      application.databaseUrl,
      'SELECT serial FROM challenges JOIN tokens ON tokens.id = token_id ORDER BY challenges.id DESC LIMIT 1',
    );
    return newest?.serial;
  };
  const failCount = async (serial: string): Promise<number> => {
    const [token] = await application.services.tokens.list(OPERATOR, { serial });
    return token?.failCount ?? -1;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tankeeper-logins-'));
    await writeFile(join(folder, 'passwd'), 'Bob:x:1:1:\nbob:x:2:1:\nCarl:x:3:1:\n+::::::\n');
    application = await TestApplication.open({ dialect });
    await application.addRealm('office', ['anna', 'a@bank.example', 'Jörg']);
    await application.addRealm('bank.example', ['a', 'otto']);
    const { resolvers, realms } = application.services;
    await resolvers.set(OPERATOR, {
      name: 'file',
      kind: 'passwd',
      settings: { fileName: join(folder, 'passwd') },
    });
    await realms.set(OPERATOR, { name: 'unix', resolvers: ['file'] });
    const owners = {
      ANNA: 'anna',
      MAIL: 'a@bank.example@office',
      BANKA: 'a@bank.example',
      OTTO: String.raw`BANK.EXAMPLE\OTTO`,
      JOERG: 'JÖRG',
      CARL: 'CARL@Unix',
      BOB: 'bob@unix',
    };
    for (const [serial, user] of Object.entries(owners)) {
      await application.enrolPlain(serial, SUITE, { user });
    }
  });

  afterAll(async () => {
    await application.close();
    await rm(folder, { recursive: true });
  });

  it.each([
    ['anna', 'ANNA'],
    ['Anna', 'ANNA'],
    [' ANNA\t', 'ANNA'],
    ['aNNa @ OFFICE ', 'ANNA'],
    [String.raw`office\anna`, 'ANNA'],
    [String.raw`bank.example\otto`, 'OTTO'],
    ['a@bank.example', 'BANKA'],
    ['A@BANK.EXAMPLE@office', 'MAIL'],
    ['JO\u0308RG', 'JOERG'],
    ['carl@unix', 'CARL'],
    [String.raw`unix\CARL`, 'CARL'],
    ['bob@unix', 'BOB'],
  ])('%j means one user, whose token %s is asked', async (user, serial) => {
    expect(await serialOf(user)).toBe(serial);
  });

  it('is shown as the resolver has it, wherever it was typed', async () => {
    const { tokens } = application.services;
    const shown = await tokens.list(OPERATOR, {});
    const logins = Object.fromEntries(shown.map(({ serial, owner }) => [serial, owner?.login]));
    expect(logins).toMatchObject({ OTTO: 'otto', JOERG: 'Jörg', CARL: 'Carl', BOB: 'bob' });
  });

  it('opens no way around the limit on wrong responses: they count for one token, in whatever case', async () => {
    await ask('/ocra/request', { user: 'anna', data: 'limit' });
    const before = await failCount('ANNA');
    for (const user of ['anna', 'ANNA', ' Anna ', 'aNNA@office']) {
      const { result } = await ask('/validate/check', { user, pass: '00000000' });
      expect(result.value).toBe(false);
      await ask('/ocra/request', { user, data: 'limit' });
    }
    expect(await failCount('ANNA')).toBe(before + 4);
  });

  it('of two who differ in case only is taken exactly, and refused where it is neither', async () => {
    const message = /The login 'BOB' is that of several users: spell it exactly as their resolver does$/;
    expect(await serialOf('BOB', 'unix')).toMatch(message);
    for (const [path, parameters] of [
      ['/admin/assign', { serial: 'BOB' }],
      ['/admin/init', { type: 'ocra', otpkey: '00'.repeat(20), serial: 'NEW' }],
      ['/admin/show', {}],
      ['/ocra/checkstatus', {}],
    ] as const) {
      const { result } = await ask(path, { ...parameters, user: 'BOB', realm: 'unix' });
      expect(JSON.stringify(result)).toContain('is that of several users');
    }
  });

  it('of several is a wrong one to those who need no login', async () => {
    const known = await ask('/validate/check', { user: 'BOB', realm: 'unix', pass: '00000000' });
    const unknown = await ask('/validate/check', { user: 'nobody', realm: 'unix', pass: '00000000' });
    expect(known).toEqual(unknown);
    expect(known.result.value).toBe(false);
  });

  it('is that of its exact owner in a later resolver, whoever an earlier one finds by another case', async () => {
    await application.addRealm('staff', ['BOB', 'carl']);
    await application.services.realms.set(OPERATOR, { name: 'both', resolvers: ['file', 'staff'] });
    await application.enrolPlain('STAFFBOB', SUITE, { user: 'BOB', realm: 'staff' });
    await application.enrolPlain('STAFFCARL', SUITE, { user: 'carl', realm: 'staff' });
    expect(await serialOf('BOB', 'both')).toBe('STAFFBOB');
    expect(await serialOf('carl', 'both')).toBe('STAFFCARL');
    expect(await serialOf('Carl', 'both')).toBe('CARL');
    expect(await serialOf('bob', 'both')).toBe('BOB');
    expect(await serialOf('CARL', 'both')).toBe('CARL');
  });

  it('is answered where any text was once stored as splitAtSign', async () => {
    await ask('/system/setConfig', { key: 'once', value: 'maybe' });
    await queryOnce(
      application.databaseUrl,
      "UPDATE configuration SET key = 'splitAtSign' WHERE key = 'once'",
    );
    const again = application.restarted();
    const pass = '00000000';
    for (const user of ['anna', 'anna@office']) {
      const { transactionid } = await application.challenge('ANNA');
      const { body } = (await again.send('/validate/check', { user, pass })) as { body: Answer };
      expect(body.result).toMatchObject({ value: false });
      const checked = (await again.send('/ocra/check_t', { transactionid, pass })) as { body: Answer };
      expect(checked.body.result).not.toHaveProperty('error');
    }
    const set = await ask('/system/setConfig', { key: 'splitAtSign', value: 'perhaps' });
    expect(set.result.error?.message).toContain('splitAtSign must be True or False');
    // The stored text keeps no other setting from being set.
    expect((await ask('/system/setConfig', { AllowSamlAttributes: 'False' })).result.error).toBeUndefined();
    await ask('/system/setConfig', { key: 'splitAtSign', value: 'True' });
  });

  it('is whole where splitAtSign is off, in the named realm or the default one', async () => {
    const set = await ask('/system/setConfig', { splitAtSign: 'maybe' });
    expect(set.result.error?.message).toContain('splitAtSign must be True or False');
    expect(JSON.stringify(await ask('/system/getConfig', { key: 'splitatsign' }))).toContain('True');
    await ask('/system/setConfig', { splitAtSign: 'False' });
    expect(JSON.stringify(await ask('/system/getConfig', { key: 'splitAtSign' }))).toContain('False');
    expect(await serialOf('a@bank.example')).toBe('MAIL');
    expect(await serialOf('A@BANK.EXAMPLE ', 'office')).toBe('MAIL');
    expect(await serialOf('a', 'bank.example')).toBe('BANKA');
    expect(await serialOf('anna@office')).toContain('>anna@office<');
    expect(await serialOf(String.raw`office\anna`)).toContain('found');
    await ask('/system/delConfig', { key: 'splitAtSign' });
    expect(await serialOf('a@bank.example')).toBe('BANKA');
  });
});
