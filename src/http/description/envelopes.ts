import { z } from 'zod';
import type { AnswerExample, EnvelopeAnswer } from '../answers.ts';
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

const HEAD = {
  version: z.string().meta({ description: 'the version of the server', examples: ['Tankeeper'] }),
  jsonrpc: z.literal('2.0'),
  id: z.int().meta({ description: 'the parameter `id`; default: 1', examples: [1] }),
};

/** @returns the schema of the whole answer to a request that succeeded */
export function successSchema({ result, detail }: EnvelopeAnswer): z.ZodType {
  return z.strictObject({
    ...HEAD,
    result: z.strictObject({ status: z.literal(true), ...result }),
    ...(detail !== undefined && { detail }),
  });
}

/** The schema of the whole answer to a request that failed. */
export const FAILURE_SCHEMA = z.strictObject({
  ...HEAD,
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

/** The name of its component. */
export const FAILURE = 'Failure';

/** @returns the whole answer around that content */
export function exampleAnswer({ result, detail }: AnswerExample): unknown {
  return {
    version: 'Tankeeper',
    jsonrpc: '2.0',
    id: 1,
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

/** @returns the name of the component that describes the failure */
export function failureName(status: FailureStatus): string {
  return KINDS[status].name;
}

/** @returns every response to a failure, by the name of its component */
export function failureResponses(): Record<string, Response> {
  const kinds: readonly FailureKind[] = Object.values(KINDS);
  return Object.fromEntries(
    kinds.map(({ name, meaning, headers = [] }) => {
      const described = headers.map((header) => [header, reference('headers', header)] as const);
      return [
        name,
        {
          description: meaning,
          headers: { ...REQUEST_ID, ...Object.fromEntries(described) },
          content: { 'application/json': { schema: reference('schemas', FAILURE) } },
        },
      ];
    }),
  );
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
    ...(endpoint.changesState && endpoint.fromAnySite !== true ? [403 as const] : []),
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
