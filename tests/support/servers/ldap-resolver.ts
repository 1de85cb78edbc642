import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { canonicalSettings } from '../../../src/resolvers/settings/setting-values.ts';
import { SETTINGS_RULES } from '../../../src/resolvers/settings/settings-rules.ts';
import { LdapUsers } from '../../../src/resolvers/sources/ldap/ldap-users.ts';
import { type LdapEntry, READER, READER_PASSWORD, SUFFIX } from './slapd.ts';

export const PEOPLE = `ou=people,${SUFFIX}`;

/** Settings as the presets of LinOTP's console write them. */
export const SETTINGS: Readonly<Record<string, string>> = {
  LDAPBASE: PEOPLE,
  BINDDN: READER,
  TIMEOUT: '30',
  LOGINNAMEATTRIBUTE: 'uid',
  LDAPSEARCHFILTER: '(uid=*)(objectClass=inetOrgPerson)',
  LDAPFILTER: '(&(uid=%s)(objectClass=inetOrgPerson))',
  USERINFO: JSON.stringify({
    username: 'uid',
    phone: 'telephoneNumber',
    mobile: 'mobile',
    email: 'mail',
    surname: 'sn',
    givenname: 'givenName',
  }),
  UIDTYPE: 'entryUUID',
};

/** @returns the resolver `staff` with these settings besides the usual ones */
export function ldapUsers(
  url: string,
  settings: Readonly<Record<string, string>> = {},
  password: string = READER_PASSWORD,
): LdapUsers {
  return new LdapUsers({
    resolver: 'staff',
    settings: canonicalSettings('ldap', SETTINGS_RULES.ldap.names, {
      ...SETTINGS,
      LDAPURI: url,
      ...settings,
    }),
    password: () => Promise.resolve(password),
  });
}

/** @returns the entry of a person in `ou` */
export function person(
  uid: string | readonly string[],
  attributes: Readonly<Record<string, string | Buffer | readonly string[]>> = {},
  ou = PEOPLE,
): LdapEntry {
  const cn = (typeof uid === 'string' ? uid : uid[0]) ?? '';
  const escaped = cn.replaceAll(/[,+"\\<>;=#]/g, String.raw`\$&`).replace(/^ | $/, String.raw`\ `);
  return {
    dn: `cn=${escaped},${ou}`,
    attributes: { objectClass: ['inetOrgPerson', 'extensibleObject'], cn, sn: 'Muster', uid, ...attributes },
  };
}

/** @returns a unit of an organization's tree */
export function unit(ou: string, above: string = SUFFIX): LdapEntry {
  return { dn: `ou=${ou},${above}`, attributes: { objectClass: 'organizationalUnit', ou } };
}

/** A server that speaks no LDAP by itself. */
export interface FakeServer {
  readonly url: string;
  /** @returns the number of its connections so far */
  connections(): number;
  /** @returns the bytes that it received */
  received(): Buffer;
  close(): Promise<void>;
}

/** Accepts connections on 127.0.0.1 and passes them to `serve`. */
export async function fakeServer(serve: (socket: Socket) => void): Promise<FakeServer> {
  const sockets = new Set<Socket>();
  const received: Buffer[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => received.push(chunk));
    socket.once('close', () => sockets.delete(socket));
    serve(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `ldap://127.0.0.1:${port}`,
    connections: () => connections,
    received: () => Buffer.concat(received),
    close: async () => {
      server.close();
      sockets.forEach((socket) => socket.destroy());
      await once(server, 'close');
    },
  };
}
