import type { DialectName } from '../dialects/dialect.ts';
import { type Endpoint, endpointIn } from '../endpoint-spec.ts';
import {
  type Envelope,
  envelopeOf,
  failureResponses,
  failureSchema,
  failureSchemaName,
  HEADERS,
  successSchema,
} from './envelopes.ts';
import {
  type Components,
  type JsonSchema,
  jsonSchemaOf,
  type OpenApiDocument,
  type PathItem,
} from './openapi.ts';
import {
  describeOperation,
  parametersName,
  refusalName,
  SECURITY_SCHEMES,
  successName,
} from './operation.ts';

/** The interface of a server in one dialect. */
export interface DescribedInterface {
  /** All, in whatever dialect. */
  readonly endpoints: readonly Endpoint[];
  readonly dialect: DialectName;
  /** The version of tankeeper. */
  readonly version: string;
  /** The path below which a proxy shows the server; default: the root. */
  readonly prefix?: string;
}

const DIALECTS: Readonly<Record<DialectName, string>> = {
  documented:
    'This is the dialect `documented`, the published interface description. `?dialect=linotp` describes the other one.',
  linotp:
    'This is the dialect `linotp`: the answers of LinOTP 2.12.6 and, for /monitoring and the login, of LinOTP 3.4.4. `?dialect=documented` describes the other one. Paths of /ocra may end in a further segment, and those of /monitoring may begin with two slashes.',
};

const COMMON = `Parameters are read from the query string and from the body: a form, JSON or multipart. The query string takes precedence. Names are read in any letter case, but for \`session\`; unknown parameters are ignored.

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

/** @returns the description of the interface */
export function describeInterface({
  dialect,
  version,
  prefix = '',
  ...all
}: DescribedInterface): OpenApiDocument {
  const endpoints = all.endpoints.map((endpoint) => endpointIn(dialect, endpoint));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tankeeper',
      version,
      summary: 'QR-TAN challenges and responses (RFC 6287), tokens and monitoring',
      description: `${DIALECTS[dialect]}\n\n${COMMON}`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: prefix === '' ? '/' : prefix, description: 'this server' }],
    tags: TAGS,
    paths: Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, pathItem(endpoint, dialect)])),
    components: componentsOf(endpoints, dialect),
  };
}

function pathItem(endpoint: Endpoint, dialect: DialectName): PathItem {
  return Object.fromEntries(
    endpoint.methods.map((method) => [method.toLowerCase(), describeOperation(endpoint, method, dialect)]),
  );
}

function componentsOf(endpoints: readonly Endpoint[], dialect: DialectName): Components {
  const envelopes = [...new Set(endpoints.map(({ family }) => envelopeOf(dialect, family)))];
  return {
    schemas: {
      ...Object.fromEntries(
        envelopes.map((envelope) => [failureSchemaName(envelope), failureJson(envelope)]),
      ),
      ...Object.fromEntries(endpoints.flatMap((endpoint) => schemasOf(endpoint, dialect))),
    },
    responses: Object.assign({}, ...envelopes.map(failureResponses)) as Components['responses'],
    parameters: {
      id: {
        name: 'id',
        in: 'query',
        description: 'a whole number that the answer repeats as its `id`, in the documented dialect',
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

function failureJson(envelope: Envelope): JsonSchema {
  return jsonSchemaOf(failureSchema(envelope), 'output');
}

function schemasOf(endpoint: Endpoint, dialect: DialectName): (readonly [string, JsonSchema])[] {
  const { parameters, methods, family, answers } = endpoint;
  const envelope = envelopeOf(dialect, family);
  const { envelope: success, refusal } = answers[dialect];
  const hasBody = methods.includes('POST') && Object.keys(parameters.shape).length > 0;
  return [
    ...(hasBody ? [[parametersName(endpoint), jsonSchemaOf(parameters, 'input')] as const] : []),
    ...(success === undefined
      ? []
      : [[successName(endpoint), jsonSchemaOf(successSchema(envelope, success), 'output')] as const]),
    ...(refusal === undefined || refusal === 'failure'
      ? []
      : [[refusalName(endpoint), jsonSchemaOf(successSchema(envelope, refusal), 'output')] as const]),
  ];
}
