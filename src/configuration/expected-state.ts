import { ServiceError } from '../kernel/errors.ts';
import type { Realm, Resolver } from './configuration.ts';

/** The resolver that a caller has read: its settings without the secret. Null: there was none. */
export type ExpectedResolver = Resolver['settings'] | null;

/** The resolvers of the realm that a caller has read. Null: there was no such realm. */
export type ExpectedRealm = Realm['resolvers'] | null;

/** The configuration values that a caller has read, by key. Null: it was not set. */
export type ExpectedSettings = ReadonlyMap<string, string | null>;

/**
 * Keeps an editor from overwriting the change of another one.
 * @param by who has made the change
 * @throws ServiceError 'resolver.changed' where the stored one is another
 */
export function assertResolverUnchanged(
  name: string,
  expected: ExpectedResolver,
  stored: ExpectedResolver,
  by: string,
): void {
  if (!isSameEntry(expected, stored)) {
    throw new ServiceError('resolver.changed', changedMeanwhile('resolver', name, by));
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
export function assertRealmUnchanged(
  name: string,
  expected: ExpectedRealm,
  stored: ExpectedRealm,
  by: string,
): void {
  if (JSON.stringify(expected) !== JSON.stringify(stored)) {
    throw new ServiceError('realm.changed', changedMeanwhile('realm', name, by));
  }
}

/** Likewise, of each expected key. @throws ServiceError 'configuration.changed' that names the first changed one */
export function assertSettingsUnchanged(
  expected: ExpectedSettings,
  stored: ReadonlyMap<string, string>,
  by: string,
): void {
  const changed = [...expected].find(([key, value]) => (stored.get(key) ?? null) !== value);
  if (changed !== undefined) {
    throw new ServiceError('configuration.changed', changedMeanwhile('configuration value', changed[0], by));
  }
}

function changedMeanwhile(what: string, name: string, by: string): string {
  return `The ${what} '${name}' was changed by ${by} meanwhile; nothing was changed now`;
}
