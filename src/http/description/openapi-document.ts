import { z } from 'zod';
import type { DialectAnswers, EnvelopeAnswer, OtherAnswer } from '../answers.ts';
import { type Endpoint, type Method, type Requirement, endpointIn } from '../endpoint-spec.ts';
import { EVERYWHERE, isStrict } from '../request/parameters.ts';
import {
  type JsonSchema,
  jsonSchemaOf,
  type MediaType,
  reference,
  type Reference,
  type Response,
  type Header,
  exampleAnswer,
  failsInEnvelope,
  FAILURE,
  FAILURE_SCHEMA,
  failureName,
  failureStatuses,
  REQUEST_ID,
  failureResponses,
  HEADERS,
  successSchema,
} from './envelopes.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'query';
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: true;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, MediaType>>;
  };
  /** By status; `default` for all others. */
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

export type PathItem = Readonly<Partial<Record<'get' | 'post', Operation>>>;

interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly responses: Readonly<Record<string, Response>>;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly headers: Readonly<Record<string, Header>>;
  readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Components;
}

/** The interface of a server. */
interface DescribedInterface {
  readonly endpoints: readonly Endpoint[];
  /** The version of tankeeper. */
  readonly version: string;
  /** The path below which a proxy shows the server; default: the root. */
  readonly prefix?: string;
}

const DESCRIPTION = `This is the documented dialect, in which the console speaks, too. A server with \`WIRE_DIALECT=linotp\` answers at the paths of LinOTP as that does.

Parameters are read from the query string and from the body: a form, JSON or multipart. The query string takes precedence. Names are read in any letter case, but for \`session\`. Unknown parameters are ignored, unless the schema of the body has no additional properties: then they are refused.

HEAD is answered wherever GET is, and OPTIONS everywhere. An unknown path is answered with 404, a wrong method with 405 and \`Allow\`. Answers may not be cached, but for this description and its page. The Content-Type of JSON may name the charset UTF-8.`;

const TAGS = [
  { name: 'ocra', description: 'Challenges and responses (RFC 6287)' },
  { name: 'validate', description: 'Responses by user, token or transaction' },
  { name: 'monitoring', description: 'Numbers and states; they change nothing' },
  { name: 'admin', description: 'Sessions, enrolment and tokens' },
  { name: 'system', description: 'Policies, realms, resolvers and configuration values' },
  { name: 'operations', description: 'Health and measurements' },
  { name: 'self-service', description: 'Own tokens of users, at /app/account' },
  { name: 'documentation', description: 'This description' },
] as const;

/** @returns the description of the interface, in the documented dialect */
export function describeInterface({ version, prefix = '', ...all }: DescribedInterface): OpenApiDocument {
  const endpoints = all.endpoints.map((endpoint) => endpointIn('documented', endpoint));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tankeeper',
      version,
      summary: 'QR-TAN challenges and responses (RFC 6287), tokens and monitoring',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: prefix === '' ? '/' : prefix, description: 'this server' }],
    tags: TAGS,
    paths: Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, pathItem(endpoint)])),
    components: componentsOf(endpoints),
  };
}

function pathItem(endpoint: Endpoint): PathItem {
  return Object.fromEntries(
    endpoint.methods.map((method) => [method.toLowerCase(), describeOperation(endpoint, method)]),
  );
}

function componentsOf(endpoints: readonly Endpoint[]): Components {
  return {
    schemas: {
      [FAILURE]: jsonSchemaOf(FAILURE_SCHEMA, 'output'),
      ...Object.fromEntries(endpoints.flatMap(schemasOf)),
    },
    responses: failureResponses(),
    parameters: {
      id: {
        name: 'id',
        in: 'query',
        description: 'a whole number that the answer repeats as its `id`',
        schema: { type: 'string' },
      },
      httperror: {
        name: 'httperror',
        in: 'query',
        description:
          'the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500',
        schema: { type: 'string' },
      },
    },
    headers: HEADERS,
    securitySchemes: SECURITY_SCHEMES,
  };
}

function schemasOf(endpoint: Endpoint): (readonly [string, JsonSchema])[] {
  const { parameters, methods, answers } = endpoint;
  const { envelope: success, refusal } = answers.documented;
  return [
    ...(methods.includes('POST') && hasBody(endpoint)
      ? [[schemaName(endpoint, 'Parameters'), bodySchema(parameters)] as const]
      : []),
    ...(success === undefined
      ? []
      : [[schemaName(endpoint, 'Answer'), jsonSchemaOf(successSchema(success), 'output')] as const]),
    ...(refusal === undefined || refusal === 'failure'
      ? []
      : [[schemaName(endpoint, 'Refusal'), jsonSchemaOf(successSchema(refusal), 'output')] as const]),
  ];
}

/** @returns true also where no parameter is taken but those of every endpoint, and others are refused */
function hasBody({ parameters }: Pick<Endpoint, 'parameters'>): boolean {
  return isStrict(parameters) || Object.keys(parameters.shape).length > 0;
}

