import { z } from 'zod';
import { CliFailure } from '../cli-failure.ts';

/** The server's answer to a response. */
export interface SentResponse {
  readonly status: number;
  /** True if the server accepted it; null if its answer does not say. */
  readonly accepted: boolean | null;
}

/** The part of `fetch` that is used here. */
export type Fetch = (url: string, request: RequestInit) => Promise<Response>;

const TIMEOUT_MS = 10_000;
const LARGEST_ANSWER = 64 * 1024;

const checkAnswer = z.object({ result: z.object({ value: z.object({ result: z.boolean() }) }) });

/**
 * Sends the response to the URL of the code, as the app does: POST with `transactionid` and `pass`.
 * @throws CliFailure for a URL other than http(s), or without an answer within ten seconds
 */
export async function sendResponse(
  fetch: Fetch,
  { callbackUrl, transactionId, response }: { callbackUrl: string; transactionId: string; response: string },
): Promise<SentResponse> {
  if (!/^https?:\/\//i.test(callbackUrl) || !URL.canParse(callbackUrl)) {
    throw new CliFailure(`the callback URL of the code is not one of http or https: ${callbackUrl}`);
  }
  try {
    const answer = await fetch(callbackUrl, {
      method: 'POST',
      body: new URLSearchParams({ transactionid: transactionId, pass: response }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await answer.text();
    return { status: answer.status, accepted: readVerdict(text.slice(0, LARGEST_ANSWER)) };
  } catch (error) {
    throw new CliFailure(`nobody answered at ${callbackUrl}: ${reasonOf(error)}`);
  }
}

function readVerdict(text: string): boolean | null {
  try {
    const parsed = checkAnswer.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data.result.value.result : null;
  } catch {
    return null;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return 'unknown reason';
  }
  return error.cause instanceof Error ? error.cause.message : error.message;
}
