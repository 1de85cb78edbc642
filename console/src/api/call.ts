import type { paths } from './interface.d.ts';
import { ServerFailure } from './server-failure.ts';

/** The endpoints that the console calls by POST. */
export type CalledPath = {
  [Path in keyof paths]: paths[Path] extends {
    readonly post: { readonly responses: { readonly 200: unknown } };
  }
    ? Path
    : never;
}[keyof paths];

/** The parameters of an endpoint. */
export type ParametersOf<Path extends CalledPath> = paths[Path]['post'] extends {
  readonly requestBody?: { readonly content: { readonly 'application/json': infer Parameters } };
}
  ? Parameters
  : Record<string, never>;

type AnswerOf<Path extends CalledPath> = paths[Path]['post'] extends {
  readonly responses: { readonly 200: { content: { readonly 'application/json': infer Answer } } };
}
  ? Extract<Answer, { readonly result: { readonly status: true } }>
  : never;

/** The `result.value` of an endpoint's answer. */
export type ValueOf<Path extends CalledPath> =
  AnswerOf<Path> extends { readonly result: { readonly value: infer Value } } ? Value : never;

/** The `detail` of an endpoint's answer. */
export type DetailOf<Path extends CalledPath> =
  AnswerOf<Path> extends { readonly detail?: infer Detail } ? Detail : never;

const NOT_MODIFIED = 304;

interface Options {
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the headers of the answer. */
  readonly onHeaders?: (headers: Headers) => void;
}

interface Envelope {
  readonly result: {
    readonly status: boolean;
    readonly value?: unknown;
    readonly error?: { readonly code: number; readonly message: string };
  };
  readonly detail?: unknown;
}

/**
 * Calls an endpoint by POST, so that no parameter is in a URL.
 * @returns the value of the answer
 * @throws ServerFailure
 */
export async function call<Path extends CalledPath>(
  path: Path,
  parameters?: ParametersOf<Path>,
  options?: Options,
): Promise<ValueOf<Path>> {
  return (await callWithDetail(path, parameters, options)).value;
}

/**
 * Likewise, for endpoints whose answers have a `detail`.
 * @throws ServerFailure
 */
export async function callWithDetail<Path extends CalledPath>(
  path: Path,
  parameters?: ParametersOf<Path>,
  { signal, onHeaders = () => undefined }: Options = {},
): Promise<{ readonly value: ValueOf<Path>; readonly detail: DetailOf<Path> }> {
  const { response, text } = await send(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...csrfHeaders(document.cookie) },
    body: JSON.stringify(parameters ?? {}),
    signal,
  });
  onHeaders(response.headers);
  const { result, detail } = successOf(response, text);
  return { value: result.value as ValueOf<Path>, detail: detail as DetailOf<Path> };
}

/**
 * Reads from an endpoint without parameters, by GET.
 * @param tag the tag of the answer that is known; undefined: none
 * @returns the value and its tag; undefined: the answer is still the known one
 * @throws ServerFailure
 */
export async function callUnlessKnown<Path extends CalledPath>(
  path: Path,
  tag: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly value: ValueOf<Path>; readonly tag: string | null } | undefined> {
  const headers: Record<string, string> = tag === undefined ? {} : { 'If-None-Match': tag };
  const { response, text } = await send(path, { headers, signal });
  if (response.status === NOT_MODIFIED) {
    return undefined;
  }
  const { result } = successOf(response, text);
  return { value: result.value as ValueOf<Path>, tag: response.headers.get('ETag') };
}

/** @throws ServerFailure unless the answer reports success */
function successOf(response: Response, text: string): Envelope {
  const envelope = readEnvelope(text);
  if (envelope?.result.status !== true) {
    throw failureOf(response, text);
  }
  return envelope;
}

/** @returns the failure in an answer; without words where it is not one of the server */
export function failureOf({ status, headers }: Response, text: string): ServerFailure {
  return new ServerFailure(readEnvelope(text)?.result.error?.message ?? '', {
    status,
    code: headers.get('Tankeeper-Failure') ?? undefined,
    retryAfter: Number(headers.get('Retry-After') ?? NaN) || undefined,
  });
}

async function send(
  path: string,
  { signal, ...request }: Omit<RequestInit, 'signal'> & { readonly signal: AbortSignal | undefined },
): Promise<{ readonly response: Response; readonly text: string }> {
  try {
    // Relative to /console/, wherever a proxy serves it.
    const response = await fetch(`api${path}`, { ...request, ...(signal !== undefined && { signal }) });
    return { response, text: await response.text() };
  } catch (error) {
    if (signal?.aborted === true) {
      throw error;
    }
    throw new ServerFailure('', { status: 0 });
  }
}

/** @returns the header that repeats the CSRF value of the login, which pages of other sites cannot read */
export function csrfHeaders(cookies: string): Record<string, string> {
  const [, value] = /(?:^|; *)csrf_access_token=([^;]*)/.exec(cookies) ?? [];
  return value === undefined ? {} : { 'X-CSRF-TOKEN': value };
}

function readEnvelope(text: string): Envelope | undefined {
  try {
    const read = JSON.parse(text) as Partial<Envelope> | null;
    return typeof read?.result?.status === 'boolean' ? (read as Envelope) : undefined;
  } catch {
    return undefined;
  }
}
