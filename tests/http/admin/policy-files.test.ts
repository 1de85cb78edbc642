import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { AS_ADMIN, OPERATOR, TestApplication } from '../../support/application/test-application.ts';
import { queryOnce } from '../../support/database/test-server.ts';

const FILE = '/system/getPolicy/policy.cfg';

interface Result {
  readonly result: { readonly value?: unknown; readonly error?: { readonly message: string } };
  readonly detail?: { readonly message: string };
}

describe.each(['documented', 'linotp'] as const)('the policies as a file, in the dialect %s', (dialect) => {
  let application: TestApplication;
  let before: ReadonlySet<string>;

  beforeAll(async () => {
    application = await TestApplication.open({ dialect });
    before = new Set((await stored()).map(({ name }) => name));
  });
  afterEach(async () => {
    const names = (await stored()).map(({ name }) => name).filter((name) => !before.has(name));
    for (const name of names) {
      await application.services.policies.remove(OPERATOR, name);
    }
  });
  afterAll(() => application.close());

  const stored = () => application.services.policies.list();
  const download = async (path = FILE): Promise<string> =>
    (await request(application.app).get(path).set(AS_ADMIN).expect(200)).text;
  /** Sends the file as forms of browsers do. */
  const upload = async (file: string): Promise<Result> => {
    const answer = await request(application.app)
      .post('/system/importPolicy')
      .set(AS_ADMIN)
      .attach('file', Buffer.from(file), { filename: 'policy.cfg', contentType: 'application/octet-stream' });
    return answer.body as Result;
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
    await queryOnce(
      application.databaseUrl,
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
    const [row] = await application.services.audit.search(OPERATOR, { action: 'policy/set', limit: 1 });
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

  it('of more than 256 KiB are refused before they are read', async () => {
    const answer = await request(application.app)
      .post('/system/importPolicy')
      .set(AS_ADMIN)
      .type('form')
      .send(`file=${'a'.repeat(256 * 1024)}`);
    expect(answer.status).toBe(413);
  });
});
