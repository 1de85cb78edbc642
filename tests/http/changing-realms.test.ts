import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Caller } from '../../src/accounts/caller.ts';
import { whileHeld, WRITING_A_TOKEN } from '../support/held-statement.ts';
import { OPERATOR, TestApplication } from '../support/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
/** A person whom a policy binds to the realm bank. */
const CLERK: Caller = {
  principal: { administrator: 'clerk', operator: false, rights: ['*'], client: '127.0.0.1' },
  requestId: 'clerk',
};

let application: TestApplication;
let serial: string;
let number = 0;

beforeAll(async () => {
  application = await TestApplication.open();
  await application.addRealm('bank', ['ann']);
  await application.addRealm('shop', ['bob']);
  await application.addRealm('third');
  for (const [name, user, realm] of [
    ['all', 'admin', '*'],
    ['clerk', 'clerk', 'bank'],
  ] as const) {
    await application.services.policies.set(OPERATOR, { name, scope: 'admin', action: '*', realm, user });
  }
});
afterAll(() => application.close());
beforeEach(async () => {
  number += 1;
  serial = `REALMS${number}`;
  await application.enrolPlain(serial, SUITE, { realm: 'bank' });
});

const move = (realms: readonly string[], caller = OPERATOR): Promise<{ realms: readonly string[] }> =>
  application.services.tokens.setRealms(caller, { serial, realms });
const shown = () => application.services.tokens.show(OPERATOR, serial);

describe('the realms of a token that two administrators change at once', () => {
  it('are those of both, where it is given to a user and put into another realm', async () => {
    const { tokens } = application.services;
    const assigned = await whileHeld(
      WRITING_A_TOKEN,
      () => tokens.assign(OPERATOR, { serial, user: 'bob', realm: 'shop' }),
      () => move(['bank', 'third']),
    );
    expect(assigned.realms).toEqual(['bank', 'shop', 'third']);
    expect(await shown()).toMatchObject({ realms: ['bank', 'shop', 'third'], owner: { login: 'bob' } });
  });

  it('that one of them may not touch stay as the other has set them', async () => {
    await whileHeld(
      WRITING_A_TOKEN,
      () => move(['bank'], CLERK),
      () => move(['bank', 'third']),
    );
    expect((await shown()).realms).toEqual(['bank', 'third']);
  });
});

describe('a token that leaves the realm of an administrator at that moment', () => {
  it.each<readonly [string, () => Promise<unknown>]>([
    ['reset', () => application.services.tokens.reset(CLERK, serial)],
    ['disable', () => application.services.tokens.disable(CLERK, serial)],
    ['unassign', () => application.services.tokens.unassign(CLERK, serial)],
    ['set', () => application.services.tokens.set(CLERK, { serial, pin: 'of the clerk' })],
    ['remove', () => application.services.tokens.remove(CLERK, serial)],
  ])('is not there any more for %s', async (_name, act) => {
    const before = await shown();
    const acting = whileHeld(
      WRITING_A_TOKEN,
      () =>
        act().then(
          () => 'done',
          (error: unknown) => error,
        ),
      () => move(['shop']),
    );
    expect(await acting).toMatchObject({ code: 'token.unknown' });
    expect(await shown()).toEqual({ ...before, realms: ['shop'] });
  });
});
