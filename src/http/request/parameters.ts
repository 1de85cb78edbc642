import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { ServiceError } from '../../kernel/errors.ts';
import { type Decoder, decoderInForm, decodeUtf8OrLatin1, type FileParameter } from './charsets.ts';
import { isStorable } from '../../kernel/text.ts';

/** The parameters of a request: names in lower case, each with its last value. */
export type RequestValues = ReadonlyMap<string, string>;

/** All parameters of a request. */
interface RequestParameters {
  readonly parameters: RequestValues;
  /** The same with names as the client wrote them, for names that are keys with a significant case. */
  readonly written: ReadonlyMap<string, string>;
}

/** The parameters of a request by source, before names are folded to lower case. */
interface ParameterSources {
  readonly query: readonly QueryEntry[];
  readonly body: readonly QueryEntry[];
}

/**
 * @param max parameters; further ones are refused before they are decoded
 * @returns the parameters in the query string
 * @throws ServiceError 'request.malformed'
 */
export function readQueryEntries(
  { url = '' }: Pick<IncomingMessage, 'url'>,
  max = ANY_NUMBER,
  syntax: FormSyntax = {},
): QueryEntry[] {
  const [, query = ''] = /\?(.*)$/s.exec(url) ?? [];
  return parseForm(Buffer.from(query, 'utf8'), max, syntax);
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
/** The parameters of every endpoint that shape the answer. */
export const ANSWER_PARAMETERS: readonly string[] = ['id', 'httperror'];
/** The parameters of every endpoint. */
export const EVERYWHERE: readonly string[] = [...CREDENTIALS, ...ANSWER_PARAMETERS];

/** Characters of a name that nobody declared, in a message. */
const NAME_SHOWN = 64;

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
export function readQuery(request: Pick<IncomingMessage, 'url'>): RequestValues {
  try {
    return mergeParameters(readQueryEntries(request), ANY_NUMBER);
  } catch {
    return new Map();
  }
}

/**
 * @param entries of a repeated name the last one is used
 * @throws ServiceError 'request.malformed' when there are more than `max`, or a text holds a forbidden character
 */
function mergeParameters(entries: readonly QueryEntry[], max: number): RequestValues {
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
 * Picks the parameters of an endpoint. Others are ignored, as LinOTP does, unless the schema is strict: a misspelt
 * condition would hold nothing back.
 * @throws ServiceError 'parameter.missing' for the first one that is required and not given, 'parameter.invalid'
 */
export function pickParameters<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  values: RequestValues,
): z.output<z.ZodObject<Shape>> {
  refuseUnknown(schema, values);
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
    ? invalidParameter(name, `The parameter '${name}' is not valid: ${parsed.error.issues[0]?.message ?? ''}`)
    : missingParameter(name);
}

export function missingParameter(name: string): ServiceError {
  return new ServiceError('parameter.missing', `Missing parameter '${name}'.`, { parameters: [name] });
}

export function invalidParameter(parameter: string, message: string): ServiceError {
  return new ServiceError('parameter.invalid', message, { parameter });
}

/** @returns true if the endpoint refuses parameters that it does not declare */
export function isStrict({ def }: z.ZodObject): boolean {
  return def.catchall instanceof z.ZodNever;
}

function refuseUnknown(schema: z.ZodObject, values: RequestValues): void {
  if (!isStrict(schema)) {
    return;
  }
  for (const name of values.keys()) {
    if (!Object.hasOwn(schema.shape, name) && !EVERYWHERE.includes(name)) {
      const parameter = Array.from(name).slice(0, NAME_SHOWN).join('');
      throw invalidParameter(parameter, `There is no parameter '${parameter}'.`);
    }
  }
}

/** @returns undefined for a value that is empty or blank: old clients also send the empty fields of their forms */
export function blankAsUndefined(value: string | undefined): string | undefined {
  return value?.trim() === '' ? undefined : value;
}

/** Rejects U+0000, which the database refuses, and lone surrogates. */
function assertText(text: string): void {
  if (!isStorable(text)) {
    throw new ServiceError('request.malformed', 'A parameter holds U+0000 or an unpaired surrogate');
  }
}

/** A parameter as given: name and value. Names may repeat. */
export type QueryEntry = readonly [name: string, value: string];

/** More parameters than fit into a request. */
const ANY_NUMBER = 2 ** 31;

const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

/**
 * Reads `application/x-www-form-urlencoded` (https://url.spec.whatwg.org/#urlencoded-parsing). By default a malformed
 * percent sequence is refused, as a guess could differ from the value that the sender meant.
 * @param max parameters; further ones are refused before they are decoded
 * @throws ServiceError 'request.malformed' for too many parameters, a broken percent sequence, or as `syntax.decode` does
 */
export function parseForm(bytes: Buffer, max: number, syntax: FormSyntax = {}): QueryEntry[] {
  // Latin-1 has a character for each byte.
  const pairs = bytes.toString('latin1').split(syntax.splitsAtSemicolon === true ? /[&;]/ : '&', max + 1);
  if (pairs.length > max) {
    throw tooManyParameters(max);
  }
  return pairs.filter((pair) => pair !== '').map((pair) => parsePair(pair, syntax));
}

/** @returns the refusal of a request that carries too many parameters */
export function tooManyParameters(max: number): ServiceError {
  return new ServiceError('request.malformed', `The request has more than ${max} parameters`);
}

function parsePair(pair: string, syntax: FormSyntax): QueryEntry {
  const [encoded = ''] = pair.split('=', 1);
  const name = (syntax.decode ?? decodeUtf8OrLatin1)(bytesOf(encoded, syntax));
  const decode = syntax.decode ?? decoderInForm(name, syntax.file);
  return [name, decode(bytesOf(pair.slice(encoded.length + 1), syntax))];
}

const HEXADECIMAL = /^[\da-f]{2}$/i;

/** Decodes in place: a text of megabytes would make a string for each character that is replaced. */
function bytesOf(encoded: string, { keepsPercent }: FormSyntax): Buffer {
  const bytes = Buffer.from(encoded, 'latin1');
  let length = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    bytes[length] = byte === PLUS ? SPACE : byte;
    if (byte === PERCENT) {
      const digits = encoded.slice(index + 1, index + 3);
      if (HEXADECIMAL.test(digits)) {
        bytes[length] = parseInt(digits, 16);
        index += 2;
      } else if (keepsPercent !== true) {
        throw new ServiceError('request.malformed', 'A percent sign in a parameter encodes nothing');
      }
    }
    length += 1;
  }
  return bytes.subarray(0, length);
}

/** The reading of a form. */
export interface FormSyntax {
  /** Decodes a name or a value; default: UTF-8, else Latin-1, as old clients declare no charset. */
  readonly decode?: Decoder;
  readonly file?: FileParameter | undefined;
  /** A percent sign that encodes nothing stands for itself, as in LinOTP; default: it is refused. */
  readonly keepsPercent?: boolean;
  /** `;` separates parameters, too, as in LinOTP 2. */
  readonly splitsAtSemicolon?: boolean;
}

/*
 * Schemas of parameters, as endpoints declare them. Each has a description for the reference of endpoints.
 */

/** @param example a value, for the description of the interface */
export function required(meaning: string, example?: string): z.ZodString {
  return z.string().meta(facts(meaning, example));
}

/** @param example a value, for the description of the interface */
export function optional(meaning: string, example?: string): z.ZodOptional<z.ZodString> {
  return z.string().optional().meta(facts(meaning, example));
}

function facts(description: string, example: string | undefined): z.core.GlobalMeta {
  return { description, ...(example !== undefined && { examples: [example] }) };
}

/** @returns the schema of a secret: only the endpoint gets its value, not the dialects, the log or the audit */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ ...schema.meta(), secret: true });
}
