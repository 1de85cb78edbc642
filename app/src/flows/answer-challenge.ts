import { decline, type OpenChallenge, respond, type ResponseMeans } from '../../../src/device/challenge.ts';
import type { ReadyToken } from '../../../src/device/device-token.ts';
import type { DeclineKind } from '../../../src/ocra/decline.ts';
import type { HistoryEntry, HistoryOutcome, Vault } from '../vault/vault.ts';
import type { ShownChallenge } from './open-code.ts';
import type { SendResponse, SentOutcome } from './send-response.ts';

/** The reason why digits are shown to be typed. */
export type DigitsReason = 'no-address' | 'insecure-address' | Exclude<SentOutcome, 'accepted' | 'refused'>;

/** The outcome of a confirmed challenge. */
export type Answer =
  | { readonly kind: 'accepted' }
  /** @property token with the counter for another attempt */
  | { readonly kind: 'refused'; readonly token: ReadyToken }
  | { readonly kind: 'digits'; readonly response: string; readonly why: DigitsReason };

/**
 * Answers a challenge that the user has confirmed. The next counter and the history are on disk before the response is
 * sent or shown.
 * @throws ServiceError as `respond`; VaultError: no response was sent or shown then
 */
export async function answerChallenge(
  vault: Vault,
  { challenge, destination }: ShownChallenge,
  means: ResponseMeans,
  send: SendResponse,
): Promise<Answer> {
  const { token, response } = respond(challenge, means);
  await vault.saveToken(token);
  if (destination.kind === 'typed') {
    await vault.addHistory(entryOf(challenge, means.now, 'shown'));
    return { kind: 'digits', response, why: destination.why };
  }
  const entry = entryOf(challenge, means.now, 'unknown');
  await vault.addHistory(entry);
  const outcome = await send({ ...challenge, response });
  // A locked app keeps `unknown`: the response is on its way all the same.
  await vault.updateHistory(entry.id, HISTORY_OUTCOMES[outcome]).catch(() => undefined);
  switch (outcome) {
    case 'accepted':
      return { kind: 'accepted' };
    case 'refused':
      return { kind: 'refused', token };
    default:
      return { kind: 'digits', response, why: outcome };
  }
}

/** The server's answer to a decline; `not-sent`: the code names no address that the app can reach. */
export type DeclineOutcome = SentOutcome | 'not-sent';

/** Declines a challenge: notes it, and tells the server. It takes no counter, so it may be sent again. */
export async function declineChallenge(
  vault: Vault,
  { challenge, destination }: ShownChallenge,
  kind: DeclineKind,
  now: Date,
  send: SendResponse,
): Promise<DeclineOutcome> {
  await vault.addHistory(entryOf(challenge, now, 'declined'));
  return tellDecline({ challenge, destination }, kind, send);
}

/** Tells the server of a decline that is noted. */
export async function tellDecline(
  { challenge, destination }: Pick<ShownChallenge, 'challenge' | 'destination'>,
  kind: DeclineKind,
  send: SendResponse,
): Promise<DeclineOutcome> {
  const { callbackUrl, transactionId } = challenge;
  return destination.kind === 'typed'
    ? 'not-sent'
    : send({ callbackUrl, transactionId, decline: decline(challenge, kind) });
}

const HISTORY_OUTCOMES: Readonly<Record<SentOutcome, HistoryOutcome>> = {
  accepted: 'accepted',
  refused: 'refused',
  'no-verdict': 'unknown',
  'no-answer': 'unknown',
  offline: 'shown',
};

function entryOf(challenge: OpenChallenge, now: Date, outcome: HistoryOutcome): HistoryEntry {
  return {
    id: crypto.randomUUID(),
    serial: challenge.token.serial,
    at: now.getTime(),
    message: challenge.message,
    transactionId: challenge.transactionId,
    callbackUrl: challenge.callbackUrl,
    outcome,
  };
}
