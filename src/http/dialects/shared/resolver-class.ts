import { SETTINGS_RULES } from '../../../resolvers/settings/settings-rules.ts';
import type { Resolver, ResolverKind } from '../../../configuration/configuration.ts';

const CLASSES: Readonly<Record<ResolverKind, string>> = {
  managed: 'ManagedIdResolver',
  passwd: 'PasswdIdResolver',
  sql: 'SQLIdResolver',
  ldap: 'LDAPIdResolver',
};

/** @returns how LinOTP writes a resolver: `useridresolver.PasswdIdResolver.IdResolver.name` */
export function resolverClass(name: string, kind: ResolverKind): string {
  return `useridresolver.${CLASSES[kind]}.IdResolver.${name}`;
}

/**
 * @returns the settings as they are shown: with the secret's key, but never its value. Whoever sends them back after a
 *   change of something else gives no secret with that, and so the one that is there stays
 */
export function shownSettings({ kind, settings }: Resolver): Resolver['settings'] {
  const { secret } = SETTINGS_RULES[kind];
  return secret === undefined ? settings : { ...settings, [secret]: '' };
}
