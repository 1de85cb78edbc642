import type { Act } from '../../../src/policy/caller.ts';
import type { Token, TokenChange } from '../../../src/tokens/token.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';
import type { Challenge, Decision } from '../../../src/challenges/challenge.ts';
import type {
  ChallengeFilter,
  ChallengeOfToken,
  ChallengeStore,
  LockedTokens,
  NewChallenge,
  OpenDecision,
  TokenOrOwner,
} from '../../../src/challenges/ports.ts';
import type { InMemoryTokenStore } from './in-memory-token-store.ts';

interface Kept {
  challenge: Challenge;
  readonly tokenId: string;
}

/** Challenges without a database, for tests of services. Records its calls. */
export class InMemoryChallengeStore implements ChallengeStore, LockedTokens {
  readonly issues: {
    challenge: NewChallenge;
    maxOpen: number;
    act: Act;
    change?: TokenChange | undefined;
  }[] = [];
  readonly answers: { act: Act; decision: Decision }[] = [];
  readonly changes: { act: Act; change: TokenChange | null }[] = [];
  readonly filters: ChallengeFilter[] = [];
  /** Runs before a challenge is stored, as a faster concurrent request. */
  beforeIssue: (challenge: NewChallenge) => Promise<void> = () => Promise.resolve();
  readonly #tokens: InMemoryTokenStore;
  readonly #kept: Kept[] = [];

  constructor(tokens: InMemoryTokenStore) {
    this.#tokens = tokens;
  }

  async issue(
    challenge: NewChallenge,
    maxOpen: number,
    act: Act,
    change?: TokenChange,
  ): Promise<string | undefined> {
    await this.beforeIssue(challenge);
    const token = await this.#token(challenge.tokenId);
    const { transactionId, question, data, issuedAt, tokenId } = challenge;
    if (!isAsRequired(challenge, token)) {
      throw new ServiceError('token.state', 'Owner or secrets are others by now');
    }
    this.issues.push({ challenge, maxOpen, act, change });
    if (token === undefined || this.#kept.some((kept) => kept.challenge.transactionId === transactionId)) {
      return undefined;
    }
    const open = this.#kept.filter((kept) => kept.tokenId === tokenId && kept.challenge.closedBy === null);
    for (const kept of open.slice(0, Math.max(0, open.length - maxOpen + 1))) {
      kept.challenge = { ...kept.challenge, closedBy: 'superseded' };
    }
    const fresh = { wrongCount: 0, receivedTan: false, validTan: false, closedBy: null };
    const id = String(this.#kept.length + 1);
    this.#kept.push({ challenge: { id, transactionId, question, data, issuedAt, ...fresh }, tokenId });
    await this.#tokens.update(token.serial, change ?? {}, act);
    return question;
  }

  async answer(
    transactionId: string,
    decide: (found: ChallengeOfToken, holdsLock: boolean) => Promise<Decision>,
    act: Act,
  ): Promise<Decision | undefined> {
    const kept = this.#kept.find(({ challenge }) => challenge.transactionId === transactionId);
    const token = kept && (await this.#token(kept.tokenId));
    if (kept === undefined || token === undefined) {
      return undefined;
    }
    const decision = await decide({ challenge: kept.challenge, token }, false);
    this.answers.push({ act, decision });
    if (decision.change !== null) {
      kept.challenge = { ...kept.challenge, ...decision.change.challenge };
      await this.#tokens.update(token.serial, decision.change.token, act);
    }
    return decision;
  }

  async answerOpen(
    whose: TokenOrOwner,
    decide: (found: readonly ChallengeOfToken[], holdsLock: boolean) => Promise<OpenDecision | undefined>,
    act: Act,
  ): Promise<OpenDecision | undefined> {
    const decided = await decide(await this.find({ ...whose, open: true }), false);
    if (decided === undefined) {
      return undefined;
    }
    const { answered, decision, supersedes = [] } = decided;
    this.answers.push({ act, decision });
    for (const kept of this.#kept) {
      const { id } = kept.challenge;
      const own = id === answered.challenge.id ? decision.change?.challenge : undefined;
      const closed = supersedes.includes(id) ? ({ closedBy: 'superseded' } as const) : undefined;
      kept.challenge = { ...kept.challenge, ...own, ...closed };
    }
    await this.#tokens.update(answered.token.serial, decision.change?.token ?? {}, act);
    return decided;
  }

  async find(filter: ChallengeFilter): Promise<readonly ChallengeOfToken[]> {
    this.filters.push(filter);
    const found: ChallengeOfToken[] = [];
    for (const { challenge, tokenId } of this.#kept) {
      const token = await this.#token(tokenId);
      if (token !== undefined && fits(filter, challenge, token)) {
        found.unshift({ challenge, token });
      }
    }
    return found;
  }

  async change(
    serial: string,
    decide: Parameters<LockedTokens['change']>[1],
    act: Act,
  ): Promise<boolean | undefined> {
    const token = await this.#tokens.findBySerial(serial);
    if (token === undefined) {
      return undefined;
    }
    const context = this.#kept.filter(({ tokenId }) => tokenId === token.id).toReversed();
    const questions = context.slice(0, 2).map(({ challenge }) => challenge.question);
    const change = decide({ token, questions });
    this.changes.push({ act, change });
    await this.#tokens.update(serial, change ?? {}, act);
    return change !== null;
  }

  async #token(id: string): Promise<Token | undefined> {
    return (await this.#tokens.list({})).find((token) => token.id === id);
  }
}

function isAsRequired({ sharedSecret, key, owner }: NewChallenge, token: Token | undefined): boolean {
  return (
    (sharedSecret === undefined || token?.secrets.sharedSecret === sharedSecret) &&
    (key === undefined || token?.secrets.seed === key.seed) &&
    (owner === undefined || token?.owner?.userId === owner.userId)
  );
}

function fits(filter: ChallengeFilter, challenge: Challenge, token: Token): boolean {
  const { transactionId, serial, owner, open } = filter;
  return (
    (transactionId === undefined || transactionId === challenge.transactionId) &&
    (serial === undefined || serial === token.serial) &&
    (owner === undefined ||
      (token.owner?.resolverId === owner.resolverId && token.owner.userId === owner.userId)) &&
    (open === undefined || challenge.closedBy === null)
  );
}
