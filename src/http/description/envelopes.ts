import { z } from 'zod';
import type { AnswerExample, EnvelopeAnswer } from '../answers.ts';
import type { DialectName } from '../dialects/dialect.ts';
import type { Family } from '../request/exchange.ts';
import { type Endpoint, isOfAccountPage, type Method } from '../endpoint-spec.ts';

/*
 * The parts of an OpenAPI 3.1 document that the description uses (https://spec.openapis.org/oas/v3.1.1).
 */

export interface Reference {
  readonly $ref: string;
}

export interface MediaType {
  readonly schema?: JsonSchema | Reference;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;
}

export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, Header | Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

/** @returns a reference to a component of the same document */
export function reference(kind: 'schemas' | 'responses' | 'parameters' | 'headers', name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}

/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 contains them. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * @param io `input`: of values that are read; `output`: of values that are sent, in which unknown members are refused
 * @returns the JSON Schema of the same values
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const described: Record<string, unknown> = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.secret === true) {
        delete jsonSchema.secret;
        jsonSchema.format = 'password';
      }
      // Facts for commands.
      delete jsonSchema.given;
      delete jsonSchema.column;
    },
  });
  // The document names the dialect of JSON Schema once, by its version.
  delete described.$schema;
  return described;
}

/** The envelopes: that of the documented dialect, and those of the two releases of LinOTP. */
export type Envelope = 'documented' | Family;

/** @returns the envelope of answers to requests of that family */
export function envelopeOf(dialect: DialectName, family: Family): Envelope {
  return dialect === 'documented' ? 'documented' : family;
}

const version = z.string().meta({ description: 'the version of the server', examples: ['Tankeeper'] });
const HEADS = {
  documented: {
    version,
    jsonrpc: z.literal('2.0'),
    id: z.int().meta({ description: 'the parameter `id`; default: 1', examples: [1] }),
  },
  linotp2: { version, jsonrpc: z.literal('2.0802'), id: z.literal([0, 1]) },
  linotp3: { version, jsonrpc: z.literal('2.0802'), id: z.literal(1), versionNumber: z.string() },
} as const satisfies Record<Envelope, z.ZodRawShape>;

const EXAMPLE_HEADS = {
  documented: { version: 'Tankeeper', jsonrpc: '2.0', id: 1 },
  linotp2: { version: 'LinOTP 2.12.6', jsonrpc: '2.0802', id: 1 },
  linotp3: { version: 'LinOTP 3.4.4', jsonrpc: '2.0802', id: 1, versionNumber: '3.4.4' },
} as const satisfies Record<Envelope, object>;

/** @returns the schema of the whole answer to a request that succeeded */
export function successSchema(envelope: Envelope, { result, detail }: EnvelopeAnswer): z.ZodType {
  return z.strictObject({
    ...HEADS[envelope],
    result: z.strictObject({ status: z.literal(true), ...result }),
    ...(detail !== undefined && { detail }),
  });
}

/** @returns the schema of the whole answer to a request that failed */
export function failureSchema(envelope: Envelope): z.ZodType {
  return z.strictObject({
    ...HEADS[envelope],
    result: z.strictObject({
      status: z.literal(false),
      error: z.strictObject({
        code: z.int().meta({
          description:
            '77 a missing parameter, 410 a missing right, 1205 an unknown user, 707 the security module, else -311',
          examples: [-311],
        }),
        message: z.string().meta({ examples: ['There is no token QR9'] }),
      }),
    }),
  });
}

/** @returns the whole answer around that content */
export function exampleAnswer(envelope: Envelope, { result, detail }: AnswerExample): unknown {
  return {
    ...EXAMPLE_HEADS[envelope],
    result: { status: true, ...result },
    ...(detail !== undefined && { detail }),
  };
}

/** The header that every answer has. */
export const REQUEST_ID: Readonly<Record<string, Reference>> = {
  'X-Request-Id': reference('headers', 'X-Request-Id'),
};

