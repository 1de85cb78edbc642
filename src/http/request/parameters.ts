import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { ServiceError } from '../../kernel/errors.ts';
import { isStorable } from '../../kernel/text.ts';
import { type QueryEntry, parseQueryString, tooManyParameters } from './query-string.ts';

/** The parameters of a request: names in lower case, each with its last value. */
export type RequestValues = ReadonlyMap<string, string>;

/** All parameters of a request. */
export interface RequestParameters {
  readonly parameters: RequestValues;
  /** The same with names as the client wrote them, for names that are keys with a significant case. */
  readonly written: ReadonlyMap<string, string>;
}

/** The parameters of a request by source, before names are folded to lower case. */
export interface ParameterSources {
  readonly query: readonly QueryEntry[];
  readonly body: readonly QueryEntry[];
}

/**
 * @returns the parameters in the query string
 * @throws ServiceError 'request.malformed'
 */
export function readQueryEntries({ url = '' }: Pick<IncomingMessage, 'url'>, max: number): QueryEntry[] {
  return parseQueryString(queryOf(url), max);
}

/**
 * Merges the parameters of a request. The query string takes precedence over the body. Of a repeated name the last
 * value is used, or the first where `repeated` says so. Names are read in any letter case, except `session`.
 * @param max parameters, those of the query string and the body together
 * @throws ServiceError 'request.malformed'
 */
export function mergeSources(
  { query, body }: ParameterSources,
  max: number,
  repeated: 'first' | 'last' = 'last',
): RequestParameters {
  const entries = repeated === 'last' ? [...body, ...query] : [...body.toReversed(), ...query.toReversed()];
  return { parameters: mergeParameters(entries, max), written: new Map(entries) };
}

/** The parameters that authenticate a caller, at every endpoint. */
const CREDENTIALS: readonly string[] = ['session', 'csrf_token'];

/**
 * @param secrets names of parameters, in lower case
 * @returns the parameters with an empty text in place of each secret and credential. Their names stay, as LinOTP's
 *   pages list parameters in an order that depends on all names
 */
export function withholdSecrets(
  { parameters, written }: RequestParameters,
  secrets: ReadonlySet<string>,
): RequestParameters {
  const withhold = (all: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
    const kept = new Map<string, string>();
    for (const [name, value] of all) {
      const key = name.toLowerCase();
      kept.set(name, secrets.has(key) || CREDENTIALS.includes(key) ? '' : value);
    }
    return kept;
  };
  return { parameters: withhold(parameters), written: withhold(written) };
}

/** @returns the parameters in the query string alone, for answers to unreadable requests; none where it is broken */
export function readQuery({ url = '' }: Pick<IncomingMessage, 'url'>): RequestValues {
  try {
    return mergeParameters(parseQueryString(queryOf(url)), Infinity);
  } catch {
    return new Map();
  }
}

/**
 * @param entries of a repeated name the last one is used
 * @throws ServiceError 'request.malformed' when there are more than `max`, or a text holds a forbidden character
 */
export function mergeParameters(entries: readonly QueryEntry[], max: number): RequestValues {
  if (entries.length > max) {
    throw tooManyParameters(max);
  }
  const values = new Map<string, string>();
  for (const [name, value] of entries) {
    assertText(name);
    assertText(value);
    const lowerCase = name.toLowerCase();
    if (lowerCase !== 'session' || name === 'session') {
      values.set(lowerCase, value);
    }
  }
  return values;
}

/**
 * Picks the parameters of an endpoint; others are ignored.
 * @throws ServiceError 'parameter.missing' for the first one that is required and not given, 'parameter.invalid'
 */
export function pickParameters<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  values: RequestValues,
): z.output<z.ZodObject<Shape>> {
  const picked = Object.keys(schema.shape).flatMap((name) => {
    const value = values.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const parsed = schema.safeParse(Object.fromEntries(picked));
  if (parsed.success) {
    return parsed.data;
  }
  const name = String(parsed.error.issues[0]?.path[0]);
  throw values.has(name)
    ? new ServiceError(
        'parameter.invalid',
        `The parameter '${name}' is not valid: ${parsed.error.issues[0]?.message ?? ''}`,
        { parameter: name },
      )
    : new ServiceError('parameter.missing', `Missing parameter '${name}'.`, { parameters: [name] });
}

/** @returns undefined for an empty value */
export function emptyAsUndefined(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

/** @returns undefined for a value that is empty or blank: old clients also send the empty fields of their forms */
export function blankAsUndefined(value: string | undefined): string | undefined {
  return value?.trim() === '' ? undefined : value;
}

function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}

/** Rejects U+0000, which the database refuses, and lone surrogates. */
function assertText(text: string): void {
  if (!isStorable(text)) {
    throw new ServiceError('request.malformed', 'A parameter holds U+0000 or an unpaired surrogate');
  }
}
