import {
  buildResponseRequest,
  type OutgoingResponse,
  readVerdict,
} from '../../../src/device/response-request.ts';
import type { SentOutcome } from './answer-challenge.ts';
import { ADDRESS_RULES } from './destination.ts';

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_LENGTH = 64 * 1024;

/** Sends a response or a decline to the address of its code. Never rejects for a failure of network or server. */
export async function sendResponse(outgoing: OutgoingResponse): Promise<SentOutcome> {
  const { url, method, body } = buildResponseRequest(outgoing, ADDRESS_RULES);
  if (!navigator.onLine && !isThisMachine(url)) {
    return 'offline';
  }
  try {
    const answer = await fetch(url, {
      method,
      body,
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return outcomeOf(readVerdict(await boundedText(answer), 'decline' in outgoing ? 'declined' : 'result'));
  } catch {
    return 'no-answer';
  }
}

function outcomeOf(verdict: boolean | null): SentOutcome {
  if (verdict === null) {
    return 'no-verdict';
  }
  return verdict ? 'accepted' : 'refused';
}

/** A machine without a network still reaches itself. */
function isThisMachine(url: string): boolean {
  return new URL(url).protocol === 'http:';
}

/** @returns the beginning of the body; the rest is not waited for */
async function boundedText({ body }: Response): Promise<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (reader !== undefined && text.length < MAX_ANSWER_LENGTH) {
    const { done, value } = await reader.read();
    if (done) {
      return text;
    }
    text += value;
  }
  await reader?.cancel();
  return text;
}
