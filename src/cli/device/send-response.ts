import { buildResponseRequest, type OutgoingResponse, readVerdict } from '../../device/response-request.ts';
import { CliFailure } from '../cli-failure.ts';
import { fetchFaultReason } from '../fetch-fault.ts';

/** The server's answer to a response. */
export interface SentResponse {
  readonly status: number;
  /** True if the server accepted it; null if its answer does not say. */
  readonly accepted: boolean | null;
}

/** The part of `fetch` that is used here. */
export type Fetch = (url: string, request: RequestInit) => Promise<Response>;

const TIMEOUT_MS = 10_000;

/**
 * Sends the response to the URL of the code, as the app does.
 * @throws ServiceError 'callback-url.refused' for a URL other than http(s); CliFailure without an answer within ten
 *   seconds
 */
export async function sendResponse(fetch: Fetch, answer: OutgoingResponse): Promise<SentResponse> {
  const { url, method, body } = buildResponseRequest(answer, { insecure: 'anywhere' });
  try {
    const answered = await fetch(url, {
      method,
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await answered.text();
    return { status: answered.status, accepted: readVerdict(text) };
  } catch (error) {
    throw new CliFailure(`nobody answered at ${url}: ${fetchFaultReason(error)}`);
  }
}
