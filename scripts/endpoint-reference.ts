import type { z } from 'zod';
import type { Endpoint, Requirement } from '../src/http/endpoint-spec.ts';
import { declaredEndpoints } from './described-interface.ts';
import { markdownTable } from './markdown-table.ts';

const PAGE_HEAD = `# Endpoints

<!-- Written by \`npm run docs:reference\` from the declarations in src/http/controllers/. -->

Rights are named \`scope:action\`. A request needs the right in the [policies](../guides/policies.md) of the administrator
and, with an API token, in the token. [Authentication](../guides/authentication.md) describes the credentials.
Parameters and answers follow the published interface description; [Compatibility](../compatibility.md) lists the
differences.

POST on \`/monitoring\` is [deprecated](../monitoring-post.md). HEAD is answered wherever GET is, and OPTIONS everywhere.
\`/app\` serves the files of the QR-TAN app (\`APP\`).
`;

const PARAMETERS_HEAD = `Parameters are read from the query string and from the body: a form, JSON or multipart. Names are read in any letter case,
but for \`session\`; unknown ones are ignored, but by \`/system/setConfig\`. Every endpoint also takes \`id\` (a number that
the answer repeats), \`httperror\` (the HTTP status of an error) and, with a session or a login, \`session\` or
\`csrf_token\`. The values of secret parameters are never logged.
`;

const REQUIREMENTS: Readonly<Record<string, string>> = {
  credential: 'any credential',
  password: 'a password',
  transaction: 'the transaction id',
  nothing: 'nothing',
} satisfies Readonly<Partial<Record<Requirement, string>>>;

/** @returns the text of docs/reference/endpoints.md */
export function endpointsPage(): string {
  const endpoints = declaredEndpoints('documented');
  const table = markdownTable(
    ['path', 'methods', 'requires', 'result'],
    endpoints.map((endpoint) => [
      `\`${endpoint.path}\``,
      methodsOf(endpoint),
      REQUIREMENTS[endpoint.requires] ?? `right \`${endpoint.requires}\``,
      endpoint.summary,
    ]),
  );
  const parameters = markdownTable(
    ['path', 'parameter', 'kind', 'meaning'],
    endpoints.flatMap((endpoint) => parameterRows(endpoint)),
  );
  return [PAGE_HEAD, `## Endpoints\n\n${table}`, `## Parameters\n\n${PARAMETERS_HEAD}\n${parameters}`].join(
    '\n',
  );
}

function methodsOf({ methods, isPostDeprecated }: Endpoint): string {
  return methods
    .map((method) => (method === 'POST' && isPostDeprecated === true ? 'POST (deprecated)' : method))
    .join(', ');
}

function parameterRows({ path, parameters, secrets }: Endpoint): readonly (readonly string[])[] {
  return Object.entries(parameters.shape as Readonly<Record<string, z.ZodType>>).map(([name, schema]) => [
    `\`${path}\``,
    `\`${name}\``,
    [
      schema.safeParse(undefined).success ? 'optional' : 'required',
      ...(secrets.has(name) ? ['secret'] : []),
    ].join(', '),
    schema.description ?? '',
  ]);
}
