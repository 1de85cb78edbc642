import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventualRefusal } from '../../support/application/eventual-refusal.ts';
import { callerNamed } from '../../support/values/callers.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const CODE = 'GEZDGNBVGY3TQOJQ01';
const bound = callerNamed('bound');

let application: TestApplication;

beforeAll(async () => {
  application = await TestApplication.open();
  await application.addRealm('north', ['ann']);
  await application.addRealm('south');
  await application.services.policies.set(OPERATOR, {
    name: 'bound',
    scope: 'admin',
    action: 'init',
    realm: 'north',
    user: 'bound',
  });
});
afterAll(() => application.close());

async function inRollout(serial: string, realm: string): Promise<void> {
  const { enrolment, tokens } = application.services;
  await enrolment.init(OPERATOR, {
    type: 'ocra',
    genkey: '1',
    sharedsecret: '1',
    serial,
    user: 'ann',
    realm: 'north',
  });
  await tokens.setRealms(OPERATOR, { serial, realms: [realm] });
}

const phase2 = (reference: { serial?: string; user?: string }): Promise<unknown> =>
  application.services.enrolment.init(bound, {
    type: 'ocra',
    genkey: '1',
    activationcode: CODE,
    realm: 'north',
    ...reference,
  });

describe('an administrator who is bound to a realm', () => {
  it('takes only tokens of that realm to phase 2, and learns of no others', async () => {
    await inRollout('HIDDEN1', 'south');
    await inRollout('HIDDEN2', 'south');
    const { code, message } = await eventualRefusal(phase2({ user: 'ann' }));
    expect([code, message]).toEqual(['token.unknown', "The user 'ann' has no token in roll-out"]);
    expect((await eventualRefusal(phase2({ serial: 'HIDDEN1' }))).code).toBe('right.missing');
    await inRollout('SHOWN', 'north');
    expect(await phase2({ user: 'ann' })).toMatchObject({ kind: 'phase2', serial: 'SHOWN' });
  });

  it.each([
    ['names the own realm', { realm: 'north' }],
    ['names a user of the own realm', { user: 'ann', realm: 'north' }],
  ])('leaves a token that is enrolled anew in the realms of others: %s', async (_, named) => {
    const { enrolment, tokens } = application.services;
    for (const [serial, before, after] of [
      ['BOTH', ['north', 'south'], ['north', 'south']],
      ['OWN', ['north'], ['north']],
    ] as const) {
      await application.enrolPlain(serial, SUITE);
      await tokens.setRealms(OPERATOR, { serial, realms: before });
      await enrolment.init(bound, { type: 'ocra', genkey: '1', serial, ...named });
      expect((await tokens.show(OPERATOR, serial)).realms).toEqual(after);
    }
  });

  it('does so over HTTP, for a roll-out too', async () => {
    const { administrators, tokens } = application.services;
    await administrators.add(OPERATOR, 'bound', 'a password of bound');
    const credentials = Buffer.from('bound:a password of bound').toString('base64');
    await application.enrolPlain('OVERHTTP', SUITE);
    await tokens.setRealms(OPERATOR, { serial: 'OVERHTTP', realms: ['north', 'south'] });
    const { body } = (await application
      .send('/admin/init', {
        type: 'ocra',
        genkey: '1',
        sharedsecret: '1',
        serial: 'OVERHTTP',
        realm: 'north',
      })
      .set('Authorization', `Basic ${credentials}`)) as { body: { result: { status: boolean } } };
    expect(body.result.status).toBe(true);
    expect(await tokens.show(OPERATOR, 'OVERHTTP')).toMatchObject({
      realms: ['north', 'south'],
      rollout: 'phase1',
    });
  });
});

it('an administrator of all realms puts a token that is enrolled anew into the realm named, and no other', async () => {
  await application.enrolPlain('ALL', SUITE);
  await application.services.tokens.setRealms(OPERATOR, { serial: 'ALL', realms: ['north', 'south'] });
  await application.enrolPlain('ALL', SUITE, { realm: 'north' });
  expect((await application.services.tokens.show(OPERATOR, 'ALL')).realms).toEqual(['north']);
});
