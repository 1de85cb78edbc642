import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { createApp, isConsolePath } from '../../../src/http/app.ts';
import { type AppDependencies, servedEndpoints } from '../../../src/http/served-endpoints.ts';
import { describeInterface } from '../../../src/http/description/openapi-document.ts';
import { afterTestsOfAllFiles } from '../environment/test-globals.js';
import { AnswerCheck } from './answer-check.ts';

type Handle = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void;

const checks = new Map<string, AnswerCheck>();
const faults: string[] = [];

/**
 * The app, whose answers in the documented dialect are compared with their description. An answer that differs fails the
 * test that requested it.
 * @param document default: the description of these endpoints
 */
export function createDescribedApp(dependencies: AppDependencies, check = checkOf(dependencies)): Express {
  const app = createApp(dependencies) as Express & { handle: Handle };
  const handle = app.handle.bind(app);
  app.handle = (request, response, next) => {
    const described = describedPart(request.url ?? '');
    // The console speaks it everywhere.
    if (described !== undefined && (described.isConsole || dependencies.config.dialect === 'documented')) {
      compareAnswer({ method: request.method, url: described.url }, response, check);
    }
    handle(request, response, next);
  };
  return app;
}

/** @returns the differences since the last call, and forgets them */
export function takeFaults(): string[] {
  return faults.splice(0);
}

afterTestsOfAllFiles(refuseFaults);

function refuseFaults(): void {
  const [first, ...others] = takeFaults();
  if (first !== undefined) {
    throw new Error(
      `An answer differs from the description (/openapi.json), and ${others.length} more: ${first}`,
    );
  }
}

/** Apps with the same endpoints share a check: each takes a tenth of a second to make. */
function checkOf(dependencies: AppDependencies): AnswerCheck {
  const { config, services } = dependencies;
  const { monitoringPost, documentedVersion } = config;
  const key = [monitoringPost, documentedVersion, services.singleSignOn !== undefined].join();
  const check =
    checks.get(key) ??
    new AnswerCheck(describeInterface({ version: '', endpoints: servedEndpoints(dependencies) }));
  checks.set(key, check);
  return check;
}

/** @returns the URL as the description has it; undefined: the address alone, a file of the app or the console: for people */
function describedPart(url: string): { readonly isConsole: boolean; readonly url: string } | undefined {
  if (url.startsWith('/console/api')) {
    const called = url.slice('/console/api'.length);
    return { isConsole: true, url: isConsolePath(called) ? called : url };
  }
  return /^\/(?:(?:app|console)(?:[/?]|$)|$)/.test(url) ? undefined : { isConsole: false, url };
}

function compareAnswer(
  request: Pick<IncomingMessage, 'method' | 'url'>,
  response: ServerResponse,
  check: AnswerCheck,
): void {
  const { method = '', url = '' } = request;
  response.end = new Proxy(response.end.bind(response), {
    apply: (end: (...args: unknown[]) => ServerResponse, _self, args: unknown[]) => {
      const fault = check.faultIn({
        method,
        url,
        status: response.statusCode,
        headers: response.getHeaders(),
        body: bodyOf(args),
      });
      if (fault !== undefined) {
        faults.push(`${method} ${url} (${response.statusCode}): ${fault}`);
      }
      return end(...args);
    },
  });
}

/** Answers are sent whole, by one call of `end`. */
function bodyOf([chunk, encoding]: unknown[]): Buffer {
  return Buffer.isBuffer(chunk)
    ? chunk
    : Buffer.from(
        typeof chunk === 'string' ? chunk : '',
        typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8',
      );
}
