import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { errorOf } from '../../support/application/browser.ts';
import {
  applicationOfTests,
  AS_ADMIN,
  OPERATOR,
  type Result,
  type TestApplication,
} from '../../support/application/test-application.ts';

const DESK = { name: 'desk', scope: 'admin', action: 'show', realm: 'office', user: 'anna' };
const READ = { ...DESK, client: '', time: '', active: true };

const application = applicationOfTests();
beforeAll(async () => {
  await application.addRealm('office');
  await application.services.administrators.add(OPERATOR, 'anna', 'correct horse');
  const { policies } = application.services;
  await policies.set(OPERATOR, DESK);
  await policies.set(OPERATOR, { ...DESK, name: 'all', action: '*', realm: '*', user: 'admin' });
});
const ask = (...given: Parameters<TestApplication['ask']>) => application.ask(...given);

describe('a refused request', () => {
  it('is explained by its id, with the changes of policies since then', async () => {
    await application.send('/admin/init', { type: 'ocra' }).auth('anna', 'correct horse');
    const [row] = await application.auditRows({ actor: 'anna', limit: 1 });
    expect(row?.outcome).toBe('refused: no right admin:init');
    await application.services.policies.set(OPERATOR, { ...DESK, name: 'later', active: false });
    const { value } = await ask('/admin/policy/explain-refusal', { request_id: row?.requestId ?? '' });
    expect(value).toMatchObject({
      administrator: 'anna',
      refusal: {
        right: { scope: 'admin', action: 'init' },
        endpoint: 'admin/init',
        is_by_api_token: false,
      },
      remedies: ['desk'],
      rights: [{ is_allowed: false, reason: 'none', policies: [{ policy: 'all', applies: false }] }],
      changes: [{ policy: 'later', kind: 'set', administrator: 'test' }],
    });
  });

  it('names as remedies only policies that would have let it pass', async () => {
    const { policies } = application.services;
    await policies.set(OPERATOR, { ...DESK, name: 'away', client: '203.0.113.9' });
    await policies.set(OPERATOR, { ...DESK, name: 'off', active: false });
    await policies.set(OPERATOR, { ...DESK, name: 'others', user: 'bert' });
    await policies.set(OPERATOR, { ...DESK, name: 'anybody', user: '*' });
    await policies.set(OPERATOR, { ...DESK, name: 'monitoring', scope: 'monitoring', action: 'tokens' });
    await application.send('/admin/remove', { serial: 'T1' }).auth('anna', 'correct horse');
    const [row] = await application.auditRows({ actor: 'anna', action: 'admin/remove', limit: 1 });
    const { value } = await ask('/admin/policy/explain-refusal', { request_id: row?.requestId ?? '' });
    expect(value).toMatchObject({ refusal: { right: { action: 'remove' } }, remedies: ['desk', 'anybody'] });
    for (const name of ['away', 'off', 'others', 'anybody', 'monitoring']) {
      await policies.remove(OPERATOR, name);
    }
  });

  it('by an API token is known as such', async () => {
    const token = await application.apiToken('narrow', ['ocra:status']);
    await application.send('/admin/show', {}).set('Authorization', `Bearer ${token}`);
    const [row] = await application.auditRows({ actor: 'admin', limit: 1 });
    const { value } = await ask('/admin/policy/explain-refusal', { request_id: row?.requestId ?? '' });
    const refusal = { right: { action: 'show' }, is_by_api_token: true };
    expect(value).toMatchObject({ refusal, remedies: [] });
  });

  it('is shown to those who may read the audit only', async () => {
    await application.services.administrators.add(OPERATOR, 'reader', 'correct horse');
    const asked = application.send('/admin/policy/explain-refusal', { request_id: 'any' });
    expect(errorOf(await asked.auth('reader', 'correct horse'))).toMatch(/scope=admin, action=audit$/);
  });
});

it('explains the rights of an administrator, and the values for the owner of a token', async () => {
  const { value } = await ask('/admin/policy/explain', { administrator: 'anna', realm: 'office' });
  expect(value).toMatchObject({ administrator: 'anna', client: '', realm: 'office', is_known: true });
  expect((value as { rights: { action: string }[] }).rights.find(({ action }) => action === 'show')).toEqual({
    scope: 'admin',
    action: 'show',
    is_allowed: true,
    reason: 'policies',
    realms: ['office'],
    policies: expect.arrayContaining([{ policy: 'desk', applies: true, obstacles: [] }]),
    why: 'desk',
  });
  const owner = await ask('/admin/policy/explain-owner', { user: 'zoe', time: '1D' });
  expect(owner.value).toMatchObject({
    user: 'zoe',
    values: expect.arrayContaining([
      { action: 'otppin', values: [], policies: [], why: 'no policy names it' },
    ]),
  });
});

