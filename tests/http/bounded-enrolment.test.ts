import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventualRefusal } from '../support/eventual-refusal.ts';
import { callerNamed } from '../support/callers.ts';
import { OPERATOR, TestApplication } from '../support/test-application.ts';

const CODE = 'GEZDGNBVGY3TQOJQ01';
const bound = callerNamed('bound');

let application: TestApplication;

beforeAll(async () => {
  application = await TestApplication.open();
  await application.addRealm('north', ['ann']);
  await application.addRealm('south');
  await application.services.policies.set(OPERATOR, {
    ...{ name: 'bound', scope: 'admin', action: 'init', realm: 'north', user: 'bound' },
  });
});
afterAll(() => application.close());

async function inRollout(serial: string, realm: string): Promise<void> {
  const { enrolment, tokens } = application.services;
  await enrolment.init(OPERATOR, {
    ...{ type: 'ocra', genkey: '1', sharedsecret: '1', serial, user: 'ann', realm: 'north' },
  });
  await tokens.setRealms(OPERATOR, { serial, realms: [realm] });
}

const phase2 = (reference: { serial?: string; user?: string }): Promise<unknown> =>
  application.services.enrolment.init(bound, {
    ...{ type: 'ocra', genkey: '1', activationcode: CODE, realm: 'north', ...reference },
  });

describe('an administrator who is bound to a realm', () => {
  it('takes only tokens of that realm to phase 2, and is told of no others', async () => {
    await inRollout('HIDDEN1', 'south');
    await inRollout('HIDDEN2', 'south');
    const { code, message } = await eventualRefusal(phase2({ user: 'ann' }));
    expect([code, message]).toEqual(['token.unknown', "The user 'ann' has no token in roll-out"]);
    expect((await eventualRefusal(phase2({ serial: 'HIDDEN1' }))).code).toBe('right.missing');
    await inRollout('SHOWN', 'north');
    expect(await phase2({ user: 'ann' })).toMatchObject({ kind: 'phase2', serial: 'SHOWN' });
  });
});
