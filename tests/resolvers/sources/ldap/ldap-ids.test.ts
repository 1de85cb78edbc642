import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { LdapUsers } from '../../../../src/resolvers/sources/ldap/ldap-users.ts';
import { fieldCondition } from '../../../../src/resolvers/user-source.ts';
import { eventualRefusal } from '../../../support/application/eventual-refusal.ts';
import { ldapUsers, PEOPLE, person, unit } from '../../../support/servers/ldap-resolver.ts';
import { findSlapd, type Slapd, startSlapd, SUFFIX } from '../../../support/servers/slapd.ts';

const program = await findSlapd();

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

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((source) => source.close()));
  });

  afterAll(async () => {
    await slapd.remove();
  });

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
    expect(await source.examine()).toEqual({
      entries: 3,
      users: 3,
      withoutId: 0,
      withoutLogin: 0,
      sharingId: 0,
    });
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
    expect(await source.examine()).toEqual({
      entries: 6,
      users: 3,
      withoutId: 1,
      withoutLogin: 2,
      sharingId: 0,
    });
    expect([await source.count(), (await source.list()).length]).toEqual([3, 3]);
    expect((await source.findById('A@example.org'))?.login).toBe('bert');
    const none = users({ UIDTYPE: 'nosuch', LDAPBASE: PEOPLE });
    expect(await none.examine()).toMatchObject({ entries: 5, users: 0, withoutId: 5 });
    expect(await none.count()).toBe(0);
  });

  it('that two entries have are told', async () => {
    const source = users({ UIDTYPE: 'sn', LDAPBASE: PEOPLE });
    expect(await source.examine()).toMatchObject({ users: 4, sharingId: 4 });
  });
});
