import type { ValueOf } from '../api/call.ts';
import type { ShownResolver } from '../realms/realm-queries.ts';

/** A kind of resolver with its settings, as the server describes it. */
export type ResolverKind = ValueOf<'/system/resolverKinds'>[number];
export type ResolverSetting = ResolverKind['settings'][number];

/** A resolver as it is in the form. */
export interface Draft {
  readonly name: string;
  readonly kind: string;
  /** The settings by name, the password among them where one is typed. */
  readonly values: Readonly<Record<string, string>>;
}

/** One URL in place of other settings; the form has these. */
const LEFT_OUT = 'Connect';

/** @returns the settings of a kind that the form has */
export function settingsInForm({ settings }: ResolverKind): readonly ResolverSetting[] {
  return settings.filter(({ name }) => name !== LEFT_OUT);
}

/** @returns the form of a stored resolver, with an empty password */
export function draftOf({ name, type, ...settings }: ShownResolver): Draft {
  return { name, kind: type, values: settings };
}

/** @returns the parameters of the requests that try and store it */
export function parametersOf({ name, kind, values }: Draft): {
  readonly name: string;
  readonly type: string;
} {
  // The interface has them in lower case.
  const given = Object.entries(values).flatMap(([setting, value]) =>
    value.trim() === '' ? [] : [[setting.toLowerCase(), value] as const],
  );
  return { ...Object.fromEntries(given), name, type: kind };
}

/**
 * @param stored the resolver as it was read; undefined: a new one
 * @returns the parameter `expected`: the settings without the password
 */
export function expectedOf(stored: ShownResolver | undefined, kind: ResolverKind | undefined): string {
  if (stored === undefined) {
    return 'null';
  }
  const secrets = (kind?.settings ?? []).filter(({ secret }) => secret).map(({ name }) => name);
  const settings = Object.entries(draftOf(stored).values).filter(([name]) => !secrets.includes(name));
  return JSON.stringify(Object.fromEntries(settings));
}