/** Strict parameters also name those of every endpoint: what passes the schema is then what the server takes. */
function bodySchema(parameters: z.ZodObject): JsonSchema {
  const everywhere = Object.fromEntries(EVERYWHERE.map((name) => [name, z.string().optional()]));
  return jsonSchemaOf(
    isStrict(parameters) ? z.strictObject({ ...everywhere, ...parameters.shape }) : parameters,
    'input',
  );
}

/** The forms of a body. */
const BODY_TYPES = ['application/x-www-form-urlencoded', 'application/json', 'multipart/form-data'] as const;
const DEPRECATION = ['Deprecation', 'Link', 'Sunset'] as const;

const REQUIREMENTS: Readonly<Record<string, string>> = {
  credential: 'Requires any credential of an administrator.',
  password: 'Requires the name and password of an administrator.',
  'sign-in': 'Requires a sign-in that this browser has begun.',
  link: 'Requires the link of an operator.',
  'user-password':
    'Requires the login and password of a user whom a policy of the scope selfservice lets in.',
  'user-session': 'Requires the session of a user at /app/account.',
  transaction: 'Requires the id of an open transaction.',
  nothing: 'Open to all.',
} satisfies Readonly<Partial<Record<Requirement, string>>>;

/** @returns the name of the endpoint in components and operations: `OcraCheckT` */
function endpointName({ path }: Pick<Endpoint, 'path'>): string {
  return path
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** @returns the name of a schema of the endpoint: of a success, the answer to a wrong password, the parameters in a body */
function schemaName(endpoint: Pick<Endpoint, 'path'>, of: 'Answer' | 'Refusal' | 'Parameters'): string {
  return `${endpointName(endpoint)}${of}`;
}

/** @returns the description of the endpoint's answer to one method */
function describeOperation(endpoint: Endpoint, method: Method): Operation {
  const { summary, requires, isPostDeprecated, parameters } = endpoint;
  const isDeprecated = method === 'POST' && isPostDeprecated === true;
  const [, folder = ''] = endpoint.path.split('/');
  return {
    operationId: `${method.toLowerCase()}${endpointName(endpoint)}`,
    tags: [TAGS_BY_FOLDER[folder] ?? 'operations'],
    // A summary is plain text.
    summary: `${summary.charAt(0).toUpperCase()}${summary.slice(1)}`.replaceAll('`', ''),
    description: REQUIREMENTS[requires] ?? `Requires the right \`${requires}\`.`,
    ...(isDeprecated && { deprecated: true }),
    security: securityOf(endpoint, method),
    parameters: [
      ...(method === 'GET' ? queryParameters(parameters) : []),
      ...(failsInEnvelope(endpoint)
        ? [reference('parameters', 'id'), reference('parameters', 'httperror')]
        : []),
    ],
    ...(method === 'POST' && bodyOf(endpoint)),
    responses: responsesOf(endpoint, method, isDeprecated),
  };
}

/** The groups of endpoints, by the first segment of their paths. */
const TAGS_BY_FOLDER: Readonly<Record<string, string>> = {
  monitoring: 'monitoring',
  ocra: 'ocra',
  validate: 'validate',
  admin: 'admin',
  system: 'system',
  docs: 'documentation',
  self: 'self-service',
  'openapi.json': 'documentation',
};

function queryParameters(parameters: z.ZodObject): Parameter[] {
  const { properties = {}, required = [] } = jsonSchemaOf(parameters, 'input') as {
    readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(typeof description === 'string' && { description }),
    ...(required.includes(name) && { required: true }),
    schema,
  }));
}

function bodyOf(endpoint: Endpoint): Pick<Operation, 'requestBody'> {
  if (!hasBody(endpoint)) {
    return {};
  }
  const schema = reference('schemas', schemaName(endpoint, 'Parameters'));
  return {
    requestBody: {
      required: !endpoint.parameters.safeParse({}).success,
      content: Object.fromEntries(BODY_TYPES.map((type) => [type, { schema }])),
    },
  };
}

function responsesOf(endpoint: Endpoint, method: Method, isDeprecated: boolean): Operation['responses'] {
  const answers = endpoint.answers.documented;
  const failures = failureStatuses(endpoint, method).map(
    (status) =>
      [
        String(status),
        endpoint.failureText === undefined
          ? reference('responses', failureName(status))
          : failureTextResponse(endpoint, endpoint.failureText),
      ] as const,
  );
  const all = {
    ...Object.fromEntries(failures),
    ...refusalResponse(endpoint, answers),
    ...successResponses(endpoint, answers),
  };
  return isDeprecated ? withDeprecation(all) : all;
}

/** The headers of a deprecation are in every answer, also those of failures; a reference cannot add them. */
function withDeprecation(responses: Operation['responses']): Operation['responses'] {
  const headers = Object.fromEntries(DEPRECATION.map((name) => [name, reference('headers', name)]));
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      'headers' in response ? { ...response, headers: { ...response.headers, ...headers } } : response,
    ]),
  );
}

