import type { Fetch } from '../dependencies.ts';
import type { DemoServer } from '../../compose/server.ts';

/** A request of the tour, sent over HTTP and shown as a curl line. */
export interface DemoRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Sends the credentials of the administrator; otherwise none. */
  readonly asAdministrator: boolean;
}

/** An answer of the server. */
interface DemoAnswer {
  readonly status: number;
  /** The body parsed as JSON, or as text if it is none. */
  readonly body: unknown;
}

const TIMEOUT_MS = 15_000;
/** Values that need no encoding in a form. */
const PLAIN = /^[A-Za-z0-9_.,-]*$/;

/** @returns a command for a POSIX shell that sends exactly this request */
export function curlLine(
  { method, path, parameters, asAdministrator }: DemoRequest,
  baseUrl: string,
  adminPassword: string,
): string {
  const user = asAdministrator ? ['-u', shellWord(`admin:${adminPassword}`)] : [];
  const fields = Object.entries(parameters).map(([name, value]) =>
    PLAIN.test(value) ? `-d ${name}=${value}` : `--data-urlencode ${shellWord(`${name}=${value}`)}`,
  );
  const asQuery = method === 'GET' && fields.length > 0 ? ['-G'] : [];
  // Without a field, curl would send no POST.
  const asPost = method === 'POST' && fields.length === 0 ? ['-X POST'] : [];
  return ['curl -s', ...user, ...asQuery, ...asPost, shellWord(baseUrl + path), ...fields].join(' ');
}

/** @returns any text as one word of a POSIX shell */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_.,:/=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Sends the request of `curlLine`. */
export async function sendDemoRequest(
  fetch: Fetch,
  { baseUrl, adminPassword }: Pick<DemoServer, 'baseUrl' | 'adminPassword'>,
  { method, path, parameters, asAdministrator }: DemoRequest,
): Promise<DemoAnswer> {
  const form = new URLSearchParams(parameters);
  const query = method === 'GET' && form.size > 0 ? `?${form.toString()}` : '';
  const credentials = Buffer.from(`admin:${adminPassword}`, 'utf8').toString('base64');
  const answer = await fetch(baseUrl + path + query, {
    method,
    headers: asAdministrator ? { authorization: `Basic ${credentials}` } : {},
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(method === 'POST' ? { body: form } : {}),
  });
  return { status: answer.status, body: readBody(await answer.text()) };
}

function readBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @returns JSON for reading: lists and objects of plain values stay on one line each */
export function readableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /([[{])\s+([^[\]{}]*?)\s+([\]}])/g,
    (_, open: string, items: string, close: string) =>
      open === '[' ? `[${joined(items)}]` : `${open} ${joined(items)} ${close}`,
  );
}

function joined(items: string): string {
  return items.replace(/\n\s+/g, ' ');
}
