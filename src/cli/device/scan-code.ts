import type { Fetch } from '../dependencies.ts';
import { CliFailure, EXIT_CODES, fetchFaultReason } from '../cli-failure.ts';
import type { CommandContext } from '../command-context.ts';
import { readDeviceFile } from './device-file.ts';
import {
  declineCode,
  type DeviceAnswer,
  type DeviceDecline,
  type DeviceQuestions,
  readByDevice,
} from './virtual-device.ts';
import type { JsonValue, Output } from '../output.ts';
import { readSecretText } from '../files.ts';
import { safeText } from '../../kernel/text.ts';
import { buildResponseRequest, type OutgoingResponse, readVerdict } from '../../device/response-request.ts';

/** The options of `tankeeper device scan`. */
export interface ScanOptions {
  readonly urlFile?: string;
  readonly activationCodeFile?: string;
  readonly ocraPinFile?: string;
  readonly send?: true;
  readonly decline?: true;
  readonly report?: true;
}

type ChallengeAnswer = Exclude<DeviceAnswer, { kind: 'init' }>;

/** Reads a code as the app does, and prints what the app shows. */
export async function scanCode(
  context: CommandContext,
  url: string | undefined,
  options: ScanOptions & { readonly state: string },
): Promise<void> {
  const { output } = context;
  const { fetch } = context.dependencies;
  const text = await readCode(context, url, options);
  if (options.decline === true || options.report === true) {
    const kind = options.report === true ? 'reported' : 'declined';
    const declined = declineCode(await readDeviceFile(options.state), text, kind);
    await tellDecline(fetch, declined, options.send === true, output);
    return;
  }
  const answer = await readByDevice(context, options.state, text, questions(context, options));
  if (answer.kind === 'init') {
    printInit(output, answer);
    return;
  }
  const sent = options.send === true ? await sendResponse(fetch, answer) : undefined;
  printChallenge(output, answer, sent);
  if (sent !== undefined && sent.accepted !== true) {
    throw new CliFailure('the server did not accept the response');
  }
}

async function readCode(
  { dependencies: { io } }: CommandContext,
  url: string | undefined,
  { urlFile }: ScanOptions,
): Promise<string> {
  if ((url === undefined) === (urlFile === undefined)) {
    throw new CliFailure('give URL or --url-file FILE', EXIT_CODES.usage);
  }
  return url ?? readSecretText(io, urlFile ?? '-', 'the code');
}

function questions(context: CommandContext, options: ScanOptions): DeviceQuestions {
  return {
    activationCode: (kept) =>
      kept !== null && options.activationCodeFile === undefined
        ? Promise.resolve(kept)
        : context.knownSecret('Activation code', '--activation-code-file', options.activationCodeFile),
    ocraPin: (serial) =>
      context.knownSecret(`OCRA PIN of ${safeText(serial)}`, '--ocra-pin-file', options.ocraPinFile),
  };
}

function printInit(output: Output, answer: Extract<DeviceAnswer, { kind: 'init' }>): void {
  const { serial, suite, replaced } = answer;
  const note = replaced ? '; the token that it had under this serial is gone' : '';
  output.done(`${serial} is on the device (${suite})${note}; next: the code of the second roll-out phase`, {
    kind: 'init',
    serial,
    suite,
    replaced,
  });
}

function printChallenge(output: Output, answer: ChallengeAnswer, sent: SentResponse | undefined): void {
  output.record(answer, [
    { key: 'kind', value: ({ kind }) => kind },
    { key: 'serial', title: 'Token', value: ({ serial }) => serial },
    { key: 'message', title: 'Message', value: ({ message }) => message },
    { key: 'question', title: 'Challenge', value: ({ question }) => question },
    { key: 'transactionid', title: 'Transaction', value: ({ transactionId }) => transactionId },
    { key: 'url', title: 'Sends to', value: ({ callbackUrl }) => callbackUrl },
    { key: 'response', title: 'Response', value: ({ response }) => response },
    ...(sent === undefined ? [] : [{ key: 'sent', title: 'Server', ...sentColumn(sent) }]),
  ]);
}

/** Prints a decline, and sends it before where that is wanted. */
async function tellDecline(
  fetch: Fetch,
  declined: DeviceDecline,
  isSent: boolean,
  output: Output,
): Promise<void> {
  const sent = isSent ? await sendResponse(fetch, declined) : undefined;
  output.record(declined, [
    { key: 'serial', title: 'Token', value: ({ serial }) => serial },
    { key: 'message', title: 'Message', value: ({ message }) => message },
    { key: 'transactionid', title: 'Transaction', value: ({ transactionId }) => transactionId },
    { key: 'url', title: 'Sends to', value: ({ callbackUrl }) => callbackUrl },
    { key: 'decline', title: 'Decline', value: ({ decline }) => decline },
    ...(sent === undefined
      ? []
      : [{ key: 'sent', title: 'Server', ...sentColumn(sent, 'knows', 'it came too late') }]),
  ]);
  if (sent !== undefined && sent.accepted !== true) {
    throw new CliFailure('the server did not take the decline');
  }
}

function sentColumn(
  { status, accepted }: SentResponse,
  yes = 'accepted',
  no = 'refused',
): { value: () => JsonValue; text: () => string } {
  const verdict = accepted === true ? yes : no;
  return {
    value: () => ({ status, accepted }),
    text: () => (accepted === null ? `no verdict (HTTP ${status})` : verdict),
  };
}

/** The server's answer to a response or a decline. */
interface SentResponse {
  readonly status: number;
  /** True if the server took it; null if its answer does not say. */
  readonly accepted: boolean | null;
}

const TIMEOUT_MS = 10_000;

/**
 * Sends the response or the decline to the URL of the code, as the app does.
 * @throws ServiceError 'callback-url.refused' for a URL other than http(s); CliFailure without an answer within ten
 *   seconds
 */
async function sendResponse(fetch: Fetch, answer: OutgoingResponse): Promise<SentResponse> {
  const { url, method, body } = buildResponseRequest(answer, { insecure: 'anywhere' });
  try {
    const answered = await fetch(url, {
      method,
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await answered.text();
    const member = 'decline' in answer ? 'declined' : 'result';
    return { status: answered.status, accepted: readVerdict(text, member) };
  } catch (error) {
    throw new CliFailure(`nobody answered at ${url}: ${fetchFaultReason(error)}`);
  }
}
