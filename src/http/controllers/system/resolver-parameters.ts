import { SETTINGS_RULES } from '../../../resolvers/settings/settings-rules.ts';
import { optional, required, secret } from '../../request/parameter-schemas.ts';

/** Settings that contain a password besides the passwords themselves: a database URL. */
const URLS_WITH_PASSWORD: readonly string[] = ['connect'];

/** The name of a resolver. */
export const RESOLVER = required('the name of the resolver', 'directory');

/** The settings of all kinds of resolvers; the service knows which of them belong together. */
export const RESOLVER_PARAMETERS = Object.fromEntries(
  Object.values(SETTINGS_RULES).flatMap(({ names, secret: password }) =>
    names.map((name) => {
      const schema = optional('a setting, see the guide to resolvers');
      const isSecret = name === password || URLS_WITH_PASSWORD.includes(name.toLowerCase());
      return [name.toLowerCase(), isSecret ? secret(schema) : schema] as const;
    }),
  ),
);

/** The password is removed by a parameter of its own: clients send an empty one for that which they were not shown. */
export const REMOVE_PASSWORD = optional('`1`: removes the stored password', '1');

/** @returns the secret of the draft: null removes the stored one */
export function removalOf(removePassword: string | undefined): { readonly secret?: null } {
  return removePassword === '1' ? { secret: null } : {};
}

/** @returns the settings that have a value */
export function providedSettings(
  settings: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Removes the suffix of LinOTP's names of resolver types: `passwdresolver`. */
export function resolverKind(type: string): string {
  return type
    .trim()
    .toLowerCase()
    .replace(/resolver$/, '');
}
