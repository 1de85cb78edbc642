import { beforeAll, describe, expect, it } from '@jest/globals';
import { outcomeOf, valueOf } from '../../support/application/browser.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import type { DialectName } from '../../../src/http/dialects/dialect.ts';
import { applicationOfTests, TestApplication } from '../../support/application/test-application.ts';

/** So long that it is not over before a test is. */
const LONG = 600_000;
const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';

type Value = Readonly<Record<string, unknown>>;

async function configurationOf(application: TestApplication): Promise<Value> {
  return valueOf(await application.asAdmin('/monitoring/config', {}, 'get')) as Value;
}

/** Changes the configuration as another server would. */
async function changeElsewhere(application: TestApplication, key: string): Promise<void> {
  await application.sql('configuration').insert({ key, value: '1' });
}

describe.each<[DialectName, unknown, unknown]>([
  ['documented', 'True', 'False'],
  ['linotp', true, false],
])('/monitoring/config in the dialect %s', (dialect, yes, no) => {
  const application = applicationOfTests({ dialect, configurationWindow: LONG });

  it('reports that the server is in step, and since when its configuration is in force', async () => {
    const { synctime, now } = await configurationOf(application);
    application.clock.advance(60);
    const later = await configurationOf(application);
    expect(later).toMatchObject({ sync: yes, synctime });
    expect(later.now).not.toBe(now);
  });

  it('says each time that it is not, until the server has noticed a change made elsewhere', async () => {
    const before = await configurationOf(application);
    await changeElsewhere(application, 'elsewhere');
    const { total, synctime } = before;
    for (const round of [1, 2]) {
      expect([round, await configurationOf(application)]).toEqual([
        round,
        expect.objectContaining({ sync: no, total, synctime }),
      ]);
    }
    await application.services.configuration.confirm();
    const after = await configurationOf(application);
    expect(after).toMatchObject({ sync: yes, total: Number(total) + 1 });
    expect(after.synctime).not.toBe(synctime);
  });

  it('reports agreement as soon as the server was notified of a change', async () => {
    const { total } = await configurationOf(application);
    await changeElsewhere(application, 'reported');
    application.services.configuration.expire();
    expect(await configurationOf(application)).toMatchObject({ sync: yes, total: Number(total) + 1 });
  });

  it('knows of a change that was made through this server', async () => {
    const { total } = await configurationOf(application);
    await application.asAdmin('/system/setConfig', { OcraMaxChallenges: '7' });
    expect(await configurationOf(application)).toMatchObject({ sync: yes, total: Number(total) + 1 });
  });
});

it('in the documented dialect the last change in the database is reported, noticed or not', async () => {
  const application = await TestApplication.open({ configurationWindow: LONG });
  const before = await configurationOf(application);
  await changeElsewhere(application, 'elsewhere');
  const [changed] = await application.sql('configuration_state').pluck<Date[]>('changed_at');
  const after = await configurationOf(application);
  expect(after).toMatchObject({ sync: 'False', changed: changed?.toISOString() });
  expect(Date.parse(String(after.changed))).toBeGreaterThan(Date.parse(String(before.changed)));
  await application.close();
});

describe('a server that was not notified', () => {
  it('reports the disagreement once, where the request itself makes it read', async () => {
    const application = await TestApplication.open({ configurationWindow: 1 });
    await configurationOf(application);
    await changeElsewhere(application, 'untold');
    expect(await configurationOf(application)).toMatchObject({ sync: 'False' });
    expect(await configurationOf(application)).toMatchObject({ sync: 'True' });
    await application.close();
  });

  it('is in step all the same where it reads for each request', async () => {
    const application = await TestApplication.open({ configurationWindow: 0 });
    await configurationOf(application);
    await changeElsewhere(application, 'untold');
    expect(await configurationOf(application)).toMatchObject({ sync: 'True' });
    await application.close();
  });
});

