import { z } from 'zod';
import { type Resolver, RESOLVER_KINDS, type ResolverKind } from '../../configuration/configuration.ts';
import { LDAP_SETTINGS } from './ldap-settings.ts';
import {
  canonicalSettings,
  readSettings,
  setting,
  type SettingFacts,
  type Settings,
} from './setting-values.ts';
import { SQL_SETTINGS, withoutConnect } from './sql-settings.ts';

const PASSWD_SETTINGS = z.object({
  fileName: setting(
    z
      .string('is missing')
      .max(4_096, 'is too long')
      .regex(/^(?:\/|[A-Za-z]:[\\/])\P{Cc}*$/u, 'is not an absolute path'),
    {
      description: 'Absolute path of the file; over HTTP below a folder of RESOLVER_FILE_DIRS.',
      example: '/srv/tankeeper/users/passwd',
    },
  ),
});

const KINDS: Readonly<Record<ResolverKind, { readonly meaning: string; readonly schema: z.ZodObject }>> = {
  managed: { meaning: "Users in tankeeper's own database.", schema: z.object({}) },
  passwd: { meaning: 'Users in a file such as /etc/passwd, read as it changes.', schema: PASSWD_SETTINGS },
  sql: { meaning: 'Users in a table of PostgreSQL, MySQL or MariaDB.', schema: SQL_SETTINGS },
  ldap: { meaning: 'Users in an LDAP directory.', schema: LDAP_SETTINGS },
};

interface DescribedSetting extends SettingFacts {
  readonly name: string;
  /** True if there is no resolver of the kind without it. */
  readonly isRequired: boolean;
}

function describedSettings({ shape }: z.ZodObject): DescribedSetting[] {
  return Object.entries(shape).map(([name, one]) => ({
    name,
    isRequired: !z.safeParse(one, undefined).success,
    ...(z.globalRegistry.get(one) as SettingFacts),
  }));
}

/** @returns the kinds of resolvers, and the settings of all */
export function describedKinds(): {
  readonly kinds: readonly { readonly kind: ResolverKind; readonly meaning: string }[];
  readonly settings: readonly (DescribedSetting & { readonly kind: ResolverKind })[];
} {
  return {
    kinds: RESOLVER_KINDS.map((kind) => ({ kind, meaning: KINDS[kind].meaning })),
    settings: RESOLVER_KINDS.flatMap((kind) =>
      describedSettings(KINDS[kind].schema).map((one) => ({ kind, ...one })),
    ),
  };
}

interface SettingsRule {
  /** The names of its settings, the secret's included; they are given in any case. */
  readonly names: readonly string[];
  /** The name of the secret; undefined: it has none. */
  readonly secret: string | undefined;
  /** Settings that determine the receiver of the secret. */
  readonly secretBoundTo: readonly string[];
}

function ruleOf({ schema }: { readonly schema: z.ZodObject }): SettingsRule {
  const settings = describedSettings(schema);
  return {
    names: settings.map(({ name }) => name),
    secret: settings.find(({ isSecret: secret }) => secret === true)?.name,
    secretBoundTo: settings.filter(({ isBoundToSecret: bound }) => bound === true).map(({ name }) => name),
  };
}

export const SETTINGS_RULES: Readonly<Record<ResolverKind, SettingsRule>> = {
  managed: ruleOf(KINDS.managed),
  passwd: ruleOf(KINDS.passwd),
  sql: ruleOf(KINDS.sql),
  ldap: ruleOf(KINDS.ldap),
};

/** Settings that contain a password besides the passwords themselves: a database URL. */
const URLS_WITH_PASSWORD: readonly string[] = ['connect'];

/** @returns true for a password, or what holds one; names in any case */
export function isSecretSetting(name: string): boolean {
  const passwords = Object.values(SETTINGS_RULES).map((rule) => rule.secret?.toLowerCase());
  return [...URLS_WITH_PASSWORD, ...passwords].includes(name.trim().toLowerCase());
}

/**
 * @param values names in any case
 * @returns the settings in the form to be stored, flags as `True` and `False`, with the secret
 * @throws ServiceError 'resolver.invalid'
 */
export function checkSettings(kind: ResolverKind, values: Settings): Settings {
  const settings = withoutConnect(canonicalSettings(kind, SETTINGS_RULES[kind].names, values));
  const read = readSettings(KINDS[kind].schema, settings);
  const flags = Object.entries(read).filter(
    ([name, value]) => typeof value === 'boolean' && name in settings,
  );
  return {
    ...settings,
    ...Object.fromEntries(flags.map(([name, on]) => [name, on === true ? 'True' : 'False'])),
  };
}

const CLASSES: Readonly<Record<ResolverKind, string>> = {
  managed: 'ManagedIdResolver',
  passwd: 'PasswdIdResolver',
  sql: 'SQLIdResolver',
  ldap: 'LDAPIdResolver',
};

/** @returns LinOTP's name of a resolver: `useridresolver.PasswdIdResolver.IdResolver.name` */
export function resolverClass(name: string, kind: ResolverKind): string {
  return `useridresolver.${CLASSES[kind]}.IdResolver.${name}`;
}

/**
 * @returns the settings for display: with the key of the secret, but never its value. A client that sends them back
 *   after changing another setting sends no secret, and the stored one stays
 */
export function shownSettings({ kind, settings }: Resolver): Resolver['settings'] {
  const { secret } = SETTINGS_RULES[kind];
  return secret === undefined ? settings : { ...settings, [secret]: '' };
}
