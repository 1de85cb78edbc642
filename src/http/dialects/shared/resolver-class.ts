import { SETTINGS_RULES } from '../../../resolvers/settings/settings-rules.ts';
import type { Resolver, ResolverKind } from '../../../configuration/configuration.ts';

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
