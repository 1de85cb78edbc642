import { decline, type OpenChallenge, respond, type ResponseMeans } from '../../../src/device/challenge.ts';
import type { ReadyToken } from '../../../src/device/device-token.ts';
import type { OutgoingResponse } from '../../../src/device/response-request.ts';
import type { DeclineKind } from '../../../src/ocra/decline.ts';
import {
  type HistoryEntry,
  type HistoryOutcome,
  isDecline,
  type RestoredState,
  type Vault,
} from '../vault/vault.ts';
import type { ShownChallenge } from './open-code.ts';

/**
 * `accepted` and `refused`: the server's verdict. `no-verdict`: an answer that does not say. `no-answer`: none that the
 * app may read, so what was sent may have arrived. `offline`: nothing was sent.
 */
export type SentOutcome = 'accepted' | 'refused' | 'no-verdict' | 'no-answer' | 'offline';

export type SendResponse = (response: OutgoingResponse) => Promise<SentOutcome>;

/** The reason why digits are shown to be typed. `out-of-step`: a restored token, near its lock. */
export type DigitsReason =
  'no-address' | 'insecure-address' | 'out-of-step' | Exclude<SentOutcome, 'accepted' | 'refused'>;

/** The outcome of a confirmed challenge: the server's verdict, or why digits are shown. */
export interface Answer {
  readonly outcome: 'accepted' | 'refused' | DigitsReason;
  /** With the counter for another attempt. */
  readonly token: ReadyToken;
  readonly response: string;
  readonly restored: RestoredState | undefined;
}

/**
 * Answers a challenge that the user has confirmed. The next counter and the history are on disk before the response is
 * sent or shown.
 * @throws ServiceError as `respond`; VaultError: no response was sent or shown then
 */
export async function answerChallenge(
  vault: Vault,
  { challenge, destination, restored }: ShownChallenge,
  means: ResponseMeans,
  send: SendResponse,
): Promise<Answer> {
  const { token, response } = respond(challenge, means);
  await vault.saveToken(token);
  const isNearLock = restored !== undefined && restored.refusals >= MOST_REFUSALS;
  if (destination.kind === 'typed' || isNearLock) {
    await vault.addHistory(entryOf(challenge, means.now, 'shown'));
    const outcome = destination.kind === 'typed' ? destination.why : 'out-of-step';
    return { outcome, token, response, restored };
  }
  const entry = entryOf(challenge, means.now, 'unknown');
  await vault.addHistory(entry);
  const outcome = await send({ ...challenge, response });
  const counted =
    restored && outcome === 'refused' ? { ...restored, refusals: restored.refusals + 1 } : restored;
  const after = outcome === 'accepted' ? undefined : counted;
  // A locked app keeps `unknown`: the response is on its way all the same.
  await vault.updateHistory(entry.id, HISTORY_OUTCOMES[outcome]).catch(() => undefined);
  if (after !== restored) {
    await vault.noteRestored(token.serial, after).catch(() => undefined);
  }
  return { outcome, token, response, restored: after };
}

/**
 * Refusals after which a restored token sends nothing more: servers lock a token after ten by default. Those that
 * resynchronise by themselves accept the second response after the token was moved ahead.
 */
export const MOST_REFUSALS = 3;

/** Half of the 1000 counters in which a server finds two consecutive responses: far more than most confirm in a year. */
const AHEAD = 500n;

/**
 * Moves a restored token ahead of all that was confirmed since its backup. From then on the server takes two of its
 * responses in a row to be in step with it (RFC 4226 §7.4).
 * @throws VaultError
 */
export async function moveAhead(vault: Vault, { token }: Answer): Promise<void> {
  await vault.saveToken({ ...token, counter: (BigInt(token.counter) + AHEAD).toString() });
  await vault.noteRestored(token.serial, { refusals: 1, isAhead: true });
}

/** The server's answer to a decline, or why none was sent: the code names no address that the app can reach. */
export type DeclineOutcome = Exclude<DigitsReason, 'out-of-step'> | 'accepted' | 'refused';

/** A decline: told again, it stays one entry of the history. */
export interface Decline {
  readonly kind: DeclineKind;
  readonly at: Date;
  readonly id: string;
}

/**
 * Declines a challenge: notes it where that is possible, tells the server, and notes what it says. It takes no counter,
 * so it may be sent again. One in phase 2 of a roll-out ends it there, so the token of the app goes, too.
 */
export async function declineChallenge(
  vault: Vault,
  { challenge, destination }: Pick<ShownChallenge, 'challenge' | 'destination'>,
  { kind, at, id }: Decline,
  send: SendResponse,
): Promise<DeclineOutcome> {
  const { callbackUrl, transactionId, token } = challenge;
  await vault.addHistory({ ...entryOf(challenge, at, `${kind}-unknown`), id }).catch(() => undefined);
  if (destination.kind === 'typed') {
    return destination.why;
  }
  const outcome = await send({ callbackUrl, transactionId, decline: decline(challenge, kind) });
  // A locked app keeps what it has.
  if (outcome === 'accepted' || outcome === 'refused') {
    const told = outcome === 'accepted' ? kind : (`${kind}-refused` as const);
    await vault.updateHistory(id, told).catch(() => undefined);
  }
  if (outcome === 'accepted' && challenge.kind === 'nonce') {
    await removeUnused(vault, token).catch(() => undefined);
  }
  return outcome;
}

/**
 * Removes a token that was never used. A response may have completed the roll-out of another one; and a further
 * roll-out may have given it another key meanwhile.
 */
async function removeUnused(vault: Vault, { serial, key }: ReadyToken): Promise<void> {
  const [tokens, history] = await Promise.all([vault.listTokens(), vault.listHistory()]);
  const isSame = tokens.some(
    ({ token }) => token.serial === serial && token.key === key && token.counter === '0',
  );
  if (isSame && history.every((entry) => entry.serial !== serial || isDecline(entry.outcome))) {
    await vault.removeToken(serial);
  }
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
