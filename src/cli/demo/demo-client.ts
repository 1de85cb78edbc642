import type { Fetch } from '../device/send-response.ts';
import type { DemoRequest } from './curl-line.ts';
import type { DemoServer } from './demo-server.ts';

const TIMEOUT_MS = 15_000;

/** What came back. */
export interface DemoAnswer {
  readonly status: number;
  /** The body, read as JSON; the text itself where it is none. */
  readonly body: unknown;
}

/** Sends what `curlLine` says, over real HTTP. */
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
