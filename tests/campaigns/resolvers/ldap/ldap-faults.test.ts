import { type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Ber, BerWriter, PagedResultsControl } from 'ldapts';
import type { LdapUsers } from '../../../../src/resolvers/sources/ldap/ldap-users.ts';
import { eventualRefusal } from '../../../support/values/refusal.ts';
import {
  type FakeServer,
  fakeServer,
  ldapUsers,
  PEOPLE,
  person,
  unit,
} from '../../../support/servers/ldap-resolver.ts';
import { findSlapd, READER, type Slapd, startSlapd, SUFFIX } from '../../../support/servers/slapd.ts';

const program = findSlapd();
const describeWithSlapd = program === undefined ? describe.skip : describe;

const BIND_ANSWER = 0x61;
const SEARCH_ANSWER = 0x65;
const SEARCH_ENTRY = 0x64;
const CONTROLS = 0xa0;

const closing: { close(): Promise<void> }[] = [];

afterEach(() => Promise.all(closing.splice(0).map((thing) => thing.close())));

function users(url: string, settings: Readonly<Record<string, string>> = {}, password?: string): LdapUsers {
  const source = ldapUsers(url, settings, password);
  closing.push(source);
  return source;
}

async function serve(onSocket: (socket: Socket) => void): Promise<FakeServer> {
  const server = await fakeServer(onSocket);
  closing.push(server);
  return server;
}

/** Answers the first message with a successful bind, and the others by `answers`, one after the other. */
function afterBind(...answers: readonly ((id: number, socket: Socket) => void)[]): (socket: Socket) => void {
  return (socket) => {
    let id = 0;
    socket.on('data', () => {
      id += 1;
      if (id === 1) {
        socket.write(message(id, BIND_ANSWER));
      } else {
        answers[id - 2]?.(id, socket);
      }
    });
  };
}

/** A result with the code 0. */
function message(id: number, operation: number, cookie?: string): Buffer {
  const writer = new BerWriter();
  writer.startSequence();
  writer.writeInt(id);
  writer.startSequence(operation);
  if (operation === SEARCH_ENTRY) {
    writer.writeString(`cn=anna,${PEOPLE}`);
    writer.startSequence();
    writer.endSequence();
  } else {
    writer.writeEnumeration(0);
    writer.writeString('');
    writer.writeString('');
  }
  writer.endSequence();
  if (cookie !== undefined) {
    writer.startSequence(CONTROLS);
    new PagedResultsControl({ value: { size: 0, cookie: Buffer.from(cookie) } }).write(writer);
    writer.endSequence();
  }
  writer.endSequence();
  return writer.buffer;
}

describeWithSlapd('an LDAP directory that cannot be used', () => {
  let slapd: Slapd;

  beforeAll(async () => {
    slapd = await startSlapd(program ?? '', {
      entries: [
        unit('people'),
        ...['anna', 'bert', 'carl'].map((uid) => person(uid, { userPassword: 'Geheim 1' })),
      ],
      configuration: [
        'limits dn.exact="cn=nobody" size=1',
        'limits * size.soft=2 size.hard=2 size.prtotal=2',
      ],
    });
  });

  afterAll(() => slapd.remove());

  it.each([
    [{ BINDDN: READER }, 'wrong', 'the directory refuses BINDDN and its password'],
    [{ BINDDN: `cn=gone,${SUFFIX}` }, 'wrong', 'the directory refuses BINDDN and its password'],
    [{ BINDDN: READER }, '', 'BINDDN is set without a password'],
    [{ LDAPBASE: `ou=gone,${SUFFIX}` }, undefined, 'LDAPBASE does not exist, or may not be seen'],
    [{ LDAPBASE: 'nowhere' }, undefined, 'LDAPBASE is no distinguished name'],
    [{ LDAPSEARCHFILTER: '(uid=\\ff)' }, undefined, 'LDAPSEARCHFILTER is no LDAP filter'],
    [{ LDAPFILTER: '(%s=anna)' }, undefined, 'LDAPFILTER needs %s in the place of the login, as in (uid=%s)'],
    [
      { TIMEOUT: 'soon' },
      undefined,
      'The setting TIMEOUT is a number of seconds such as 5, or two such as 5;10',
    ],
    [{}, undefined, 'the answer is larger than the size limit of the directory'],
  ])('says what is wrong: %j', async (settings, password, reason) => {
    const refusal = await eventualRefusal(users(slapd.url, settings, password).count());
    expect(refusal.code).toBe('resolver.unavailable');
    expect(refusal.message).toBe(`The resolver 'staff' is unavailable: ${reason}`);
    expect(JSON.stringify([refusal.detail, String(refusal.cause)])).not.toContain('wrong');
  });

  it('is asked again after it was killed and restarted', async () => {
    const source = users(slapd.url, { UIDTYPE: 'dn' });
    const anna = `cn=anna,${PEOPLE}`;
    expect(await source.findById(anna)).toMatchObject({ login: 'anna' });
    await slapd.kill();
    const asking = [source.findById(anna), source.count(), source.checkPassword(anna, 'Geheim 1')];
    for (const { message } of await Promise.all(asking.map(eventualRefusal))) {
      expect(message).toBe("The resolver 'staff' is unavailable: no connection to the server");
    }
    await slapd.start();
    expect(await source.findById(anna)).toMatchObject({ login: 'anna' });
    expect(await source.checkPassword(anna, 'Geheim 1')).toBe(true);
  });

  it('is passed over for another server of its own, which is remembered', async () => {
    const silent = await serve(() => undefined);
    const source = users(`${silent.url}, ${slapd.url}`, { TIMEOUT: '5' });
    for (const login of ['anna', 'bert', 'carl']) {
      expect(await source.findByLogin(login)).toMatchObject({ login });
      await source.checkPassword((await source.findByLogin(login))?.userId ?? '', 'Geheim 1');
    }
    expect(silent.connections()).toBe(1);
  });

  it('holds up nobody else while it does not answer', async () => {
    const silent = await serve(() => undefined);
    const hanging = users(silent.url, { TIMEOUT: '6' });
    const refusals = Array.from({ length: 30 }, () => eventualRefusal(hanging.findByLogin('anna')));
    const other = users(slapd.url);
    expect(await Promise.race([other.findByLogin('anna'), ...refusals])).toMatchObject({ login: 'anna' });
    const messages = new Set((await Promise.all(refusals)).map(({ message }) => message));
    expect([...messages].sort()).toEqual([
      "The resolver 'staff' is unavailable: the server does not answer within 6 s",
      "The resolver 'staff' is unavailable: too many questions wait for the directory",
    ]);
    expect(silent.connections()).toBeLessThanOrEqual(8);
  });
});

