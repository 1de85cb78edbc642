import type { ResolverKind } from '../../accounts/setup.ts';

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
