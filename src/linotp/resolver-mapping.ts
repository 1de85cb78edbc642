import { isServiceError } from '../kernel/errors.ts';
import type { ResolverKind } from '../configuration/configuration.ts';
import { plainName } from '../kernel/text.ts';
import type { ManagedUser } from '../users/user-draft.ts';
import { checkResolver } from '../resolvers/resolver-draft.ts';
import { SETTINGS_RULES } from '../resolvers/settings/settings-rules.ts';
import type { ConfigTable, ConfigValue } from './config-table.ts';
import type { Mapped } from './mapped.ts';
import { type SourceRow, textOf } from './linotp-source.ts';
import type { TextRepair } from './text-repair.ts';

/** A user of a table that LinOTP filled from a file, with the id in LinOTP. */
type ImportedUser = ManagedUser;

export interface ImportedResolver {
  readonly name: string;
  readonly kind: ResolverKind;
  readonly settings: Readonly<Record<string, string>>;
  /** null: it has none. */
  readonly secret: string | null;
  /** The users of a managed resolver; none for other kinds. */
  readonly users: readonly ImportedUser[];
}

/** Moves a passwd file to its place on this machine. */
export type FilePlaces = (fileName: string) => string;

const KEY = /^linotp\.(?!useridresolver\.)([A-Za-z0-9]+resolver)\.([^.]+)\.(.+)$/s;
const KINDS: Readonly<Partial<Record<string, ResolverKind>>> = {
  passwdresolver: 'passwd',
  sqlresolver: 'sql',
  ldapresolver: 'ldap',
};
const SECRETS = ['Password', 'BINDPW'];
/** The table of users that LinOTP 3 imports from files; local administrators are in it. */
const IMPORTED_USERS = 'imported_user';

/** @returns true for a key of Config that belongs to a resolver */
export function isResolverKey(key: string): boolean {
  return KEY.test(key);
}

/**
 * @param type the first part of a resolver's keys, such as `ldapresolver`
 * @returns the class by which tokens and realms name the resolver, without its name
 */
export function resolverNameOf(resolverClass: string): string | undefined {
  return /^useridresolver(?:ee)?\.[A-Za-z0-9]+IdResolver\.IdResolver\.(.+)$/s.exec(resolverClass.trim())?.[1];
}

/** @returns the resolvers of the configuration, by name */
export function mapResolvers(
  config: ConfigTable,
  users: readonly SourceRow[],
  repair: TextRepair,
  places: FilePlaces,
): readonly Mapped<ImportedResolver>[] {
  const byName = new Map<string, { type: string; values: Map<string, ConfigValue> }>();
  for (const value of config.values()) {
    const [, type = '', setting = '', name = ''] = KEY.exec(value.key) ?? [];
    if (name !== '') {
      const known = byName.get(name) ?? { type, values: new Map<string, ConfigValue>() };
      known.values.set(setting, value);
      byName.set(name, known);
    }
  }
  return [...byName]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { type, values }]) => mapResolver(name, type, values, { users, repair, places }));
}

function mapResolver(
  name: string,
  type: string,
  values: ReadonlyMap<string, ConfigValue>,
  { users, repair, places }: { users: readonly SourceRow[]; repair: TextRepair; places: FilePlaces },
): Mapped<ImportedResolver> {
  const row = `Config linotp.${type}.*.${name}`;
  const kind = KINDS[type];
  if (kind === undefined) {
    return { name, row, value: undefined, reasons: [`resolvers of the type ${type} are unknown`] };
  }
  const isFilled = kind === 'sql' && values.get('Table')?.value === IMPORTED_USERS;
  return isFilled
    ? mapFilledTable(name, row, values.get('Where')?.value ?? '', users, repair)
    : mapSettings(name, row, kind, values, places);
}

function mapSettings(
  name: string,
  row: string,
  kind: ResolverKind,
  values: ReadonlyMap<string, ConfigValue>,
  places: FilePlaces,
): Mapped<ImportedResolver> {
  const reasons: string[] = [];
  const settings = knownSettings(kind, values, reasons);
  const { fileName } = settings;
  if (fileName !== undefined && places(fileName) !== fileName) {
    settings.fileName = places(fileName);
    reasons.push(`fileName is now ${settings.fileName}`);
  }
  try {
    const checked = checkResolver({ name, kind, settings });
    const value = { name, kind, settings: checked.settings, secret: checked.secret ?? null, users: [] };
    return { name, row, value, reasons };
  } catch (error) {
    if (!isServiceError(error)) {
      throw error;
    }
    // Kept nevertheless: realms and owners of tokens refer to it.
    const value = { name, kind, ...withoutSecret(settings), users: [] };
    return {
      name,
      row,
      value,
      reasons: [...reasons, `does not work before it is corrected: ${error.message}`],
    };
  }
}

/** @param reasons gets the settings that are left */
function knownSettings(
  kind: ResolverKind,
  values: ReadonlyMap<string, ConfigValue>,
  reasons: string[],
): Record<string, string> {
  const known = SETTINGS_RULES[kind].names;
  const settings: Record<string, string> = {};
  for (const [setting, { value, fault }] of values) {
    if (fault !== undefined) {
      reasons.push(`${setting} ${fault}; set it anew`);
    } else if (value !== '' && known.includes(setting)) {
      settings[setting] = value;
    } else if (value !== '') {
      reasons.push(`${setting} is left: it has no meaning here`);
    }
  }
  return settings;
}

function withoutSecret(
  settings: Readonly<Record<string, string>>,
): Pick<ImportedResolver, 'settings' | 'secret'> {
  const name = SECRETS.find((one) => settings[one] !== undefined);
  const others = Object.entries(settings).filter(([setting]) => setting !== name);
  return {
    settings: Object.fromEntries(others),
    secret: name === undefined ? null : (settings[name] ?? null),
  };
}

/** A resolver over LinOTP's own table of users becomes a managed one, with its users. */
function mapFilledTable(
  name: string,
  row: string,
  condition: string,
  rows: readonly SourceRow[],
  repair: TextRepair,
): Mapped<ImportedResolver> {
  const group = /^\s*groupid\s*=\s*'([^']*)'\s*$/i.exec(condition)?.[1] ?? name;
  const all = rows
    .filter((one) => repair(textOf(one, 'groupid')) === group)
    .map((one) => readUser(one, repair));
  const users = [...new Map(all.map((user) => [user.login, user])).values()].filter(
    ({ login }) => login !== '',
  );
  const value = { name, kind: 'managed' as const, settings: {}, secret: null, users };
  const left = all.length - users.length;
  const reasons = [`becomes a managed resolver with ${users.length} users`];
  reasons.push(...(left === 0 ? [] : [`${left} users without a login of their own are left`]));
  const deceptive = users.filter(({ login }) => plainName(login) !== login).length;
  reasons.push(
    ...(deceptive === 0 ? [] : [`${deceptive} users keep a login that could be taken for another one`]),
  );
  return { name, row, value, reasons };
}

function readUser(row: SourceRow, repair: TextRepair): ImportedUser {
  const text = (column: string): string => repair(textOf(row, column));
  const hash = text('password');
  return {
    userId: text('userid'),
    login: text('username'),
    passwordHash: hash === '' ? null : hash,
    givenName: text('givenname'),
    surname: text('surname'),
    email: text('email'),
    phone: text('mobile') === '' ? text('phone') : text('mobile'),
  };
}
