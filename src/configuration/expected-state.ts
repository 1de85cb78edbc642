import { ServiceError } from '../kernel/errors.ts';
import type { Realm, Resolver } from './configuration.ts';

/** The resolver that a caller has read: its settings without the secret. Null: there was none. */
export type ExpectedResolver = Resolver['settings'] | null;

/** The resolvers of the realm that a caller has read. Null: there was no such realm. */
export type ExpectedRealm = Realm['resolvers'] | null;

/**
 * Keeps an editor from overwriting the change of another one.
 * @throws ServiceError 'resolver.changed' where the stored one is another
 */
export function assertResolverUnchanged(
  name: string,
  expected: ExpectedResolver,
  stored: ExpectedResolver,
): void {
  if (!isSameEntry(expected, stored)) {
    throw new ServiceError('resolver.changed', changedMeanwhile('resolver', name, expected, stored));
  }
}

function isSameEntry(expected: ExpectedResolver, stored: ExpectedResolver): boolean {
  if (expected === null || stored === null) {
    return expected === stored;
  }
  const keys = new Set([...Object.keys(expected), ...Object.keys(stored)]);
  return [...keys].every((key) => expected[key] === stored[key]);
}

/** Likewise. @throws ServiceError 'realm.changed' */
export function assertRealmUnchanged(name: string, expected: ExpectedRealm, stored: ExpectedRealm): void {
  if (JSON.stringify(expected) !== JSON.stringify(stored)) {
    throw new ServiceError('realm.changed', changedMeanwhile('realm', name, expected, stored));
  }
}

function changedMeanwhile(
  what: 'realm' | 'resolver',
  name: string,
  expected: object | null,
  stored: object | null,
): string {
  const done = expected === null ? 'was created' : stored === null ? 'was removed' : 'was changed';
  return `The ${what} '${name}' ${done} by somebody else meanwhile; nothing was changed now`;
}
