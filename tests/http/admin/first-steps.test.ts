import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import request from 'supertest';
import { valueOf } from '../../support/application/browser.ts';
import { AS_ADMIN, OPERATOR, TestApplication } from '../../support/application/test-application.ts';

const known = { publicUrl: 'https://tan.example.org' };
const ADDRESS = 'https://tan.example.org/ocra/check_t';
let application: TestApplication;

beforeAll(async () => {
  application = await TestApplication.open({ ...known, http: known });
});
afterAll(() => application.close());

async function asked(
  path: string,
  parameters = {},
  headers: Record<string, string> = AS_ADMIN,
): Promise<unknown> {
  return valueOf(await request(application.app).post(path).set(headers).type('form').send(parameters));
}

async function policy(name: string, scope: string, action: string, realm: string, user = '*'): Promise<void> {
  const draft = { name, scope, action, realm, user, client: '', time: '', active: true };
  await application.services.policies.set(OPERATOR, draft);
}

describe('the first steps of an installation', () => {
  it('become true one by one as the database has them', async () => {
    const steps = {
      resolver: false,
      realm: false,
      address: false,
      token: false,
      second_factor: false,
      backup: false,
    };
    await expect(asked('/system/firststeps')).resolves.toEqual({ ...steps, proposed: ADDRESS });
    await application.addRealm('north', ['anna']);
    await policy('url', 'authentication', `qrtanurl=${ADDRESS}`, 'north');
    await application.enrolPlain('OCRA1', 'OCRA-1:HOTP-SHA256-8:QN08', { user: 'anna', realm: 'north' });
    const recipient = await identityToRecipient(await generateX25519Identity());
    await application.services.backups.export(OPERATOR, {
      lock: { recipients: [recipient] },
      version: 'test',
      write: () => Promise.resolve(),
    });
    await expect(asked('/system/firststeps')).resolves.toEqual({
      ...steps,
      resolver: true,
      realm: true,
      address: true,
      token: true,
      backup: true,
      proposed: ADDRESS,
    });
  });
});

describe('the answer address of a token that is to be enrolled', () => {
  it('is given by a policy that covers it, and proposed where none would change for others', async () => {
    await application.addRealm('south', ['bert']);
    const found = (values: number, realm: string | null): object => ({ values, realm, proposed: ADDRESS });
    const address = (parameters: object): Promise<unknown> => asked('/admin/answeraddress', parameters);
    await expect(address({ user: 'anna', realm: 'north' })).resolves.toEqual(found(1, null));
    await expect(address({ serial: 'OCRA1' })).resolves.toEqual(found(1, null));
    await expect(address({ user: 'bert', realm: 'south' })).resolves.toEqual(found(0, 'south'));
    await expect(address({})).resolves.toEqual(found(0, null));
    await policy('other', 'authentication', `qrtanurl=${ADDRESS}/`, 'north');
    await expect(address({ user: 'anna', realm: 'north' })).resolves.toEqual(found(2, null));
  });

  it('is told to a helpdesk for its own realms alone, and tells nothing of other serials', async () => {
    const { administrators } = application.services;
    await administrators.add(OPERATOR, 'desk', 'correct horse battery');
    await policy('admins', 'admin', '*', '*', 'admin');
    await policy('desk', 'admin', 'init', 'south', 'desk');
    const { token } = await administrators.addApiToken(OPERATOR, 'desk', { name: 'test', rights: ['*'] });
    const headers = { Authorization: `Bearer ${token}` };
    const refusal = async (parameters: object): Promise<string> => {
      const answer = await request(application.app)
        .post('/admin/answeraddress')
        .set(headers)
        .type('form')
        .send(parameters);
      const { result } = answer.body as { result: { error?: { message: string } } };
      return result.error?.message ?? '';
    };
    await expect(refusal({ user: 'bert', realm: 'south' })).resolves.toBe('');
    await expect(refusal({ user: 'anna', realm: 'north' })).resolves.not.toBe('');
    const known = await refusal({ serial: 'OCRA1' });
    expect(known).toContain('ERR410');
    await expect(refusal({ serial: 'NONE' })).resolves.toBe(known);
  });
});
