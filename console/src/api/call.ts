import type { paths } from './interface.d.ts';
import { AWAY_STATUSES, ServerFailure } from './server-failure.ts';

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
  const { response, text } = await send(path, parameters ?? {}, signal);
  onHeaders(response.headers);
  const envelope = readEnvelope(text);
  if (envelope?.result.status !== true) {
    throw failureOf(response, text);
  }
  return { value: envelope.result.value as ValueOf<Path>, detail: envelope.detail as DetailOf<Path> };
}

/** @returns the words for an answer that is not the server's; none where a proxy says that the server is away */
function wordsFor(status: number): string {
  return AWAY_STATUSES.includes(status) ? '' : `HTTP ${status}`;
}

/** @returns the failure in an answer */
export function failureOf({ status, headers }: Response, text: string): ServerFailure {
  return new ServerFailure(readEnvelope(text)?.result.error?.message ?? wordsFor(status), {
    status,
    code: headers.get('Tankeeper-Failure') ?? undefined,
    retryAfter: Number(headers.get('Retry-After') ?? NaN) || undefined,
  });
}

async function send(
  path: string,
  parameters: object,
  signal: AbortSignal | undefined,
): Promise<{ readonly response: Response; readonly text: string }> {
  try {
    // Relative to /console/, wherever a proxy serves it.
    const response = await fetch(`api${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...csrfHeaders(document.cookie) },
      body: JSON.stringify(parameters),
      ...(signal !== undefined && { signal }),
    });
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
    return typeof read?.result === 'object' ? (read as Envelope) : undefined;
  } catch {
    return undefined;
  }
}
