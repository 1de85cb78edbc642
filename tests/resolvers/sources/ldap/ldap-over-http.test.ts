import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PEOPLE, person, SETTINGS, unit } from '../../../support/servers/ldap-resolver.ts';
import { findSlapd, READER_PASSWORD, type Slapd, startSlapd } from '../../../support/servers/slapd.ts';
import { queryOnce } from '../../../support/database/test-server.ts';
import { valueOf } from '../../../support/application/browser.ts';
import { TestApplication } from '../../../support/application/test-application.ts';

const program = findSlapd();
const describeWithSlapd = program === undefined ? describe.skip : describe;
const SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';

describeWithSlapd('a realm of users in an LDAP directory', () => {
  let slapd: Slapd;
  let application: TestApplication;
  const ask = (...given: Parameters<TestApplication['ask']>) => application.ask(...given);

  beforeAll(async () => {
    slapd = await startSlapd(program ?? '', {
      entries: [
        unit('people'),
        person('anna', { givenName: 'Anna', userPassword: 'Geheim 1' }),
        person('bert'),
        person('carl', { mail: 'victim' }),
      ],
    });
    application = await TestApplication.open({ resolverTimeout: 8 });
    const given = { ...SETTINGS, LDAPURI: slapd.url, BINDPW: READER_PASSWORD };
    const lowered = Object.entries(given).map(([name, value]): [string, string] => [
      name.toLowerCase(),
      value,
    ]);
    const set = { name: 'staff', type: 'ldapresolver', ...Object.fromEntries(lowered) };
    expect(await ask('/system/setResolver', set)).toMatchObject({ status: true });
    expect(await ask('/system/setRealm', { realm: 'office', resolvers: 'staff' })).toMatchObject({
      status: true,
    });
  });

  afterAll(async () => {
    await application.close();
    await slapd.remove();
  });

  it('gives nobody the login of another one by an attribute that they set themselves', async () => {
    await ask('/system/setResolver', {
      name: 'open',
      type: 'ldapresolver',
      ...SETTINGS,
      LDAPURI: slapd.url,
      BINDPW: READER_PASSWORD,
      LDAPFILTER: '(|(uid=%s)(mail=%s))',
    });
    await application.addRealm('customers', ['victim']);
    await ask('/system/setRealm', { realm: 'mixed', resolvers: 'open,customers' });
    await application.enrolPlain('VICTIM', SUITE, { user: 'victim', realm: 'customers' });
    await application.enrolPlain('CARL', SUITE, { user: 'carl', realm: 'mixed' });
    const asked = async (user: string, token: string): Promise<unknown> => {
      const { question } = await application.challenge(token);
      const pass = application.respond(SUITE, question);
      return valueOf(await application.send('/validate/check', { user, realm: 'mixed', pass }));
    };
    expect(await asked('victim', 'CARL')).toBe(false);
    expect(await asked('victim', 'VICTIM')).toBe(true);
    expect(await asked('VICTIM', 'CARL')).toBe(false);
    expect(await asked('VICTIM', 'VICTIM')).toBe(true);
    expect(await asked('carl', 'CARL')).toBe(true);
  });

  it('takes the password of the directory where otppin=1 asks for it, and no empty one', async () => {
    await ask('/system/setPolicy', {
      name: 'pin',
      scope: 'authentication',
      action: 'otppin=1',
      realm: 'office',
      user: '*',
    });
    await application.enrolPlain('LDAP1', SUITE, { user: 'anna@office' });
    for (const [password, isRight] of [
      ['', false],
      ['Geheim 2', false],
      ['Geheim 1', true],
    ] as const) {
      const { transactionid, question } = await application.challenge('LDAP1');
      const response = application.respond(SUITE, question);
      expect(await application.check(transactionid, `${password}${response}`)).toMatchObject({
        result: isRight,
      });
    }
  });

  it('keeps the password of BINDDN sealed, and shows it to nobody', async () => {
    const [stored] = await queryOnce<{ secret: Buffer; settings: string }>(
      application.databaseUrl,
      'SELECT secret, settings::text FROM resolvers',
    );
    expect(stored?.secret.length).toBeGreaterThan(READER_PASSWORD.length);
    expect(stored?.secret.includes(READER_PASSWORD)).toBe(false);
    expect(stored?.settings).not.toContain(READER_PASSWORD);
    const shown = JSON.stringify(await ask('/system/getResolver', { resolver: 'staff' }));
    expect(shown).toContain(PEOPLE);
    expect(shown).not.toContain(READER_PASSWORD);
    expect(application.logged.join()).not.toContain(READER_PASSWORD);
    expect(application.logged.join()).not.toContain('Geheim');
  });
});
