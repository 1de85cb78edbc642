import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, afterEach } from '@jest/globals';
import { searchFilters } from '../../../../src/resolvers/sources/ldap/ldap-configuration.ts';
import type { LdapUsers } from '../../../../src/resolvers/sources/ldap/ldap-users.ts';
import { type UserCondition, fieldCondition, freeCondition } from '../../../../src/resolvers/user-source.ts';
import { examination } from '../../../support/application/user-sources.ts';
import { eventualRefusal } from '../../../support/values/refusal.ts';
import { ldapUsers, PEOPLE, person, unit } from '../../../support/servers/ldap-resolver.ts';
import { findSlapd, type LdapEntry, type Slapd, startSlapd, SUFFIX } from '../../../support/servers/slapd.ts';

const program = findSlapd();

const describeWithSlapd = program === undefined ? describe.skip : describe;

const GUID = Buffer.from('00112233445566778899aabbccddeeff', 'hex');

const BINARY_GUID = Buffer.from('fffefdfc2a28295c00f0e0d0c0b0a090', 'hex');

const MANY = 2_500;

const ODD_LOGINS = [
  'a*b',
  'c(d)',
  String.raw`back\slash`,
  'müller',
  'Ωmega 🔑',
  'x)(uid=*',
  '%s',
  'a,b+c="d"',
];

const ENTRIES: readonly LdapEntry[] = [
  ...['people', 'many', 'other', 'open'].map((name) => unit(name)),
  person('anna', {
    givenName: 'Anna',
    sn: 'Arndt',
    mail: 'anna@example.org',
    telephoneNumber: '+49 30 1',
    mobile: '+49 170 1',
    userPassword: 'Geheim 1',
    objectGUID: GUID,
  }),
  person('björn', {
    givenName: 'Björn',
    mobile: '+49 170 2',
    userPassword: 'Pässwörd €',
    objectGUID: BINARY_GUID,
  }),
  person('CaseY'),
  person('solo 1', { uid: 'Solo' }),
  person('solo 2', { uid: 'solo' }),
  person('solo 3', { uid: 'sOLO' }),
  person(['dora', 'dorothea']),
  person('nobody', { sn: 'Without a password' }),
  ...ODD_LOGINS.map((login) => person(login)),
  person('twin 1', { uid: 'twin' }),
  person('twin 2', { uid: 'twin' }),
  person('outside', { userPassword: 'Geheim 1' }, `ou=other,${SUFFIX}`),
  person('guest', {}, `ou=open,${SUFFIX}`),
  ...Array.from({ length: MANY }, (_, index) => person(`user${index}`, {}, `ou=many,${SUFFIX}`)),
];

/** Directories ignore blanks around, and take several for one. */
function withoutBlanks(login: string): string {
  return login.replaceAll(' ', '').toLowerCase();
}