describe('the consequences of a policy', () => {
  it('are told without storing it: what is wrong, who loses what, and whether somebody is locked out', async () => {
    const draft = { name: 'mine', scope: 'system', action: '*', user: 'bert' };
    expect((await ask('/admin/policy/check', draft)).value).toMatchObject({
      problems: [],
      consequences: expect.arrayContaining([
        expect.objectContaining({ code: 'policy.lock-out' }),
        expect.objectContaining({ code: 'policy.rights', rights: ['system:*'] }),
      ]),
    });
    const wrong = { ...draft, action: 'reed', client: 'x' };
    expect((await ask('/admin/policy/check', wrong)).value).toMatchObject({
      problems: [{ field: 'action' }, { field: 'client' }],
      consequences: [],
    });
    expect(await application.services.policies.list({ name: 'mine' })).toEqual([]);
  });

  it('include a lock-out of the caller at this address', async () => {
    const draft = { name: 'mine', scope: 'system', action: '*', user: 'admin', client: '203.0.113.9' };
    expect((await ask('/admin/policy/set/consequences', draft)).value).toContainEqual({
      code: 'policy.own',
      text: 'you lose system:read and system:write, at least from this address and at this time',
      rights: ['system:read', 'system:write'],
    });
  });

  it('name realms that do not exist, and what a removal takes', async () => {
    const unknown = { ...DESK, name: 'n', realm: 'offize' };
    expect((await ask('/admin/policy/check', unknown)).value).toMatchObject({
      unknown_names: [{ part: 'realm', name: 'offize' }],
    });
    expect((await ask('/admin/policy/set/consequences', unknown)).value).toMatchObject([
      { code: 'policy.unknown-names', text: 'it names what does not exist: realm offize' },
    ]);
    const path = '/admin/policy/remove/consequences';
    expect((await ask(path, { name: 'all' })).value).toMatchObject([{ names: ['admin'] }, {}]);
    expect((await ask(path, { name: 'none' })).error?.message).toMatch(/There is no policy 'none'/);
  });
});

describe('two editors of one policy', () => {
  const change = (action: string, expected: unknown): Promise<Result> =>
    ask('/admin/policy/set', { ...DESK, name: 'edited', action, expected: JSON.stringify(expected) });
  const edited = { ...READ, name: 'edited' };

  it('do not overwrite each other', async () => {
    expect((await change('show', null)).status).toBe(true);
    expect((await change('init', null)).error?.message).toMatch(/was created by admin/);
    const both = await Promise.all([change('reset', edited), change('enable', edited)]);
    expect(both.map(({ status }) => status).sort()).toEqual([false, true]);
    expect(both.find(({ status }) => !status)?.error?.message).toMatch(/was changed by admin/);
    const removal = { name: 'edited', expected: JSON.stringify(edited) };
    expect((await ask('/admin/policy/remove', removal)).error?.message).toMatch(/was changed by admin/);
    const [now] = await application.services.policies.list({ name: 'edited' });
    expect((await ask('/admin/policy/remove', { ...removal, expected: JSON.stringify(now) })).status).toBe(
      true,
    );
    expect((await change('show', now)).error?.message).toMatch(/was removed by admin/);
  });

  it('say what they have read as JSON', async () => {
    expect((await ask('/admin/policy/set', { ...DESK, expected: '{' })).error?.message).toMatch(
      /expected.*JSON/,
    );
  });
});

describe('settings', () => {
  it('come with value, default and meaning; others without a value that may be a secret', async () => {
    const { settings } = application.services;
    await settings.set(OPERATOR, new Map([['OcraMaxChallenges', '2']]));
    await settings.set(OPERATOR, new Map([['mail.password', 'hunter2']]));
    await settings.set(OPERATOR, new Map([['legacy.note', 'kept']]));
    const value = (await ask('/admin/setting/list', {})).value as { key: string }[];
    expect(value[0]).toEqual({
      key: 'OcraMaxChallenges',
      value: '2',
      default: '4',
      is_set: true,
      is_known: true,
      is_withheld: false,
      meaning: 'open challenges of a token; a further one closes the oldest',
      type: 'number',
      min: 1,
      max: 1000,
    });
    expect(value.slice(-2)).toMatchObject([
      { key: 'legacy.note', value: 'kept', is_known: false },
      { key: 'mail.password', is_withheld: true },
    ]);
    expect(JSON.stringify(value)).not.toContain('hunter2');
  });

  it('tell what follows from a change, and refuse what is invalid', async () => {
    const path = '/admin/setting/set/consequences';
    const unread = await ask(path, { key: 'OcraMaxChallengs', value: '1' });
    expect(unread.value).toMatchObject([{ text: 'the server reads no setting OcraMaxChallengs' }]);
    const wrong = await ask(path, { key: 'OcraDefaultSuite', value: 'x' });
    expect(wrong.error?.message).toMatch(/OcraDefaultSuite/);
  });
});

