import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';

const DESK = { name: 'desk', scope: 'admin', action: 'show', realm: 'office', user: 'anna' };
const READ = { ...DESK, client: '', time: '', active: true };

interface Answer {
  readonly result: {
    readonly status: boolean;
    readonly value: unknown;
    readonly error?: { message: string };
  };
}

let application: TestApplication;
beforeAll(async () => {
  application = await TestApplication.open();
  await application.addRealm('office');
  await application.services.administrators.add(OPERATOR, 'anna', 'correct horse');
  const { policies } = application.services;
  await policies.set(OPERATOR, DESK);
  await policies.set(OPERATOR, { ...DESK, name: 'all', action: '*', realm: '*', user: 'admin' });
});
afterAll(() => application.close());

async function ask(path: string, parameters: Record<string, string>): Promise<Answer['result']> {
  const { body } = (await application.asAdmin(path, parameters)) as { body: Answer };
  return body.result;
}

describe('a refused request', () => {
  it('is explained by its id, with the changes of policies since then', async () => {
    await application.send('/admin/init', { type: 'ocra' }).auth('anna', 'correct horse');
    const { rows } = await application.services.auditReading.page(OPERATOR, { actor: 'anna', limit: 1 });
    const [row] = rows;
    expect(row?.outcome).toBe('refused: no right admin:init');
    await application.services.policies.set(OPERATOR, { ...DESK, name: 'later', active: false });
    const { value } = await ask('/system/explainPolicy', { request: row?.requestId ?? '' });
    expect(value).toMatchObject({
      administrator: 'anna',
      refusal: { right: 'admin:init', endpoint: 'admin/init', api_token: false, remedies: ['desk'] },
      rights: [{ allowed: false, reason: 'none', policies: [{ name: 'all', applies: false }] }],
      changes: [{ policy: 'later', kind: 'set', administrator: 'test' }],
    });
  });

  it('names as remedies only policies that would have let it pass', async () => {
    const { policies, auditReading } = application.services;
    await policies.set(OPERATOR, { ...DESK, name: 'away', client: '203.0.113.9' });
    await policies.set(OPERATOR, { ...DESK, name: 'off', active: false });
    await policies.set(OPERATOR, { ...DESK, name: 'others', user: 'bert' });
    await policies.set(OPERATOR, { ...DESK, name: 'anybody', user: '*' });
    await policies.set(OPERATOR, { ...DESK, name: 'monitoring', scope: 'monitoring', action: 'tokens' });
    await application.send('/admin/remove', { serial: 'T1' }).auth('anna', 'correct horse');
    const { rows } = await auditReading.page(OPERATOR, { actor: 'anna', action: 'admin/remove', limit: 1 });
    const { value } = await ask('/system/explainPolicy', { request: rows[0]?.requestId ?? '' });
    expect(value).toMatchObject({ refusal: { right: 'admin:remove', remedies: ['desk', 'anybody'] } });
    for (const name of ['away', 'off', 'others', 'anybody', 'monitoring']) {
      await policies.remove(OPERATOR, name);
    }
  });

  it('by an API token is known as such', async () => {
    const { token } = await application.services.administrators.addApiToken(OPERATOR, 'admin', {
      name: 'narrow',
      rights: ['ocra:status'],
    });
    await application.send('/admin/show', {}).set('Authorization', `Bearer ${token}`);
    const { rows } = await application.services.auditReading.page(OPERATOR, { actor: 'admin', limit: 1 });
    const { value } = await ask('/system/explainPolicy', { request: rows[0]?.requestId ?? '' });
    expect(value).toMatchObject({ refusal: { right: 'admin:show', api_token: true, remedies: [] } });
  });

  it('is shown to those who may read the audit only', async () => {
    await application.services.administrators.add(OPERATOR, 'reader', 'correct horse');
    const response = await application
      .send('/system/explainPolicy', { request: 'any' })
      .auth('reader', 'correct horse');
    expect((response.body as Answer).result.error?.message).toMatch(/scope=admin, action=audit$/);
  });
});

it('the caller is explained to themselves by default', async () => {
  const { value } = await ask('/system/explainPolicy', {});
  expect(value).toMatchObject({ administrator: 'admin', client: '127.0.0.1', known: true, groups: null });
});