describeWithSlapd('the users of an LDAP directory', () => {
  let slapd: Slapd;
  const opened: LdapUsers[] = [];
  const users = (settings: Readonly<Record<string, string>> = {}, password?: string): LdapUsers => {
    const source = ldapUsers(slapd.url, settings, password);
    opened.push(source);
    return source;
  };

  beforeAll(async () => {
    slapd = await startSlapd(program ?? '', {
      entries: ENTRIES,
      configuration: ['limits * size.soft=500 size.hard=500 size.prtotal=unlimited'],
    });
  });

  afterAll(async () => {
    await Promise.all(opened.map((source) => source.close()));
    await slapd.remove();
  });

  it('are told with names, address and phone', async () => {
    const anna = await users().findByLogin('anna');
    expect(anna).toEqual({
      userId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      login: 'anna',
      givenName: 'Anna',
      surname: 'Arndt',
      email: 'anna@example.org',
      phone: '+49 30 1',
    });
  });

  it('are found by the end of a number, however it is written', async () => {
    const found = async (...digits: string[]): Promise<readonly string[]> => {
      const listed = await users().list({ conditions: [{ fields: ['phone'], pattern: ['', ...digits] }] });
      return listed.map(({ login }) => login);
    };
    expect(await found('4', '9', '1', '7', '0', '2')).toEqual(['björn']);
    expect(await found('9', '3', '0', '1')).toEqual(['anna']);
    expect(await found('1', '7', '0')).toEqual([]);
    expect(await found('1', '7', '0', '')).toEqual(['anna', 'björn']);
  });

  it('are not sent by the directory to find a number where no attribute has numbers', async () => {
    const condition: UserCondition = { fields: ['phone'], pattern: ['', '1', '2'] };
    const [givenName, surname, email, phone, mobile] = Array.from({ length: 5 }, () => undefined);
    const attributes = { login: 'uid', givenName, surname, email, phone, mobile };
    const { filters, others } = searchFilters({ attributes, userId: { kind: 'dn' } }, [condition]);
    expect(filters.join()).toBe('(!(objectClass=*))');
    expect(others).toEqual([]);
    const settings = { USERINFO: JSON.stringify({ username: 'uid', surname: 'sn' }) };
    expect(await users(settings).list({ conditions: [condition] })).toEqual([]);
  });

  it.each(ODD_LOGINS)('are found by a login such as %j', async (login) => {
    expect(await users().findByLogin(login)).toMatchObject({ login });
  });

  it('are found by each of several logins, under the one that was asked for', async () => {
    const source = users();
    const [one, other] = [await source.findByLogin('dora'), await source.findByLogin('dorothea')];
    expect([one?.login, other?.login]).toEqual(['dora', 'dorothea']);
    expect(one?.userId).toBe(other?.userId);
  });

  it.each([
    ['casey', 'CaseY'],
    ['CASEY', 'CaseY'],
    ['BJÖRN', 'björn'],
    ['Anna', 'anna'],
    [' anna ', 'anna'],
    ['DOROTHEA', 'dorothea'],
    ['anna@example.org', 'anna'],
    ['Solo', 'Solo'],
    ['sOLO', 'sOLO'],
  ])('are found by %j as the directory compares, under their own login %j', async (typed, login) => {
    const found = await users({ LDAPFILTER: '(|(uid=%s)(mail=%s))' }).findByLogin(typed);
    expect(found).toEqual(await users().findByLogin(login));
    expect(found?.login).toBe(login);
  });

  it('are not guessed where several logins differ in case only, and none is what was typed', async () => {
    const refusal = await eventualRefusal(users().findByLogin('SOLO'));
    expect([refusal.code, refusal.message]).toEqual([
      'user.ambiguous',
      "The login 'SOLO' is that of several users: spell it exactly as their resolver does",
    ]);
  });

  it.each(['an', 'anna*', 'outside', '', ' '])(
    'are not found by %j, which is not the login',
    async (login) => {
      expect(await users().findByLogin(login)).toBeUndefined();
    },
  );

  it.each([
    '*',
    'a*',
    '*)(uid=*',
    'anna)(|(uid=*',
    String.raw`\2a`,
    'anna\0',
    '\0',
    ')',
    '(',
    '\\',
    'anna)(sn=*))(&(uid=x',
  ])('are not found by the filter %j in the place of a login', async (login) => {
    expect(await users().findByLogin(login)).toBeUndefined();
  });

  it('are found by no login but their own, whatever is asked', async () => {
    const source = users({ LDAPFILTER: '(|(uid=%s)(&(cn=%s)(!(mail=%s))))' });
    const piece = fc.constantFrom(
      '*',
      '(',
      ')',
      '\\',
      '|',
      '&',
      '!',
      '=',
      'uid',
      'anna',
      '\0',
      'ä',
      '\\2a',
      '%s',
      ' ',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 8 }), async (pieces) => {
        const login = pieces.join('');
        const found = await source.findByLogin(login);
        return (
          found === undefined ||
          ([...ODD_LOGINS, 'anna'].includes(found.login) &&
            withoutBlanks(found.login) === withoutBlanks(login))
        );
      }),
      { numRuns: 200 },
    );
  });

  it('are not guessed where two entries have the login', async () => {
    const refusal = await eventualRefusal(users().findByLogin('twin'));
    expect(refusal.code).toBe('resolver.unavailable');
    expect(refusal.message).toBe("The resolver 'staff' is unavailable: it has several entries for one user");
  });

  it.each(['entryUUID', 'dn', 'objectGUID', 'uid', 'mail', ''])(
    'are found by their id, UIDTYPE=%s',
    async (UIDTYPE) => {
      const source = users({ UIDTYPE });
      const anna = await source.findByLogin('anna');
      expect(anna?.login).toBe('anna');
      expect(await source.findById(anna?.userId ?? '')).toEqual(anna);
    },
  );

  it('have the hex digits of objectGUID as an id, and are found by the form that Windows shows', async () => {
    const source = users({ UIDTYPE: 'objectGUID' });
    expect((await source.findByLogin('anna'))?.userId).toBe(GUID.toString('hex'));
    expect(await source.findById('33221100-5544-7766-8899-aabbccddeeff')).toMatchObject({ login: 'anna' });
    expect(await source.findById(BINARY_GUID.toString('hex'))).toMatchObject({ login: 'björn' });
    expect(await source.findById('00112233')).toBeUndefined();
  });

  it.each([
    ['dn', `cn=outside,ou=other,${SUFFIX}`],
    ['dn', PEOPLE],
    ['dn', `cn=gone,${PEOPLE}`],
    ['dn', 'no name'],
    ['dn', `cn=anna,ou=people\\,${SUFFIX}`],
    ['dn', ''],
    ['uid', 'outside'],
    ['uid', '*'],
    ['uid', 'ANNA'],
    ['entryUUID', 'no uuid'],
    ['entryUUID', '*'],
  ])('are not found by an id that is nobody’s here, %s %j', async (UIDTYPE, id) => {
    expect(await users({ UIDTYPE }).findById(id)).toBeUndefined();
  });

  it('are counted beyond the size limit of the server, page by page', async () => {
    expect(await users({ LDAPBASE: `ou=many,${SUFFIX}` }).count()).toBe(MANY);
    expect(await users().count()).toBe(ENTRIES.filter(({ dn }) => dn.endsWith(`,${PEOPLE}`)).length);
  });

  it('are searched by the directory, with every text taken as it is', async () => {
    const found = async (condition: UserCondition, limit = 100): Promise<readonly string[]> => {
      const listed = await users().list({ conditions: [condition], limit });
      return listed.map(({ login }) => login);
    };
    for (const login of ODD_LOGINS.filter((one) => !one.includes('*'))) {
      expect(await found(fieldCondition('login', login))).toEqual([login]);
      expect(await found(freeCondition(login.slice(1)))).toContain(login);
    }
    expect(await found(fieldCondition('login', '*)(uid=anna'))).toEqual([]);
    expect(await found(freeCondition('ARNDT'))).toEqual(['anna']);
    expect(await found(freeCondition('+49 170 2'))).toEqual(['björn']);
    expect(await found(fieldCondition('login', 'a*n*a'))).toEqual(['anna']);
    for (const UIDTYPE of ['dn', 'entryUUID', 'uid']) {
      const source = users({ UIDTYPE });
      const { userId = '' } = (await source.findByLogin('anna')) ?? {};
      for (const text of [userId, `*${userId.slice(1)}`]) {
        const conditions = [fieldCondition('userId', text)];
        expect((await source.list({ conditions, limit: 9 })).map(({ login }) => login)).toEqual(['anna']);
      }
    }
  });

  it('are listed up to SIZELIMIT, and counted beyond it', async () => {
    const many = (SIZELIMIT: string): LdapUsers => users({ LDAPBASE: `ou=many,${SUFFIX}`, SIZELIMIT });
    expect(await many('700').list()).toHaveLength(700);
    expect(await many('700').list({ conditions: [], limit: 701 })).toHaveLength(700);
    expect(await many('0').list()).toHaveLength(MANY);
    expect(await many('700').count()).toBe(MANY);
  });

  it('are those of the search filter, also when it is written with escapes and blanks', async () => {
    expect(await users({ LDAPSEARCHFILTER: '(cn=bj\\c3\\b6rn)' }).count()).toBe(1);
    expect(await users({ LDAPSEARCHFILTER: '(cn=bj*rn)' }).count()).toBe(1);
    expect(await users({ LDAPSEARCHFILTER: '(| (uid=anna) (uid=CaseY) )' }).count()).toBe(2);
    expect(await users({ LDAPSEARCHFILTER: '(uid=a\\2ab)' }).count()).toBe(1);
  });

  it('are read without a name where BINDDN is empty, as far as everybody may', async () => {
    expect(await users({ BINDDN: '', LDAPBASE: `ou=open,${SUFFIX}` }, '').count()).toBe(1);
  });

  describe('whose password is checked', () => {
    it.each(['dn', 'entryUUID', 'uid'])('is right, wrong or empty, UIDTYPE=%s', async (UIDTYPE) => {
      const source = users({ UIDTYPE });
      const anna = (await source.findByLogin('anna'))?.userId ?? '';
      expect(await source.checkPassword(anna, 'Geheim 1')).toBe(true);
      expect(await source.checkPassword(anna, 'geheim 1')).toBe(false);
      expect(await source.checkPassword(anna, '')).toBe(false);
      expect(await source.checkPassword(anna, '\0')).toBe(false);
    });

    it('is nobody’s outside of LDAPBASE, nor of a user without one', async () => {
      const source = users({ UIDTYPE: 'dn' });
      expect(await source.checkPassword(`cn=outside,ou=other,${SUFFIX}`, 'Geheim 1')).toBe(false);
      expect(await source.checkPassword(`cn=nobody,${PEOPLE}`, 'Geheim 1')).toBe(false);
      expect(await source.checkPassword(`cn=gone,${PEOPLE}`, 'Geheim 1')).toBe(false);
    });

    it('leaves the connection for searches bound as BINDDN', async () => {
      const source = users({ UIDTYPE: 'dn' });
      await source.checkPassword(`cn=anna,${PEOPLE}`, 'Geheim 1');
      expect(await source.findByLogin('björn')).toMatchObject({ login: 'björn' });
    });
  });
});

