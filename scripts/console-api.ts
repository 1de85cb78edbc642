import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { isConsolePath } from '../src/http/app.ts';
import type { Operation, PathItem } from '../src/http/description/openapi-document.ts';
import { describedInterface } from './described-interface.ts';

const HEAD = '// Made by `npm run console:api` from the description of the interface. Edits are lost.\n\n';

/** @returns TypeScript types of the interface that the console calls: by POST where possible, and answers of success */
export async function consoleApi(): Promise<string> {
  const { paths, components, ...document } = describedInterface();
  const called = Object.entries(paths).filter(([path]) => isConsolePath(path));
  const { schemas, headers, parameters } = components;
  const reduced = {
    ...document,
    paths: Object.fromEntries(called.map(([path, item]) => [path, calledOperation(item)])),
    components: { schemas, headers, parameters },
  };
  return HEAD + astToString(await openapiTypescript(reduced as unknown as OpenAPI3, { immutable: true }));
}

function calledOperation({ get, post }: PathItem): PathItem {
  return post === undefined
    ? get === undefined
      ? {}
      : { get: succeeding(get) }
    : { post: succeeding(post) };
}

/** @returns the operation with its answers of success alone: failures have one form everywhere */
function succeeding({ responses, ...operation }: Operation): Operation {
  return {
    ...operation,
    responses: Object.fromEntries(Object.entries(responses).filter(([status]) => status.startsWith('2'))),
  };
}
