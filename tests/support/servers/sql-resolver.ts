import { checkSettings } from '../../../src/resolvers/settings/settings-rules.ts';
import type { Resolver } from '../../../src/configuration/configuration.ts';
import { SqlUsers } from '../../../src/resolvers/sources/sql/sql-users.ts';
import { ReadableHasher } from '../application/readable-hasher.ts';

/** Settings with the address of a database of the tests. */
export type Reach = Readonly<Record<string, string>>;

/** `userid` and so on, to the columns of `SQL_PEOPLE`. */
const PEOPLE_MAP = JSON.stringify({
  userid: 'id',
  username: 'user',
  password: 'password',
  salt: 'salt',
  givenname: 'givenName',
  surname: 'sn',
  email: 'mail',
  phone: 'telephoneNumber',
  mobile: 'mobile',
});

/** @returns the settings of a resolver by LinOTP's names; empty ones are left out */
export function sqlSettings(reach: Reach, changes: Reach = {}): Record<string, string> {
  return { Table: 'people', Map: PEOPLE_MAP, ...reach, ...changes };
}

/** @returns the address of the database of a postgres:// URL of the tests, as settings */
export function reachOf(url: string): { readonly reach: Reach; readonly password: string } {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  return {
    password: decodeURIComponent(password),
    reach: {
      Driver: 'postgresql',
      Server: searchParams.get('host') ?? hostname,
      Port: searchParams.get('port') ?? port,
      User: decodeURIComponent(username),
      Database: decodeURIComponent(pathname.slice(1)),
    },
  };
}

/** The inputs of a resolver. */
export interface SqlUsersSketch {
  readonly settings: Readonly<Record<string, string>>;
  readonly password?: string;
  /** Milliseconds. */
  readonly timeoutMs?: number;
  readonly logged?: string[];
}

/**
 * @returns the users of a resolver named `staff`
 * @throws ServiceError 'resolver.invalid' for invalid settings
 */
export function sqlUsers({ settings, password, timeoutMs = 60_000, logged = [] }: SqlUsersSketch): SqlUsers {
  const checked = checkSettings('sql', settings);
  const resolver: Resolver = { id: '1', name: 'staff', kind: 'sql', settings: checked, isBounded: true };
  const line = (message: string, fields?: object): void => {
    logged.push(JSON.stringify({ message, ...fields }));
  };
  const hasher = new ReadableHasher();
  return new SqlUsers({
    resolver,
    secrets: { open: () => Promise.resolve(password) },
    hasher,
    timeoutMs,
    log: { error: line, warn: line, info: line, debug: line },
  });
}
