import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { CliFailure } from '../cli-failure.ts';

const TIMEOUT_MS = 60_000;
/** Bytes. */
const MAX_ANSWER_BYTES = 16 * 1_048_576;

/** A request of GET or, with a form, of POST. */
export interface HttpRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  /** Certificates in PEM that are trusted instead of the usual authorities. */
  readonly ca?: string | undefined;
}

/** An answer. */
export interface HttpAnswer {
  readonly status: number;
  /** The other origin to which the server redirects, if it does. */
  readonly redirect: string | undefined;
  /** The values of each `WWW-Authenticate`. */
  readonly challenges: readonly string[];
  /** Cookies by name. */
  readonly cookies: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Sends one request, without following redirects: credentials go to the named server only.
 * @throws CliFailure without an answer within a minute, or for one larger than 16 MiB
 */
export async function exchange(question: HttpRequest): Promise<HttpAnswer> {
  try {
    const answer = await send(question);
    return {
      status: answer.statusCode ?? 0,
      redirect: redirectOf(question.url, answer),
      challenges: answer.headersDistinct['www-authenticate'] ?? [],
      cookies: cookiesOf(answer.headersDistinct['set-cookie'] ?? []),
      body: await bodyOf(answer),
    };
  } catch (error) {
    throw error instanceof CliFailure
      ? error
      : new CliFailure(`no answer from ${question.url.origin}: ${(error as Error).message}`);
  }
}

function send({ url, headers, form, ca }: HttpRequest): Promise<IncomingMessage> {
  const body = form === undefined ? undefined : new URLSearchParams(form).toString();
  const type = body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' };
  const options = {
    method: body === undefined ? 'GET' : 'POST',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { ...headers, ...type },
    ...(ca !== undefined && { ca }),
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
    request(url, options, resolve).on('error', reject).end(body);
  });
}

/** @returns the origin alone: paths and queries may carry secrets */
function redirectOf(requested: URL, { statusCode = 0, headers }: IncomingMessage): string | undefined {
  const { location = '' } = headers;
  if (statusCode < 300 || statusCode >= 400 || !URL.canParse(location, requested.href)) {
    return undefined;
  }
  const { origin } = new URL(location, requested.href);
  return origin === requested.origin ? undefined : origin;
}

async function bodyOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MAX_ANSWER_BYTES) {
      answer.destroy();
      throw new CliFailure('an answer is larger than 16 MiB');
    }
  }
  return Buffer.concat(chunks).toString('utf8');
}

function cookiesOf(headers: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    headers.map((header) => {
      const [pair = ''] = header.split(';');
      const [name = '', ...value] = pair.split('=');
      return [name.trim(), value.join('=').trim()];
    }),
  );
}
