import { plainName } from '../kernel/text.ts';
import { faultOfLength, shortened, type SourceRow, textOf } from './linotp-source.ts';
import type { TextRepair, ConfigTable, ConfigValue } from './installation-reading.ts';
import type { Mapped } from './import-report.ts';
import { isServiceError } from '../kernel/errors.ts';
import { keepForeignPolicy, turnedOff } from '../policy/policy.ts';
import type { Policy } from '../policy/stored-policy.ts';
import {
  checkOcraSettings,
  isObeyed,
  OCRA_DEFAULTS,
  whyRefused,
  canonicalKey,
  MAX_VALUE_LENGTH,
} from '../configuration/settings.ts';
import { readAdministratorName } from '../administrators/administrator.ts';
import type { ResolverKind } from '../configuration/configuration.ts';
import type { ManagedUser } from '../users/user.ts';
import { checkResolver } from '../resolvers/resolver-draft.ts';
import { SETTINGS_RULES } from '../resolvers/settings/settings-rules.ts';

export interface ImportedRealm {
  readonly name: string;
  /** Names of resolvers, in the order in which they are searched. */
  readonly resolvers: readonly string[];
  readonly isDefault: boolean;
}

const MAX_NAME_LENGTH = 255;
const REALM_GROUP = 'linotp.useridresolver.group.';

function isRealmKey(key: string): boolean {
  return key.startsWith(REALM_GROUP) || key === 'linotp.DefaultRealm';
}

/**
 * Realms are in a table, which has their ids, and in Config, which has their resolvers; each may miss one.
 * @param known names of the resolvers that are imported
 * @param defaultHere the default realm of this installation, which an import does not change
 */
export function mapRealms(
  config: ConfigTable,
  table: ReadonlyMap<number, string>,
  known: ReadonlySet<string>,
  defaultHere: string | undefined,
): readonly Mapped<ImportedRealm>[] {
  const configured = [...config.keys()]
    .filter((key) => key.startsWith(REALM_GROUP))
    .map((key) => key.slice(REALM_GROUP.length).toLowerCase());
  const names = [...new Set([...table.values(), ...configured])].filter((name) => name !== '').sort();
  const chosen = (config.get('linotp.DefaultRealm')?.value ?? '').trim().toLowerCase();
  return names.map((name) => {
    const realm = mapRealm(name, config, known, name === chosen);
    const stays = name === chosen && defaultHere !== undefined && defaultHere !== name;
    return stays
      ? { ...realm, remarks: [...(realm.remarks ?? []), `the default realm here stays ${defaultHere}`] }
      : realm;
  });
}

function mapRealm(
  name: string,
  config: ConfigTable,
  known: ReadonlySet<string>,
  isDefault: boolean,
): Mapped<ImportedRealm> {
  const row = `Config ${REALM_GROUP}${shortened(name)}`;
  if (name.length > MAX_NAME_LENGTH) {
    const reasons = [`its name has more than ${MAX_NAME_LENGTH} characters`];
    return { name: shortened(name), row, value: undefined, reasons };
  }
  const entry = [...config.values()].find(({ key }) => key.toLowerCase() === REALM_GROUP + name);
  const reasons: string[] = [];
  const resolvers = resolversOf(entry, known, reasons);
  const remarks = plainName(name) === name ? [] : ['its name, which could be taken for another one, is kept'];
  return { name, row, value: { name, resolvers, isDefault }, reasons, remarks };
}

function resolversOf(
  entry: ConfigValue | undefined,
  known: ReadonlySet<string>,
  reasons: string[],
): readonly string[] {
  if (entry === undefined) {
    reasons.push('Config names no resolvers for it');
  } else if (entry.fault !== undefined) {
    reasons.push(`its list of resolvers is left: ${entry.fault}`);
  }
  const resolvers: string[] = [];
  const classes = (entry?.value ?? '').split(',').filter((one) => one.trim() !== '');
  for (const one of classes) {
    const resolver = resolverNameOf(one);
    if (resolver === undefined || !known.has(resolver)) {
      reasons.push(`its resolver ${resolver ?? one.trim()} is not imported, and left out`);
    } else {
      resolvers.push(resolver);
    }
  }
  return resolvers;
}

const POLICY_KEY = /^linotp\.Policy\.(.+)\.(scope|action|realm|user|client|time|active)$/s;

function isPolicyKey(key: string): boolean {
  return /^linotp\.Policy\./i.test(key);
}

/**
 * @returns the policies. Unknown actions are without effect; a policy that the server does not understand otherwise, or
 *   that could become wider without them, is inactive
 */
export function mapPolicies(config: ConfigTable): readonly Mapped<Policy>[] {
  const byName = new Map<string, Map<string, ConfigValue>>();
  const others: Mapped<Policy>[] = [];
  for (const value of config.values()) {
    const { key } = value;
    const [, name, field] = POLICY_KEY.exec(key) ?? [];
    if (name !== undefined && field !== undefined) {
      byName.set(name, (byName.get(name) ?? new Map<string, ConfigValue>()).set(field, value));
    } else if (isPolicyKey(key)) {
      const reasons = ['this is no field of a policy'];
      others.push({
        name: key.slice('linotp.Policy.'.length),
        row: `Config ${key}`,
        value: undefined,
        reasons,
      });
    }
  }
  const policies = [...byName].sort(([one], [other]) => (one < other ? -1 : 1));
  return [...policies.map(([name, fields]) => mapPolicy(name, fields)), ...others];
}