/** Bytes of which some are UTF-8; the hex digits of the first are the text of the third. */
const BYTES = ['c3ff', 'c3fe', '63336666'];

(program === undefined ? describe.skip : describe)('the ids of users in an LDAP directory', () => {
  let slapd: Slapd;
  const opened: LdapUsers[] = [];
  const users = (settings: Readonly<Record<string, string>>): LdapUsers => {
    const source = ldapUsers(slapd.url, settings);
    opened.push(source);
    return source;
  };

  beforeAll(async () => {
    const places = ['GUID', 'objectGUID', 'objectSid', 'ownBytes'].flatMap((name) => [
      unit(name),
      ...BYTES.map((bytes, index) =>
        person(`user${index}`, { [name]: Buffer.from(bytes, 'hex') }, `ou=${name},${SUFFIX}`),
      ),
    ]);
    slapd = await startSlapd(program ?? '', {
      entries: [
        unit('people'),
        person('anna', { mail: 'a@example.org', uid: 'anna' }),
        person('bert', { mail: 'A@example.org', uid: 'bert' }),
        person('carl', { mail: 'c@example.org', uid: 'carl' }),
        person('dora', { mail: 'c@example.org', uid: [] }),
        person('emil', { uid: 'emil' }),
        person('fred', { mail: 'f@example.org', uid: ' ' }),
        ...places,
      ],
    });
  });

  afterEach(() => Promise.all(opened.splice(0).map((source) => source.close())));

  afterAll(() => slapd.remove());

  it.each([
    ['GUID', 'GUID'],
    ['guid', 'GUID'],
    ['GUID', 'objectGUID'],
    ['objectGUID', 'objectGUID'],
    ['objectSid', 'objectSid'],
    ['OBJECTSID', 'objectSid'],
  ])('are the hex digits of what UIDTYPE=%s names, here %s', async (UIDTYPE, attribute) => {
    const source = users({ UIDTYPE, LDAPBASE: `ou=${attribute},${SUFFIX}` });
    for (const [index, userId] of BYTES.entries()) {
      const login = `user${index}`;
      expect(await source.findByLogin(login)).toMatchObject({ userId, login });
      expect(await source.findById(userId)).toMatchObject({ userId, login });
      const conditions = [fieldCondition('userId', userId)];
      expect((await source.list({ conditions, limit: 9 })).map((user) => user.login)).toEqual([login]);
    }
    for (const text of ['', 'c', 'c3', 'c3f\u00ff', 'zz', 'c3ff00']) {
      expect([text, await source.findById(text)]).toEqual([text, undefined]);
    }
    expect([await source.count(), (await source.list()).length]).toEqual([3, 3]);
    expect(await source.examine()).toEqual(examination(3));
  });

  it('that are other bytes are refused by the test; those that happen to be texts are told apart', async () => {
    const source = users({ UIDTYPE: 'ownBytes', LDAPBASE: `ou=ownBytes,${SUFFIX}` });
    expect((await eventualRefusal(source.examine())).message).toBe(
      "The resolver 'staff' is unavailable: the attribute that UIDTYPE names holds bytes that are no text",
    );
    expect(await source.findByLogin('user0')).toBeUndefined();
    expect(await source.findByLogin('user2')).toMatchObject({ userId: 'c3ff' });
    expect(await source.findById('c3ff')).toMatchObject({ login: 'user2' });
    expect([await source.count(), (await source.list()).length]).toEqual([1, 1]);
  });

  it('are missing, or the login is: those entries are no users, and are counted by what they lack', async () => {
    const source = users({
      UIDTYPE: 'mail',
      LDAPBASE: PEOPLE,
      LDAPSEARCHFILTER: '(objectClass=inetOrgPerson)',
    });
    // The directory takes anna's address for bert's: the ids are two all the same.
    expect(await source.examine()).toEqual(examination(6, { users: 3, withoutId: 1, withoutLogin: 2 }));
    expect([await source.count(), (await source.list()).length]).toEqual([3, 3]);
    expect((await source.findById('A@example.org'))?.login).toBe('bert');
    const none = users({ UIDTYPE: 'nosuch', LDAPBASE: PEOPLE });
    expect(await none.examine()).toMatchObject({ entries: 5, users: 0, withoutId: 5 });
    expect(await none.count()).toBe(0);
  });
});