function successResponses(
  endpoint: Endpoint,
  { envelope: enveloped, others = [] }: DialectAnswers,
): Record<string, Response> {
  const failure = failsInEnvelope(endpoint) ? [reference('schemas', FAILURE)] : [];
  const success = enveloped === undefined ? [] : [reference('schemas', schemaName(endpoint, 'Answer'))];
  const schemas = [...success, ...failure];
  const json: Record<string, MediaType> =
    schemas.length === 0 ? {} : { 'application/json': mediaType(schemas, enveloped) };
  const byStatus = new Map<number, Response>([
    ...(schemas.length === 0
      ? []
      : [[200, response(endpoint, meaningOf(enveloped, failure), json)] as const]),
  ]);
  for (const other of others) {
    const { status = 200 } = other;
    byStatus.set(status, withOther(byStatus.get(status) ?? response(endpoint, other.meaning), other));
  }
  return Object.fromEntries([...byStatus].map(([status, answer]) => [String(status), answer]));
}

function meaningOf(enveloped: EnvelopeAnswer | undefined, failure: readonly Reference[]): string {
  const success = enveloped === undefined ? 'the answer' : 'the result';
  return failure.length === 0 ? success : `${success}, or a failure: \`result.status\` is then false`;
}

function mediaType(schemas: readonly Reference[], enveloped: EnvelopeAnswer | undefined): MediaType {
  const [first] = schemas;
  return {
    schema: schemas.length === 1 && first !== undefined ? first : { anyOf: schemas },
    ...(enveloped?.example !== undefined && {
      examples: { success: { value: exampleAnswer(enveloped.example) } },
    }),
  };
}

function response(
  { answerHeaders = {} }: Endpoint,
  description: string,
  content?: Record<string, MediaType>,
): Response {
  return {
    description,
    headers: { ...REQUEST_ID, ...headersOf(answerHeaders) },
    ...(content !== undefined && { content }),
  };
}

function failureTextResponse(endpoint: Endpoint, text: string): Response {
  return response(endpoint, 'the request failed', {
    'text/plain': { schema: { type: 'string', enum: [text] } },
  });
}

function withOther(answer: Response, other: OtherAnswer): Response {
  const { contentType, headers = {} } = other;
  return {
    ...answer,
    headers: { ...answer.headers, ...headersOf(headers) },
    ...(contentType !== undefined && {
      content: {
        ...answer.content,
        [contentType]: otherMedia(other, answer.content?.[contentType]?.schema),
      },
    }),
  };
}

/** @param beside the schema of further answers of the same type */
function otherMedia({ contentType, body, meaning }: OtherAnswer, beside: MediaType['schema']): MediaType {
  if (contentType === 'image/png') {
    return {};
  }
  const schema = body === undefined ? { type: 'string', description: meaning } : jsonSchemaOf(body, 'output');
  return { schema: beside === undefined ? schema : { anyOf: [schema, beside] } };
}

function headersOf(headers: Readonly<Record<string, string>>): Response['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );
}

function refusalResponse(
  endpoint: Endpoint,
  { refusal }: DialectAnswers,
): Record<string, Response | Reference> {
  if (refusal === undefined) {
    return {};
  }
  if (refusal === 'failure') {
    return { '401': reference('responses', failureName(401)) };
  }
  const schema = {
    anyOf: [schemaName(endpoint, 'Refusal'), FAILURE].map((name) => reference('schemas', name)),
  };
  return {
    '401': {
      description: 'the password is wrong',
      headers: { ...REQUEST_ID, 'WWW-Authenticate': reference('headers', 'WWW-Authenticate') },
      content: { 'application/json': { schema }, 'text/html': { schema: { type: 'string' } } },
    },
  };
}

/** The credentials of administrators. */
const SECURITY_SCHEMES = {
  password: { type: 'http', scheme: 'basic', description: 'name and password of an administrator' },
  apiToken: { type: 'http', scheme: 'bearer', description: 'an API token, `tk_…`, which names its rights' },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'admin_session',
    description: 'the session of /admin/getsession',
  },
  sessionParameter: {
    type: 'apiKey',
    in: 'query',
    name: 'session',
    description: 'the value of the cookie `admin_session`, again',
  },
  loginCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'access_token_cookie',
    description: 'the login of /admin/login: a JSON Web Token (RFC 7519)',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-TOKEN',
    description: 'the value of the cookie `csrf_access_token`; a form may carry it as `csrf_token`',
  },
} as const satisfies Record<string, JsonSchema>;

type Scheme = keyof typeof SECURITY_SCHEMES;

/** @returns the choices of credentials for a request; those of one choice belong together */
function securityOf({ access }: Pick<Endpoint, 'access'>, method: Method): Operation['security'] {
  const all = (...schemes: Scheme[]): Record<string, readonly string[]> =>
    Object.fromEntries(schemes.map((scheme) => [scheme, []]));
  switch (access) {
    case 'open':
      return [];
    case 'password':
      return [all('password')];
    case 'administrator':
      return [
        all('password'),
        all('apiToken'),
        all('sessionCookie', 'sessionParameter'),
        method === 'GET' ? all('loginCookie') : all('loginCookie', 'csrfToken'),
      ];
  }
}