function mapPolicy(name: string, fields: ReadonlyMap<string, ConfigValue>): Mapped<Policy> {
  const text = (field: string): string => {
    const value = (fields.get(field)?.value ?? '').trim();
    // What was left out when the policy was set.
    return value === 'None' ? '' : value;
  };
  const stored = {
    name,
    scope: text('scope'),
    action: text('action'),
    realm: text('realm'),
    user: text('user'),
    client: text('client'),
    time: text('time'),
    active: text('active').toLowerCase() === 'true',
  };
  const row = `Config linotp.Policy.${name}.*`;
  const [unread] = [...fields].filter(([, { fault }]) => fault !== undefined);
  const { policy, withoutEffect, fault, isTurnedOff } =
    unread === undefined
      ? keepForeignPolicy(stored)
      : turnedOff(stored, `${unread[0]} cannot be read: ${unread[1].fault ?? ''}`);
  const unknown = withoutEffect.join(', ');
  const remarks = unknown === '' ? [] : [`these actions are unknown and without effect: ${unknown}`];
  return fault === undefined
    ? { name, row, value: policy, reasons: [], remarks }
    : {
        name,
        row,
        value: policy,
        reasons: [`${isTurnedOff ? 'is now inactive' : 'stays inactive'}: ${fault}`],
      };
}

export interface ImportedSetting {
  readonly key: string;
  /** Empty for a secret one. */
  readonly value: string;
  /** null: it is not secret. */
  readonly secret: string | null;
  readonly type: string | null;
  readonly description: string | null;
}

const SETTING_KEY = /^[\p{L}\p{N}_][\p{L}\p{N}_.:-]{0,254}$/u;

/** @returns the values of the configuration that are neither resolvers nor realms nor policies */
export function mapSettings(config: ConfigTable): readonly Mapped<ImportedSetting>[] {
  return [...config.values()]
    .filter(({ key }) => !isResolverKey(key) && !isRealmKey(key) && !isPolicyKey(key))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(mapSetting);
}

function mapSetting(value: ConfigValue): Mapped<ImportedSetting> {
  const key = canonicalKey(value.key, OCRA_DEFAULTS.keys());
  const reason = reasonToLeave(key, value);
  if (reason !== undefined) {
    return { name: key, row: `Config ${value.key}`, value: undefined, reasons: [reason] };
  }
  const isSecret = value.isSecret && !isObeyed(key);
  const setting = {
    key,
    value: isSecret ? '' : value.value,
    secret: isSecret ? value.value : null,
    type: value.type === '' ? null : value.type,
    description: value.description === '' ? null : value.description,
  };
  const remarks = isObeyed(key) ? [] : ['without effect here'];
  return { name: key, row: `Config ${value.key}`, value: setting, reasons: [], remarks };
}

function reasonToLeave(key: string, value: ConfigValue): string | undefined {
  if (value.fault !== undefined) {
    return value.fault;
  }
  if (!SETTING_KEY.test(key)) {
    return 'a key of the configuration has letters, digits and any of _ . : -';
  }
  if (value.value.length > MAX_VALUE_LENGTH) {
    return `it has more than ${MAX_VALUE_LENGTH} characters`;
  }
  return OCRA_DEFAULTS.has(key) ? faultOfOcraSetting(key, value.value) : whyRefused(key, value.value);
}

/** A value that cannot be read would make every challenge fail. */
function faultOfOcraSetting(key: string, value: string): string | undefined {
  try {
    checkOcraSettings(new Map([...OCRA_DEFAULTS, [key, value]]));
    return undefined;
  } catch (error) {
    if (isServiceError(error, 'configuration.invalid')) {
      return `${error.message}; the default ${OCRA_DEFAULTS.get(key) ?? ''} applies`;
    }
    throw error;
  }
}

export interface ImportedAdministrator {
  readonly name: string;
  /** SHA-crypt of glibc; a form that the server cannot verify matches no password. */
  readonly passwordHash: string;
}

/** Characters of the columns of users. */
const USER_BOUNDS = Object.fromEntries(
  ['userid', 'username', 'password', 'givenname', 'surname', 'email', 'phone', 'mobile'].map((column) => [
    column,
    255,
  ]),
);

/** The group of the local administrators of LinOTP 3. LinOTP 2 has none: its web server keeps them. */
const ADMINISTRATORS = 'LinOTP_local_admins';
const VERIFIABLE = /^\$[56]\$(?:rounds=\d{1,9}\$)?[^$]{1,16}\$[./0-9A-Za-z]+$/;

export function mapAdministrators(
  users: readonly SourceRow[],
  repair: TextRepair,
): readonly Mapped<ImportedAdministrator>[] {
  return users
    .filter((row) => textOf(row, 'groupid') === ADMINISTRATORS)
    .map((row) => mapAdministrator(row, repair));
}

