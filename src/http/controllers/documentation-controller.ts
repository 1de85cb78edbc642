import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { inEveryDialect, type OtherAnswer, pageAnswer } from '../answers.ts';
import { conditionalReply, type FixedContent, fixedContent, htmlReply } from '../reply.ts';
import { describeInterface } from '../description/openapi-document.ts';
import { type Endpoint, openEndpoint } from '../endpoint-spec.ts';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** The interface that the documentation describes. */
interface Documented {
  /** The version of tankeeper. */
  readonly version: string;
  /** @returns every endpoint */
  readonly endpoints: () => readonly Endpoint[];
}

/**
 * The sources that the page may load and run: its own files, and requests to this server. Swagger UI sets styles
 * through the object model alone, so no inline style is allowed either; its icons are data URLs.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page. Addresses are relative, as a proxy may serve it below another path. */
const PAGE = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tankeeper: interface</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="interface"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/page.js"></script>
</body>
</html>
`;

/**
 * Starts Swagger UI. Credentials that are typed stay in the page and end with it; no description is sent to a validator
 * elsewhere.
 */
const PAGE_SCRIPT = `'use strict';

// Takes the place of Swagger UI's own, which reads the whole description anew for each part that is opened: seconds.
// All references lead to components of this description, and none back to itself.
async function resolveSubtree(description, path) {
  const at = (names) => names.reduce((value, name) => value?.[name], description);
  const resolved = (value) => {
    if (Array.isArray(value)) {
      return value.map(resolved);
    }
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    return typeof value.$ref === 'string'
      ? resolved(at(value.$ref.split('/').slice(1)))
      : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(member)]));
  };
  return { spec: resolved(at(path)), errors: [] };
}

SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#interface',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [() => ({ fn: { resolveSubtree } })],
  layout: 'BaseLayout',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  persistAuthorization: false,
  queryConfigEnabled: false,
  validatorUrl: null,
  requestInterceptor: (request) => {
    const [scheme, value] = String(request.headers.Authorization).split(' ');
    if (scheme === 'Basic') {
      // Swagger UI encodes names and passwords in Latin-1, the server reads UTF-8.
      request.headers.Authorization = 'Basic ' + btoa(String.fromCharCode(...new TextEncoder().encode(atob(value))));
    }
    return request;
  },
});
`;

/** The files of Swagger UI that the page loads, with their types. */
const PAGE_FILES = {
  'swagger-ui-bundle.js': 'text/javascript',
  'swagger-ui.css': 'text/css',
} as const;

/** The folder into which scripts/build.js copies the files: the package is a development dependency. */
const COPIES = new URL('./swagger-ui/', import.meta.url);

/** The parts of an endpoint that answers with a fixed file. */
const FILE = {
  methods: ['GET'],
  requires: 'nothing',
  changesState: false,
  parameters: z.object({}),
} as const;

/** The most documents that are kept: one for each path below which proxies show this server. */
const MAX_MADE = 4;
const CACHED = { ETag: 'the version of the content', 'Cache-Control': 'no-cache' };
const UNCHANGED: OtherAnswer = { status: 304, meaning: 'the client has this version', headers: CACHED };

export function documentationEndpoints(documented: Documented): Endpoint[] {
  return [openApiEndpoint(documented), ...pageEndpoints()];
}

/** @returns the endpoint of the OpenAPI document, which is made by the first request for it */
function openApiEndpoint({ version, endpoints }: Documented): Endpoint {
  const made = new LRUCache<string, FixedContent>({ max: MAX_MADE });
  const documentBelow = (prefix: string): FixedContent => {
    const document =
      made.get(prefix) ??
      fixedContent(
        'application/json; charset=utf-8',
        JSON.stringify(describeInterface({ version, prefix, endpoints: endpoints() })),
      );
    made.set(prefix, document);
    return document;
  };
  return openEndpoint(
    {
      path: '/openapi.json',
      methods: ['GET'],
      summary: 'the OpenAPI 3.1 description of all endpoints',
      requires: 'nothing',
      answers: inEveryDialect({
        others: [
          {
            contentType: 'application/json',
            meaning: 'the description',
            body: z.looseObject({ openapi: z.string() }),
            headers: CACHED,
          },
          UNCHANGED,
        ],
      }),
      changesState: false,
      parameters: z.object({}),
    },
    ({ servedAt, ifNoneMatch }) => conditionalReply(documentBelow(servedAt.prefix), ifNoneMatch),
  );
}

/** @returns the endpoints of the page and its files */
function pageEndpoints(): Endpoint[] {
  const page = { ...htmlReply(Buffer.from(PAGE)), headers: { 'Content-Security-Policy': PAGE_POLICY } };
  const script = fixedContent('text/javascript; charset=utf-8', PAGE_SCRIPT);
  return [
    openEndpoint(
      {
        ...FILE,
        path: '/docs',
        summary: 'the page to read this description, and to try it',
        answers: pageAnswer('the page'),
        answerHeaders: { 'Content-Security-Policy': 'what the page may load: its own files alone' },
      },
      () => page,
    ),
    fileEndpoint('/docs/page.js', 'text/javascript', () => script),
    ...(['swagger-ui-bundle.js', 'swagger-ui.css'] as const).map((name) => {
      let content: Promise<FixedContent> | undefined;
      return fileEndpoint(`/docs/${name}`, PAGE_FILES[name], () => (content ??= load(name)));
    }),
  ];
}

function fileEndpoint(
  path: `/docs/${string}`,
  contentType: 'text/javascript' | 'text/css',
  content: () => Promise<FixedContent> | FixedContent,
): Endpoint {
  const file: OtherAnswer = { contentType, meaning: 'the file', headers: CACHED };
  return openEndpoint(
    {
      ...FILE,
      path,
      summary: 'a file of the page `/docs`',
      answers: inEveryDialect({ others: [file, UNCHANGED] }),
    },
    async ({ ifNoneMatch }) => conditionalReply(await content(), ifNoneMatch),
  );
}

async function load(name: keyof typeof PAGE_FILES): Promise<FixedContent> {
  const folder = existsSync(COPIES)
    ? COPIES
    : pathToFileURL(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return fixedContent(`${PAGE_FILES[name]}; charset=utf-8`, await readFile(new URL(name, folder)));
}
