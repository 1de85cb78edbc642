import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { queryOnce } from '../../../support/database/test-server.ts';
import { OPERATOR, TestApplication } from '../../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const ROLL_OUT = { type: 'ocra', genkey: '1', realm: 'bank' };
const NO_PINS = ['', ' ', '\t ', '\u00a0', '\u3000', '\u200b', '\u2800', '\u00ad\u3164', '\u0001'];

/** A listing of tokens. */
interface Listed {
  readonly result: { readonly value: { readonly tokens: readonly object[] } };
}

let number = 0;

describe.each(['documented', 'linotp'] as const)('a token PIN, in the dialect %s', (dialect) => {
  let application: TestApplication;
  let serial: string;

  beforeAll(async () => {
    application = await TestApplication.open({ dialect });
    await application.addRealm('bank', ['ann']);
  });
  afterAll(() => application.close());

  beforeEach(async () => {
    number += 1;
    serial = `PIN${number}`;
    await application.enrolPlain(serial, SUITE, { user: 'ann', realm: 'bank', pin: '1234', ocrapin: '42' });
  });

  const ask = async (path: string, parameters: Record<string, string>): Promise<string> =>
    JSON.stringify((await application.asAdmin(path, parameters)).body);
  const hasPin = async (): Promise<boolean> =>
    (await application.services.tokens.show(OPERATOR, serial)).hasPin;
  const acts = async (): Promise<unknown[]> =>
    queryOnce(
      application.databaseUrl,
      `SELECT action, outcome FROM audit WHERE subject = '${serial}' AND action <> 'admin/init' ORDER BY id`,
    );

  it.each(NO_PINS)('is not removed by the value %j, whatever the request', async (pin) => {
    for (const [path, more] of [
      ['/admin/set', {}],
      ['/admin/set', { description: 'new' }],
      ['/admin/assign', { user: 'ann', realm: 'bank' }],
    ] as const) {
      const answer = await ask(path, { serial, pin, ...more });
      expect(answer).toContain('To remove the PIN');
      expect(answer).toMatch(/"status":false/);
    }
    expect(await ask('/admin/set', { serial, ocrapin: pin })).toContain('To remove the PIN');
    expect(await hasPin()).toBe(true);
    expect(await acts()).toEqual([]);
  });

  it('is removed by that request alone, which the audit tells from a change', async () => {
    await ask('/admin/set', { serial, pin: '5678' });
    for (const values of [
      { removepin: '' },
      { removepin: 'true' },
      { removepin: '1', pin: '' },
      { removepin: '1', description: 'new' },
      { removepin: '1', removeocrapin: '1' },
    ]) {
      expect(await ask('/admin/set', { serial, ...values })).toMatch(/"status":false/);
    }
    expect(await hasPin()).toBe(true);
    expect(await ask('/admin/set', { serial, removepin: '1' })).toMatch(/"status":true/);
    expect(await hasPin()).toBe(false);
    await ask('/admin/set', { serial, ocrapin: '99' });
    await ask('/admin/set', { serial, removeocrapin: '1' });
    expect(await acts()).toEqual([
      { action: 'token/set', outcome: 'changed pin' },
      { action: 'token/remove-pin', outcome: 'removed pin' },
      { action: 'token/set', outcome: 'changed ocraPin' },
      { action: 'token/remove-ocra-pin', outcome: 'removed ocraPin' },
    ]);
  });

  it('that is empty changes nothing for a token without one, and the rest of the request is done', async () => {
    const own = `BARE${serial}`;
    await application.enrolPlain(own, SUITE);
    for (const [path, values] of [
      ['/admin/set', { pin: '', MaxFailCount: '5' }],
      ['/admin/set', { ocrapin: '', description: 'of old' }],
      ['/admin/set', { pin: '' }],
      ['/admin/assign', { pin: '', user: 'ann', realm: 'bank' }],
    ] as const) {
      expect(await ask(path, { serial: own, ...values })).toMatch(/"status":true/);
    }
    expect(await application.services.tokens.show(OPERATOR, own)).toMatchObject({
      hasPin: false,
      maxFail: 5,
      description: 'of old',
      owner: { login: 'ann' },
    });
    expect(await ask('/admin/set', { serial: own, pin: ' ', MaxFailCount: '6' })).toContain(
      'To remove the PIN',
    );
  });

  it('stays where the token gets a new key, also that of a suite with P, unless there is a new one', async () => {
    const secrets = async (): Promise<unknown> =>
      queryOnce(application.databaseUrl, `SELECT pin, ocra_pin FROM tokens WHERE serial = '${serial}'`);
    await ask('/admin/set', { serial, ocrapin: '99' });
    const before = await secrets();
    for (const empty of [{}, { pin: '', ocrapin: '' }]) {
      expect(await ask('/admin/init', { ...ROLL_OUT, serial, ...empty })).toMatch(/"status":true/);
      expect(await secrets()).toEqual(before);
    }
    await ask('/admin/init', { ...ROLL_OUT, serial, pin: '5678' });
    expect(await secrets()).not.toEqual(before);
    expect(await hasPin()).toBe(true);
  });

  it('of the first phase is not lost by an empty one in the second', async () => {
    const own = `ROLL${serial}`;
    await ask('/admin/init', { ...ROLL_OUT, serial: own, sharedsecret: '1', pin: '1234' });
    await ask('/admin/init', { ...ROLL_OUT, serial: own, activationcode: 'GEZDGNBVGY3TQOJQ01', pin: '' });
    expect(await application.services.tokens.show(OPERATOR, own)).toMatchObject({
      rollout: 'phase2',
      hasPin: true,
    });
  });

  it('is none where an enrolment has an empty field for it, as forms send it', async () => {
    const own = `NONE${serial}`;
    await ask('/admin/init', { ...ROLL_OUT, serial: own, pin: '', ocrapin: '' });
    expect(await application.services.tokens.show(OPERATOR, own)).toMatchObject({ hasPin: false });
    expect(await ask('/admin/init', { ...ROLL_OUT, serial: `B${own}`, pin: ' ' })).toMatch(/"status":false/);
  });
});

it('whether a token has a PIN is shown, never the PIN', async () => {
  const application = await TestApplication.open();
  try {
    await application.enrolPlain('WITH', SUITE, { pin: '90817263' });
    await application.enrolPlain('WITHOUT', SUITE);
    const { body: page } = (await application.asAdmin('/admin/show', {})) as { body: Listed };
    expect(page.result.value.tokens).toMatchObject([
      { serial: 'WITH', haspin: true },
      { serial: 'WITHOUT', haspin: false },
    ]);
    const { body: sheet } = (await application.asAdmin('/admin/tokens', {})) as { body: Listed };
    expect(sheet.result.value.tokens).toMatchObject([
      { serial: 'WITH', has_pin: true },
      { serial: 'WITHOUT', has_pin: false },
    ]);
    expect(JSON.stringify([page, sheet])).not.toContain('90817263');
  } finally {
    await application.close();
  }
});