/** Headers that answers share. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'the id of the request in the log: that of the request header, or a new one',
    required: true,
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'seconds to wait', schema: { type: 'integer', minimum: 0 } },
  'WWW-Authenticate': {
    description: 'Basic, or Sign-In after a step of a sign-in',
    schema: { type: 'string' },
  },
  Deprecation: {
    description: 'the day of the deprecation (RFC 9745), with `Link` to its page',
    required: true,
    schema: { type: 'string', examples: ['@1657843200'] },
  },
  Link: { description: 'the page on the deprecation', required: true, schema: { type: 'string' } },
  Sunset: {
    description: 'the day on which POST ends (RFC 8594), once it is set',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, Header>;

interface FailureKind {
  readonly name: string;
  readonly meaning: string;
  readonly headers?: readonly (keyof typeof HEADERS)[];
}

/** The failures by status. Others come with 200, or with the status that the parameter `httperror` requests. */
const KINDS = {
  400: { name: 'MalformedRequest', meaning: 'the request cannot be read' },
  401: { name: 'NotAuthenticated', meaning: 'no valid credential', headers: ['WWW-Authenticate'] },
  403: { name: 'CrossSiteRequest', meaning: 'another site made a browser send the request' },
  404: { name: 'NotOffered', meaning: 'no policy offers it: as a path that is not there' },
  413: { name: 'TooLarge', meaning: 'the body is too large' },
  415: { name: 'UnknownMediaType', meaning: 'the body is neither a form nor JSON nor multipart' },
  429: { name: 'TooManyRequests', meaning: 'a limit is reached', headers: ['Retry-After'] },
  500: { name: 'Fault', meaning: 'a fault of the server, which its log explains' },
  503: {
    name: 'Unavailable',
    meaning: 'the server is busy, or its database is away',
    headers: ['Retry-After'],
  },
  default: { name: 'Failure', meaning: 'a failure with the status that the parameter `httperror` requests' },
} as const satisfies Record<number | 'default', FailureKind>;

type FailureStatus = keyof typeof KINDS;

/** @returns the name of the component that describes the failure, in the envelope */
export function failureName(envelope: Envelope, status: FailureStatus): string {
  return `${PREFIXES[envelope]}${KINDS[status].name}`;
}

/** @returns the name of the component that is the schema of failures */
export function failureSchemaName(envelope: Envelope): string {
  return `${PREFIXES[envelope]}Failure`;
}

const PREFIXES: Readonly<Record<Envelope, string>> = {
  documented: '',
  linotp2: 'LinOtp2',
  linotp3: 'LinOtp3',
};

/** @returns every response to a failure in that envelope, by the name of its component */
export function failureResponses(envelope: Envelope): Record<string, Response> {
  // No policy is asked by the endpoints of LinOTP 3.
  const kinds = Object.keys(KINDS).filter((key) => envelope !== 'linotp3' || key !== '404');
  return Object.fromEntries(
    (kinds as `${FailureStatus}`[]).map((key) => {
      const status = (key === 'default' ? key : Number(key)) as FailureStatus;
      const { meaning, headers = [] }: FailureKind = KINDS[status];
      const described = headers.map((name) => [name, reference('headers', name)] as const);
      return [
        failureName(envelope, status),
        {
          description: meaning,
          headers: { ...REQUEST_ID, ...Object.fromEntries(described) },
          content: contentOf(envelope, status),
        },
      ];
    }),
  );
}

/** LinOTP answers some failures with pages: 401 of the 2.x interface always, others where `httperror` is given. */
function contentOf(envelope: Envelope, status: FailureStatus): Record<string, MediaType> {
  const json = { 'application/json': { schema: reference('schemas', failureSchemaName(envelope)) } };
  const page = { 'text/html': { schema: { type: 'string' } } };
  if (envelope === 'documented') {
    return json;
  }
  return envelope === 'linotp2' && status === 401 ? page : { ...json, ...page };
}

/** @returns true if the endpoint may fail with status 200 */
export function failsInEnvelope({ path, access, parameters, failureText }: Endpoint): boolean {
  const hasParameters =
    access !== 'open' || isOfAccountPage(path) || Object.keys(parameters.shape).length > 0;
  return failureText === undefined && hasParameters;
}

/** @returns the statuses with which a request may fail */
export function failureStatuses(endpoint: Endpoint, method: Method): FailureStatus[] {
  const isProbe = isUnlimited(endpoint);
  // One that has no envelope describes this state itself.
  const describesOwn = isProbe && endpoint.answers.documented.envelope === undefined;
  return [
    400,
    ...(isOpen(endpoint) ? [] : [401 as const]),
    ...(refusesForeign(endpoint) ? [403 as const] : []),
    ...(isOfAccountPage(endpoint.path) ? [404 as const] : []),
    ...(method === 'POST' ? [413 as const, 415 as const] : []),
    ...(isProbe ? [] : [429 as const]),
    500,
    ...(describesOwn ? [] : [503 as const]),
    ...(failsInEnvelope(endpoint) ? ['default' as const] : []),
  ];
}

/** True if it refuses no credential. */
function isOpen({ access, requires, path }: Endpoint): boolean {
  return access === 'open' && requires !== 'sign-in' && requires !== 'link' && !isOfAccountPage(path);
}

function isUnlimited({ access, answersAlways }: Endpoint): boolean {
  return access === 'open' && answersAlways === true;
}

function refusesForeign({ changesState, fromAnySite }: Endpoint): boolean {
  return changesState && fromAnySite !== true;
}
