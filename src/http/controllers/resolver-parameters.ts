import type { z } from 'zod';
import { ServiceError } from '../../kernel/errors.ts';
import { SETTINGS_RULES } from '../../resolvers/settings/settings-rules.ts';
import { optional, required, secret } from '../request/parameter-schemas.ts';

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

/** The state that the caller has read and changed. */
export const EXPECTED = optional('the state that the caller has read');

/**
 * @param shape of the state, which is JSON
 * @returns the state that is expected; undefined: any
 * @throws ServiceError 'parameter.invalid'
 */
export function readExpected<Shape extends z.ZodType>(
  text: string | undefined,
  shape: Shape,
): z.output<Shape> | undefined {
  if (text === undefined || text.trim() === '') {
    return undefined;
  }
  const read = shape.safeParse(jsonOf(text));
  if (!read.success) {
    throw new ServiceError(
      'parameter.invalid',
      "The parameter 'expected' is JSON in the form that the documentation names, or null",
      { parameter: 'expected' },
    );
  }
  return read.data;
}

/** @returns undefined where it is no JSON */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @returns the settings that are given */
export function givenOf(settings: Readonly<Record<string, string | undefined>>): Record<string, string> {
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