describe('a server whose configuration is confirmed', () => {
  const application = applicationOfTests({ configurationWindow: LONG });

  beforeAll(() => application.enrolPlain('C1', SUITE));

  it('takes one statement for the first response to its challenge, and one to read before further ones', async () => {
    const { transactionid, question } = await application.challenge('C1');
    const right = application.respond(SUITE, question);
    const wrong = right === '00000000' ? '11111111' : '00000000';
    for (const [response, count] of [
      [wrong, 1],
      [right, 2],
    ] as const) {
      const statements = await application.statementsOf(async () => {
        expect(await application.check(transactionid, response)).toMatchObject({
          result: response === right,
        });
      });
      expect(statements).toHaveLength(count);
      expect(statements.join('\n')).not.toContain('configuration_state');
    }
  });

  it('applies the removal of a right through it to the very next request', async () => {
    const ask = () => application.ask('/ocra/checkstatus', { serial: 'C1' });
    expect((await ask()).status).toBe(true);
    await application.asAdmin('/system/delPolicy', { name: 'ocra-administrators' });
    expect((await ask()).error?.code).toBe(410);
  });
});

const folder = temporaryFolder();
const application = applicationOfTests({ resolverFileDirs: [folder] });
beforeAll(async () => {
  for (const name of ['one', 'two', 'three']) {
    await application.addRealm(name);
  }
});

/** @returns the value of the answer, or the message of its error */
async function ask(path: string, given: Record<string, string>): Promise<unknown> {
  return outcomeOf(await application.asAdmin(path, given));
}

describe('a change of what somebody else has changed meanwhile', () => {
  it('is refused for a realm', async () => {
    const set = (resolvers: string, expected: unknown) =>
      ask(expected === null ? '/admin/realm/add' : '/admin/realm/set', {
        name: 'both',
        resolvers,
        ...(expected !== null && { expected: JSON.stringify(expected) }),
      });
    expect(await set('one', null)).toBe(true);
    expect(await set('two', null)).toMatch(/^The realm 'both' was changed by admin/);
    const answers = await Promise.all([set('one,two', ['one']), set('one,three', ['one'])]);
    expect(answers.filter((answer) => answer === true)).toHaveLength(1);
    expect(answers.filter((answer) => String(answer).includes('was changed by admin'))).toHaveLength(1);
    expect(await set('two,one', ['two', 'one'])).toMatch('was changed');
    expect(await ask('/admin/realm/remove', { name: 'both' })).toBe(true);
    expect(await set('one', ['one'])).toMatch("There is no realm 'both'");
  });

  it('is refused for a resolver', async () => {
    const change = (path: string, file: string, more: Record<string, string>) =>
      ask(path, { name: 'file', set: JSON.stringify({ fileName: `${folder}/${file}` }), ...more });
    const set = (file: string, expected: unknown) =>
      change('/admin/resolver/set', file, { expected: JSON.stringify(expected) });
    expect(await change('/admin/resolver/add', 'a', { kind: 'passwd' })).toBe(true);
    expect(await change('/admin/resolver/add', 'b', { kind: 'passwd' })).toMatch(
      /^There is a resolver 'file' already/,
    );
    expect(await set('b', null)).toMatch(/^The resolver 'file' was changed by admin/);
    const read = { fileName: `${folder}/a` };
    const answers = await Promise.all([set('b', read), set('c', read)]);
    expect(answers.filter((answer) => answer === true)).toHaveLength(1);
    expect(answers.filter((answer) => String(answer).includes('was changed by admin'))).toHaveLength(1);
    expect(await set('d', {})).toMatch('was changed');
  });

  it('is refused for a configuration value', async () => {
    const set = (value: string, expected: string | null, key = 'OcraMaxChallenges') =>
      ask('/admin/setting/set', { key, value, expected: JSON.stringify(expected) });
    const remove = (expected: string) =>
      ask('/admin/setting/remove', { key: 'OcraMaxChallenges', expected: JSON.stringify(expected) });
    const stored = async () =>
      (await application.services.configuration.current()).settings.get('OcraMaxChallenges');
    expect(await set('2', null)).toBe(true);
    expect(await stored()).toBe('2');
    expect(await set('3', null)).toMatch(
      /^The configuration value 'OcraMaxChallenges' was changed by admin meanwhile/,
    );
    // By any name of the key.
    const answers = await Promise.all(['4', '5'].map((value) => set(value, '2', 'linotp.ocramaxchallenges')));
    expect(answers.filter((answer) => String(answer).includes('was changed by admin'))).toHaveLength(1);
    const kept = (await stored()) ?? '';
    expect(await remove('2')).toMatch('was changed');
    expect(await stored()).toBe(kept);
    await remove(kept);
    expect(await stored()).toBeUndefined();
    expect(await set('3', kept)).toMatch('was changed by admin');
  });

  it.each(['[', '1', '{"a":1}'])('is refused where nobody can tell what is meant: %s', async (expected) => {
    const given = { name: 'file', set: JSON.stringify({ fileName: `${folder}/x` }), expected };
    expect(await ask('/admin/resolver/set', given)).toMatch(
      /^The parameter 'expected' is not valid: it must be JSON/,
    );
  });

  it('is done where nothing is expected', async () => {
    const given = { name: 'file', type: 'passwd', fileName: `${folder}/z` };
    expect(await ask('/system/setResolver', given)).toBe(true);
  });
});