const FILE = '/system/getPolicy/policy.cfg';

interface Imported {
  readonly result: Result;
  readonly detail?: { readonly message: string };
}

describe.each(['documented', 'linotp'] as const)('the policies as a file, in the dialect %s', (dialect) => {
  const application = applicationOfTests({ dialect });
  let before: ReadonlySet<string>;

  beforeAll(async () => {
    before = new Set((await stored()).map(({ name }) => name));
  });
  afterEach(async () => {
    const names = (await stored()).map(({ name }) => name).filter((name) => !before.has(name));
    for (const name of names) {
      await application.services.policies.remove(OPERATOR, name);
    }
  });

  const stored = () => application.services.policies.list();
  const download = async (path = FILE): Promise<string> =>
    (await request(application.app).get(path).set(AS_ADMIN).expect(200)).text;
  /** Sends the file as forms of browsers do. */
  const upload = async (file: string): Promise<Imported> => {
    const answer = await request(application.app)
      .post('/system/importPolicy')
      .set(AS_ADMIN)
      .attach('file', Buffer.from(file), { filename: 'policy.cfg', contentType: 'application/octet-stream' });
    return answer.body as Imported;
  };
  const section = (name: string, fields: Readonly<Record<string, string>>): string =>
    [`[${name}]`, ...Object.entries(fields).map(([field, value]) => `${field} = ${value}`), ''].join('\n');
  const READING = { scope: 'admin', action: 'show', realm: '*', user: 'anna' };

  it('are the same after they are exported, removed and imported', async () => {
    const { policies } = application.services;
    const drafts = [
      { name: 'reads', ...READING, client: '10.0.0.0/8, !10.1.1.1', time: '* 8-17 * * 1-5 *' },
      { name: 'off', ...READING, active: false },
      {
        name: 'url',
        scope: 'authentication',
        action: `qrtanurl="https://x.example/?a=1,2#c", otppin=1`,
        realm: '*',
      },
    ];
    for (const draft of drafts) {
      await policies.set(OPERATOR, draft);
    }
    // As an import from LinOTP leaves it.
    await application.rows(
      `INSERT INTO policies (name, scope, action, realm, username, client, time, active)
       VALUES ('self service', 'selfservice', 'assign, ''x''', '', 'None', '', '', false)`,
    );
    application.services.configuration.expire();
    const all = await stored();
    const file = await download();
    for (const { name } of all) {
      await policies.remove(OPERATOR, name);
    }
    const { result, detail } = await upload(file);
    expect(result.value).toBe(all.length);
    expect(await stored()).toEqual(all);
    expect(detail?.message).toMatch(/^The policy self service: inactive: /);
    expect(await download()).toBe(file);
  });

  it('are downloaded under any name, and narrowed by the fields of a policy', async () => {
    await application.services.policies.set(OPERATOR, { name: 'reads', ...READING });
    const answer = await request(application.app)
      .get('/system/getPolicy/of%20today.txt')
      .query({ name: 'reads' })
      .set(AS_ADMIN);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment',
    });
    expect(answer.text).toBe(
      section('reads', { ...READING, realm: '*', client: '""', time: '""', active: 'True' }),
    );
    expect((await request(application.app).get(`${FILE}/x`).set(AS_ADMIN)).status).toBe(404);
  });

  it('keep known actions active beside unknown ones, and warn of these, in the answer, log and audit', async () => {
    const { result, detail } = await upload(
      section('desk', { scope: 'admin', action: 'show, checkserial', realm: 'nowhere', user: 'anna' }),
    );
    expect(result.value).toBe(1);
    expect(detail?.message).toBe(
      'The policy desk: unknown actions are without effect: checkserial, names what does not exist: realm nowhere',
    );
    expect((await stored()).find(({ name }) => name === 'desk')).toMatchObject({
      active: true,
      action: 'show, checkserial',
    });
    expect(application.logged.join('\n')).toContain(detail?.message);
    const [row] = await application.auditRows({ action: 'policy/set', limit: 1 });
    expect(row).toMatchObject({
      subject: 'desk',
      actor: 'admin',
      outcome: 'imported, unknown actions are without effect: checkserial',
    });
  });

  it('are changes of policies to somebody who asks why a request was refused', async () => {
    const { policies, explanations } = application.services;
    await policies.set(OPERATOR, { name: 'reads', ...READING });
    const refused = await request(application.app).get('/admin/show').set(AS_ADMIN);
    await upload(section('reads', { ...READING, user: 'admin' }));
    const { changes } = await explanations.explainRefusal(OPERATOR, String(refused.headers['x-request-id']));
    expect(changes).toMatchObject([{ policy: 'reads', kind: 'set', administrator: 'admin' }]);
  });

  it('name so many unknown realms that they are not all compared with those that exist', async () => {
    const realms = Array.from({ length: 1_500 }, (_, index) => `r${index}`).join(',');
    const file = Array.from({ length: 30 }, (_, index) =>
      section(`many${index}`, { ...READING, realm: realms.slice(0, 4_000) }),
    ).join('');
    const { result, detail } = await upload(file);
    expect(result.value).toBe(30);
    expect(detail?.message.match(/The policy many/g)).toHaveLength(20);
    expect(detail?.message).toMatch(/There are more: the audit names what is without effect or inactive$/);
  });

  it('change all or none, and never turn an active policy off that the server does not understand', async () => {
    await application.services.policies.set(OPERATOR, { name: 'reads', ...READING });
    const all = await stored();
    for (const [file, message] of [
      [
        section('new', READING) + section('old', { scope: 'x' }),
        'Line 6 of the file: the policy has no action',
      ],
      [
        section('new', READING) + section('reads', { ...READING, action: 'show, !remove' }),
        "The policy 'reads' is active, and is not replaced by one that would not be. Unknown action '!remove'",
      ],
      ['', 'The file has no policy'],
      [`${section('new', READING)}time = \u0000`, 'A parameter holds U+0000'],
    ] as const) {
      expect((await upload(file)).result.error?.message).toContain(message);
      expect(await stored()).toEqual(all);
    }
  });

  it('are not replaced by one with a typing error that is said to be inactive', async () => {
    await application.services.policies.set(OPERATOR, { name: 'reads', ...READING });
    const all = await stored();
    const typed = { name: 'reads', ...READING, scope: 'monitorin', active: 'False' };
    const { text } = await application.asAdmin('/system/setPolicy', typed);
    expect(text).toContain("The policy 'reads' is active, and is not replaced");
    expect(await stored()).toEqual(all);
  });

  it('turn an active policy off where the file says so', async () => {
    await application.services.policies.set(OPERATOR, { name: 'reads', ...READING });
    const off = { ...READING, action: 'show, !remove', active: 'False' };
    expect((await upload(section('reads', off))).result.value).toBe(1);
    expect((await stored()).find(({ name }) => name === 'reads')).toMatchObject({ active: false });
  });

  it('leave others as they are, and warn where nobody could change policies afterwards', async () => {
    const all = { scope: 'system', action: '*', realm: '*', user: 'admin' };
    await application.services.policies.set(OPERATOR, { name: 'reads', ...READING });
    await application.services.policies.set(OPERATOR, { name: 'all', ...all });
    expect((await upload(section('more', READING))).result.value).toBe(1);
    expect(application.logged.join('\n')).not.toContain('leaves no administrator');
    const { detail } = await upload(section('more', READING) + section('all', { ...all, action: 'read' }));
    expect((await stored()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['all', 'more', 'reads']),
    );
    const warning =
      'The change of the policy more, all by admin leaves no administrator with the right system:write';
    expect(application.logged.join('\n')).toContain(warning);
    expect(detail?.message).toContain(warning);
  });

  it('need the rights to read and to change the system', async () => {
    const { policies } = application.services;
    const rights = { name: 'rights', scope: 'system', action: 'read', realm: '*' };
    await policies.set(OPERATOR, { ...rights, user: 'admin' });
    expect(await download()).toContain('[rights]');
    expect((await upload(section('new', READING))).result.error?.message).toContain('ERR410');
    await policies.set(OPERATOR, { ...rights, user: 'anna' });
    const answer = await request(application.app).get(FILE).set(AS_ADMIN);
    expect(answer.text).toContain('ERR410');
    expect(answer.text).not.toContain('anna');
    expect((await request(application.app).get(FILE)).status).toBe(401);
    expect((await request(application.app).post('/system/importPolicy')).status).toBe(401);
  });
});