function mapAdministrator(source: SourceRow, repair: TextRepair): Mapped<ImportedAdministrator> {
  const login = repair(textOf(source, 'username'));
  const row = `imported_user ${repair(textOf(source, 'userid'))}`;
  const passwordHash = textOf(source, 'password');
  const fault = faultOfLength(source, USER_BOUNDS);
  if (fault !== undefined) {
    return { name: shortened(login), row: shortened(row), value: undefined, reasons: [fault] };
  }
  try {
    const name = readAdministratorName(login);
    const reasons = VERIFIABLE.test(passwordHash)
      ? []
      : ['the hash of the password has an unknown form: set a new one with `tankeeper admin password`'];
    return { name, row, value: { name, passwordHash }, reasons };
  } catch (error) {
    if (isServiceError(error)) {
      return { name: login, row, value: undefined, reasons: [error.message] };
    }
    throw error;
  }
}

export interface ImportedResolver {
  readonly name: string;
  readonly kind: ResolverKind;
  readonly settings: Readonly<Record<string, string>>;
  /** null: it has none. */
  readonly secret: string | null;
  /** The users of a managed resolver, with their ids in LinOTP; none for other kinds. */
  readonly users: readonly ManagedUser[];
}

/** Moves a passwd file to its place on this machine. */
export type FilePlaces = (fileName: string) => string;

const RESOLVER_KEY = /^linotp\.(?!useridresolver\.)([A-Za-z0-9]+resolver)\.([^.]+)\.(.+)$/s;
const RESOLVER_KINDS: Readonly<Partial<Record<string, ResolverKind>>> = {
  passwdresolver: 'passwd',
  sqlresolver: 'sql',
  ldapresolver: 'ldap',
};
const RESOLVER_SECRETS = ['Password', 'BINDPW'];
/** The table of users that LinOTP 3 imports from files; local administrators are in it. */
const IMPORTED_USERS = 'imported_user';

function isResolverKey(key: string): boolean {
  return RESOLVER_KEY.test(key);
}

/** @returns the name of the resolver in the class by which tokens and realms name it; undefined for another text */
export function resolverNameOf(resolverClass: string): string | undefined {
  return /^useridresolver(?:ee)?\.[A-Za-z0-9]+IdResolver\.IdResolver\.(.+)$/s.exec(resolverClass.trim())?.[1];
}

export function mapResolvers(
  config: ConfigTable,
  users: readonly SourceRow[],
  repair: TextRepair,
  places: FilePlaces,
): readonly Mapped<ImportedResolver>[] {
  const byName = new Map<string, { type: string; values: Map<string, ConfigValue> }>();
  for (const value of config.values()) {
    const [, type = '', setting = '', name = ''] = RESOLVER_KEY.exec(value.key) ?? [];
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
  const kind = RESOLVER_KINDS[type];
  if (kind === undefined) {
    return { name, row, value: undefined, reasons: [`resolvers of the type ${type} are unknown`] };
  }
  const isFilled = kind === 'sql' && values.get('Table')?.value === IMPORTED_USERS;
  return isFilled
    ? mapFilledTable(name, row, values.get('Where')?.value ?? '', users, repair)
    : mapConnection(name, row, kind, values, places);
}

function mapConnection(
  name: string,
  row: string,
  kind: ResolverKind,
  values: ReadonlyMap<string, ConfigValue>,
  places: FilePlaces,
): Mapped<ImportedResolver> {
  const reasons: string[] = [];
  const settings = knownValues(kind, values, reasons);
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
      reasons: [
        ...reasons,
        `does not work before it is corrected: ${error.message}`,
        ...(settings.Connect === undefined
          ? []
          : ['Connect is left, as it may hold a password: set its parts']),
      ],
    };
  }
}

/** @param reasons gets the settings that are left */
function knownValues(
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
  const name = RESOLVER_SECRETS.find((one) => settings[one] !== undefined);
  const others = Object.entries(settings).filter(([setting]) => setting !== name && setting !== 'Connect');
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
  const found = rows.filter((one) => repair(textOf(one, 'groupid')) === group);
  const all = found
    .filter((one) => faultOfLength(one, USER_BOUNDS) === undefined)
    .map((one) => readUser(one, repair));
  const users = [...new Map(all.map((user) => [user.login, user])).values()].filter(
    ({ login }) => login !== '',
  );
  const value = { name, kind: 'managed' as const, settings: {}, secret: null, users };
  const left = found.length - users.length;
  const deceptive = users.filter(({ login }) => plainName(login) !== login).length;
  const reasons = [
    `becomes a managed resolver with ${users.length} users`,
    ...(left === 0 ? [] : [`${left} users without a login of their own, or of too long a text, are left`]),
    ...(deceptive === 0 ? [] : [`${deceptive} users keep a login that could be taken for another one`]),
  ];
  return { name, row, value, reasons };
}

function readUser(row: SourceRow, repair: TextRepair): ManagedUser {
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