describe('a server that is no good LDAP directory', () => {
  it('is given up after TIMEOUT when it never answers', async () => {
    const silent = await serve(() => undefined);
    const source = users(silent.url, { TIMEOUT: '0.3', UIDTYPE: 'dn' });
    const asking = [source.count(), source.list(), source.findById(`cn=anna,${PEOPLE}`)];
    for (const refusal of await Promise.all(asking.map(eventualRefusal))) {
      expect(refusal.message).toBe(
        "The resolver 'staff' is unavailable: the server does not answer within 0.3 s",
      );
    }
  });

  it.each(['ldaps', 'StartTLS'])('is given up after TIMEOUT when it never begins %s', async (way) => {
    const silent = await serve(() => undefined);
    const url = way === 'ldaps' ? silent.url.replace('ldap:', 'ldaps:') : silent.url;
    const refusal = await eventualRefusal(users(url, { TIMEOUT: '0.3', EnforceTLS: 'True' }).count());
    expect(refusal.message).toMatch(/no TLS within 0.3 s|does not answer within 0.3 s/);
  });

  it('does not pass for one without users when it closes in the middle of an answer', async () => {
    const server = await serve(
      afterBind((id, socket) => {
        socket.end(Buffer.concat([message(id, SEARCH_ENTRY), message(id, SEARCH_ANSWER).subarray(0, 5)]));
      }),
    );
    const refusal = await eventualRefusal(users(server.url).count());
    expect(refusal.message).toBe("The resolver 'staff' is unavailable: the server closed the connection");
  });

  it('does not pass for one without users when it answers a search with something else', async () => {
    const server = await serve(afterBind((id, socket) => socket.write(message(id, BIND_ANSWER))));
    const refusal = await eventualRefusal(users(server.url).count());
    expect(refusal.message).toBe("The resolver 'staff' is unavailable: the server answers amiss");
  });

  it('is given up when its pages have no end', async () => {
    const endless = Array.from({ length: 500 }, () => (id: number, socket: Socket): void => {
      socket.write(message(id, SEARCH_ANSWER, 'more'));
    });
    const server = await serve(afterBind(...endless));
    const refusal = await eventualRefusal(users(server.url).count());
    expect(refusal.message).toContain('the server does not come to an end');
  });

  it('is cut off when it sends more entries than were asked for, before they fill the memory', async () => {
    const server = await serve(
      afterBind((id, socket) => {
        const entries = Buffer.concat(Array.from({ length: 10 }, () => message(id, SEARCH_ENTRY)));
        const send = (): void => {
          if (!socket.destroyed) {
            socket.write(entries, () => setImmediate(send));
          }
        };
        send();
      }),
    );
    const source = users(server.url, { TIMEOUT: '60' });
    const asking = [source.findByLogin('anna'), source.findById('7')];
    for (const refusal of await Promise.all(asking.map(eventualRefusal))) {
      expect(refusal.message).toBe(
        "The resolver 'staff' is unavailable: the server sends more entries than it was asked for",
      );
    }
  });

  it.each([
    ['HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['a message without end', Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff, 0x02])],
    ['a message of no length', Buffer.from([0x30, 0x80, 0x02, 0x01, 0x01])],
    ['an empty message', Buffer.from([0x30, 0x00])],
    ['thousands of messages at once', Buffer.alloc(700_000, Buffer.from('30050201016400', 'hex'))],
    ['thousands of broken messages at once', Buffer.alloc(700_000, Buffer.from('3003020109', 'hex'))],
    ['a farewell', Buffer.concat([message(0, 0x78)])],
    ['an operation that there is not', Buffer.from('30050201017f00', 'hex')],
    ['bytes', Buffer.alloc(100_000, Ber.OctetString)],
  ])('is told as such when it answers with %s', async (_, bytes) => {
    const server = await serve((socket) => socket.once('data', () => socket.write(bytes)));
    const refusal = await eventualRefusal(users(server.url, { TIMEOUT: '60' }).count());
    expect(refusal.code).toBe('resolver.unavailable');
    expect(refusal.message).not.toContain('does not answer within');
  });
});