describe('the consequences of a policy', () => {
  it('are told without storing it: what is wrong, who loses what, and whether somebody is locked out', async () => {
    const draft = { name: 'mine', scope: 'system', action: '*', user: 'bert' };
    expect((await ask('/system/policyConsequences', draft)).value).toMatchObject({
      problems: [],
      lost: [{ rights: ['system:*'] }],
      lock_out: true,
    });
    const wrong = { ...draft, action: 'reed', client: 'x' };
    expect((await ask('/system/policyConsequences', wrong)).value).toMatchObject({
      problems: [{ field: 'action' }, { field: 'client' }],
      consequences: [],
    });
    expect(await application.services.policies.list({ name: 'mine' })).toEqual([]);
  });

  it('include a lock-out of the caller at this address', async () => {
    const draft = { name: 'mine', scope: 'system', action: '*', user: 'admin', client: '203.0.113.9' };
    const { value } = await ask('/system/policyConsequences', draft);
    expect(value).toMatchObject({ lock_out: true });
    expect((value as { consequences: { text: string }[] }).consequences.map(({ text }) => text)).toContain(
      'you lose system:read and system:write, at least from this address and at this time',
    );
  });

  it('name realms that do not exist, and what a removal takes', async () => {
    const unknown = await ask('/system/policyConsequences', { ...DESK, name: 'n', realm: 'offize' });
    expect(unknown.value).toMatchObject({
      unknown_names: [{ field: 'realm', name: 'offize', nearest: 'office' }],
    });
    expect((await ask('/system/policyConsequences', { name: 'all', remove: '1' })).value).toMatchObject({
      lost: [{ administrators: ['admin'] }],
    });
    expect((await ask('/system/policyConsequences', { name: 'none', remove: '1' })).error?.message).toMatch(
      /There is no policy 'none'/,
    );
  });
});

describe('two editors of one policy', () => {
  const change = (action: string, expected: unknown): Promise<Answer['result']> =>
    ask('/system/setPolicy', { ...DESK, name: 'edited', action, expected: JSON.stringify(expected) });
  const edited = { ...READ, name: 'edited' };

  it('do not overwrite each other', async () => {
    expect((await change('show', null)).status).toBe(true);
    expect((await change('init', null)).error?.message).toMatch(/was created by somebody else/);
    const both = await Promise.all([change('reset', edited), change('enable', edited)]);
    expect(both.map(({ status }) => status).sort()).toEqual([false, true]);
    expect(both.find(({ status }) => !status)?.error?.message).toMatch(/was changed by somebody else/);
    const removal = { name: 'edited', expected: JSON.stringify(edited) };
    expect((await ask('/system/delPolicy', removal)).error?.message).toMatch(/was changed by somebody else/);
    const [now] = await application.services.policies.list({ name: 'edited' });
    expect((await ask('/system/delPolicy', { ...removal, expected: JSON.stringify(now) })).status).toBe(true);
    expect((await change('show', now)).error?.message).toMatch(/was removed by somebody else/);
  });

  it('say what they have read as JSON', async () => {
    expect((await ask('/system/setPolicy', { ...DESK, expected: '{' })).error?.message).toMatch(/'expected'/);
  });
});

describe('settings', () => {
  it('come with value, default and meaning; others without a value that may be a secret', async () => {
    const { settings } = application.services;
    await settings.set(OPERATOR, new Map([['OcraMaxChallenges', '2']]));
    await settings.set(OPERATOR, new Map([['mail.password', 'hunter2']]));
    await settings.set(OPERATOR, new Map([['legacy.note', 'kept']]));
    const value = (await ask('/system/settings', {})).value as { key: string }[];
    expect(value[0]).toEqual({
      key: 'OcraMaxChallenges',
      value: '2',
      default: '4',
      set: true,
      known: true,
      withheld: false,
      meaning: 'open challenges of a token; a further one closes the oldest',
      form: 'number',
      unit: null,
      least: 1,
      most: 1000,
    });
    expect(value.slice(-2)).toMatchObject([
      { key: 'legacy.note', value: 'kept', known: false, meaning: null },
      { key: 'mail.password', value: null, withheld: true },
    ]);
    expect(JSON.stringify(value)).not.toContain('hunter2');
  });

  it('tell what follows from a change, and refuse what is invalid', async () => {
    const few = await ask('/system/settingConsequences', { key: 'ocramaxchallenges', value: '1' });
    expect(few.value).toMatchObject({ unread: null, consequences: [{ code: 'setting.challenges' }] });
    const unread = await ask('/system/settingConsequences', { key: 'OcraMaxChallengs', value: '1' });
    expect(unread.value).toMatchObject({ unread: expect.stringContaining('OcraMaxChallenges') as unknown });
    const wrong = await ask('/system/settingConsequences', { key: 'OcraDefaultSuite', value: 'x' });
    expect(wrong.error?.message).toMatch(/OcraDefaultSuite/);
  });
});
