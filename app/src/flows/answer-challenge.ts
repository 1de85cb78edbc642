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
import { mayBeSent } from './restored-token.ts';

/**
 * `accepted` and `refused`: the server's verdict. `no-verdict`: an answer that does not say. `no-answer`: none that the
 * app may read, so what was sent may have arrived. `offline`: nothing was sent.
 */
export type SentOutcome = 'accepted' | 'refused' | 'no-verdict' | 'no-answer' | 'offline';

export type SendResponse = (response: OutgoingResponse) => Promise<SentOutcome>;

/** The reason why digits are shown to be typed. `out-of-step`: a restored token, near its lock. */
export type DigitsReason =
  'no-address' | 'insecure-address' | 'out-of-step' | Exclude<SentOutcome, 'accepted' | 'refused'>;

/** The outcome of a confirmed challenge. */
export type Answer =
  | { readonly kind: 'accepted' }
  | Refused
  | {
      readonly kind: 'digits';
      readonly token: ReadyToken;
      readonly response: string;
      readonly why: DigitsReason;
    };

export interface Refused {
  readonly kind: 'refused';
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
  const why = typedReason(destination, restored);
  if (why !== undefined) {
    await vault.addHistory(entryOf(challenge, means.now, 'shown'));
    return { kind: 'digits', token, response, why };
  }
  const entry = entryOf(challenge, means.now, 'unknown');
  await vault.addHistory(entry);
  const outcome = await send({ ...challenge, response });
  // A locked app keeps `unknown`: the response is on its way all the same.
  await vault.updateHistory(entry.id, HISTORY_OUTCOMES[outcome]).catch(() => undefined);
  switch (outcome) {
    case 'accepted':
      await noteAnswer(vault, token, restored, undefined);
      return { kind: 'accepted' };
    case 'refused': {
      const counted = restored && { ...restored, refusals: restored.refusals + 1 };
      await noteAnswer(vault, token, restored, counted);
      return { kind: 'refused', token, response, restored: counted };
    }
    default:
      return { kind: 'digits', token, response, why: outcome };
  }
}

/** @returns the reason why the response is not sent; undefined: it is */
function typedReason(
  destination: ShownChallenge['destination'],
  restored: RestoredState | undefined,
): DigitsReason | undefined {
  if (destination.kind === 'typed') {
    return destination.why;
  }
  return restored === undefined || mayBeSent(restored) ? undefined : 'out-of-step';
}

/** Notes what the answer says of a restored token, where the app is not locked meanwhile. */
async function noteAnswer(
  vault: Vault,
  { serial }: ReadyToken,
  before: RestoredState | undefined,
  after: RestoredState | undefined,
): Promise<void> {
  if (before !== undefined) {
    await vault.noteRestored(serial, after).catch(() => undefined);
  }
}

/** The server's answer to a decline, or why none was sent: the code names no address that the app can reach. */
export type DeclineOutcome = SentOutcome | Exclude<DigitsReason, 'out-of-step'>;

/** A decline, as the history has it. */
export interface NotedDecline {
  readonly kind: DeclineKind;
  /** Of the entry in the history. */
  readonly id: string;
}

/** Notes a decline in the history, where that is possible. */
export async function noteDecline(
  vault: Vault,
  { challenge }: Pick<ShownChallenge, 'challenge'>,
  kind: DeclineKind,
  now: Date,
): Promise<NotedDecline> {
  const entry = entryOf(challenge, now, `${kind}-unknown`);
  await vault.addHistory(entry).catch(() => undefined);
  return { kind, id: entry.id };
}

/**
 * Tells the server of a decline, and the history what it says. A decline takes no counter, so it may be sent again. One
 * in phase 2 of a roll-out ends it there, so the token of the app goes, too.
 */
export async function tellDecline(
  vault: Vault,
  { challenge, destination }: Pick<ShownChallenge, 'challenge' | 'destination'>,
  { kind, id }: NotedDecline,
  send: SendResponse,
): Promise<DeclineOutcome> {
  const { callbackUrl, transactionId } = challenge;
  if (destination.kind === 'typed') {
    return destination.why;
  }
  const outcome = await send({ callbackUrl, transactionId, decline: decline(challenge, kind) });
  if (outcome === 'accepted' || outcome === 'refused') {
    const told = outcome === 'accepted' ? kind : (`${kind}-refused` as const);
    // A locked app, or one with a full disk, keeps what it has.
    await vault.updateHistory(id, told).catch(() => undefined);
  }
  if (outcome === 'accepted' && challenge.kind === 'nonce') {
    await removeUnused(vault, challenge.token).catch(() => undefined);
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
