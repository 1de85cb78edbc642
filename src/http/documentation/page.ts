import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type FixedContent, fixedContent } from '../reply.ts';

/**
 * The sources that the page may load and run: its own files, and requests to this server. Swagger UI sets styles
 * through the object model alone, so no inline style is allowed either; its icons are data URLs.
 */
export const PAGE_POLICY = [
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
export const PAGE = `<!DOCTYPE html>
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
export const PAGE_SCRIPT = `'use strict';

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

const dialect = new URLSearchParams(location.search).get('dialect');
SwaggerUIBundle({
  url: dialect === null ? 'openapi.json' : 'openapi.json?dialect=' + encodeURIComponent(dialect),
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
export const PAGE_FILES = {
  'swagger-ui-bundle.js': 'text/javascript',
  'swagger-ui.css': 'text/css',
} as const;

type PageFile = keyof typeof PAGE_FILES;

/** The folder into which scripts/build.js copies the files: the package is a development dependency. */
const COPIES = new URL('./swagger-ui/', import.meta.url);

/** @returns a function that reads a file of Swagger UI, each once */
export function pageFiles(): (name: PageFile) => Promise<FixedContent> {
  const read = new Map<PageFile, Promise<FixedContent>>();
  return (name) => {
    const content = read.get(name) ?? load(name);
    read.set(name, content);
    return content;
  };
}

async function load(name: PageFile): Promise<FixedContent> {
  const folder = existsSync(COPIES)
    ? COPIES
    : pathToFileURL(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return fixedContent(`${PAGE_FILES[name]}; charset=utf-8`, await readFile(new URL(name, folder)));
}
