import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { inEveryDialect, type OtherAnswer, pageAnswer } from '../answers.ts';
import { conditionalReply, type FixedContent, fixedContent, htmlReply } from '../reply.ts';
import { describeInterface } from '../description/openapi-document.ts';
import type { DialectName } from '../dialects/dialect.ts';
import { PAGE, PAGE_FILES, PAGE_POLICY, PAGE_SCRIPT, pageFiles } from '../documentation/page.ts';
import { type Endpoint, openEndpoint } from '../endpoint-spec.ts';

/** The interface that the documentation describes. */
export interface Documented {
  /** The version of tankeeper. */
  readonly version: string;
  /** @returns every endpoint */
  readonly endpoints: () => readonly Endpoint[];
}

/** The parts of an endpoint that answers with a fixed file. */
const FILE = {
  methods: ['GET'],
  requires: 'nothing',
  changesState: false,
  parameters: z.object({}),
} as const;

/** The most documents that are kept: two dialects, for each path below which proxies show this server. */
const MAX_MADE = 8;
const CACHED = { ETag: 'the version of the content', 'Cache-Control': 'no-cache' };
const UNCHANGED: OtherAnswer = { status: 304, meaning: 'the client has this version', headers: CACHED };

/** @returns the endpoints of the documentation */
export function documentationEndpoints(documented: Documented): Endpoint[] {
  return [openApiEndpoint(documented), ...pageEndpoints()];
}

/** @returns the endpoint of the OpenAPI document, which is made by the first request for it */
function openApiEndpoint({ version, endpoints }: Documented): Endpoint {
  const made = new LRUCache<string, FixedContent>({ max: MAX_MADE });
  const documentIn = (dialect: DialectName, prefix: string): FixedContent => {
    const key = `${dialect} ${prefix}`;
    const document =
      made.get(key) ??
      fixedContent(
        'application/json; charset=utf-8',
        JSON.stringify(describeInterface({ dialect, version, prefix, endpoints: endpoints() })),
      );
    made.set(key, document);
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
      parameters: z.object({
        dialect: z
          .enum(['documented', 'linotp'])
          .optional()
          .describe("`documented` or `linotp`: the dialect that is described; default: the server's own"),
      }),
    },
    ({ parameters, dialect: own, servedAt, ifNoneMatch }) =>
      conditionalReply(documentIn(parameters.dialect ?? own.name, servedAt.prefix), ifNoneMatch),
  );
}

/** @returns the endpoints of the page and its files */
function pageEndpoints(): Endpoint[] {
  const fileNamed = pageFiles();
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
    ...(['swagger-ui-bundle.js', 'swagger-ui.css'] as const).map((name) =>
      fileEndpoint(`/docs/${name}`, PAGE_FILES[name], () => fileNamed(name)),
    ),
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