describe('/system/setConfig with keys of resolvers and realms, as LinOTP keeps them', () => {
  const set = (given: Record<string, string>): Promise<unknown> => ask('/system/setConfig', given);

  it('sets the resolver, its realm and the default one, and the other values', async () => {
    expect(
      await set({
        'linotp.useridresolver.group.Old': 'useridresolver.PasswdIdResolver.IdResolver.old.file',
        'passwdresolver.fileName.old.file': `${folder}/old`,
        defaultrealm: 'old',
        OwnValue: '7',
      }),
    ).toBe(true);
    const { resolvers, realms, settings } = application.services;
    expect(await resolvers.show('old.file')).toMatchObject({
      kind: 'passwd',
      settings: { fileName: `${folder}/old` },
    });
    expect(await realms.list()).toContainEqual(
      expect.objectContaining({ name: 'old', isDefault: true, resolvers: ['old.file'] }),
    );
    expect((await settings.list()).get('OwnValue')).toBe('7');
    expect(await set({ key: 'PasswdResolver.filename.old.file', value: `${folder}/new` })).toBe(true);
    expect((await resolvers.show('old.file')).settings).toEqual({ fileName: `${folder}/new` });
  });

  it('sets all settings of a resolver at once, later one by one, but no password', async () => {
    const ldap = {
      LDAPURI: 'ldap://127.0.0.1:1',
      LDAPBASE: 'dc=x',
      LOGINNAMEATTRIBUTE: 'uid',
      LDAPSEARCHFILTER: '(uid=*)',
      LDAPFILTER: '(uid=%s)',
    };
    const keyed = Object.entries(ldap).map(([name, value]) => [`ldapresolver.${name}.people`, value]);
    expect(await set(Object.fromEntries(keyed) as Record<string, string>)).toBe(true);
    expect(await set({ 'ldapresolver.LDAPBASE.people': 'dc=y' })).toBe(true);
    const { settings } = await application.services.resolvers.show('people');
    expect(settings).toEqual({ ...ldap, LDAPBASE: 'dc=y' });
    for (const key of ['ldapresolver.BINDPW.people', 'sqlresolver.Password.p', 'sqlresolver.Connect.p']) {
      const refusal = await set({ [key]: 'a secret of the directory' });
      expect(refusal).toMatch(/^The password of a resolver is no configuration value/);
    }
  });

  it.each([
    [{ 'passwdresolver.fileName.wrong': '/etc/passwd' }, 'RESOLVER_FILE_DIRS'],
    [{ 'passwdresolver.fileName.wrong': 'relative' }, 'absolute path'],
    [{ 'passwdresolver.other.wrong': 'x' }, 'other'],
    [{ 'ldapresolver.LDAPURI.wrong': 'ldap://x' }, 'LDAPBASE is missing'],
    [{ 'passwdresolver.fileName.wrong': '/srv/x', OcraMaxChallenges: '0' }, 'OcraMaxChallenges'],
    [{ 'ldapresolver.LDAPBASE.one': 'dc=x' }, 'LDAPURI is missing'],
    [{ 'useridresolver.group.wrong': 'nosuch' }, "resolver 'nosuch'"],
    [{ 'managedresolver.x.wrong': 'x' }, 'a part of a resolver'],
    [{ 'an own value': 'x' }, "'an own value' is no configuration key"],
    [{ [`k${'x'.repeat(255)}`]: 'x' }, "x' is no configuration key"],
  ])('refuses %j as setResolver and setRealm do, and sets nothing', async (given, message) => {
    expect(await set(given as Record<string, string>)).toContain(message);
    const { resolvers, realms } = application.services;
    expect((await resolvers.list()).map(({ name }) => name)).not.toContain('wrong');
    expect((await realms.list()).map(({ name }) => name)).not.toContain('wrong');
  });
});
