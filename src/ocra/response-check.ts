import { checkPin } from '../accounts/pin.ts';
import type { Setup } from '../accounts/setup.ts';
import type { Token } from '../accounts/token.ts';
import type { UserDirectory } from '../accounts/user-directory.ts';
import type { Vault } from '../accounts/vault.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Verdict } from './challenge.ts';
import type { OcraSettings } from './ocra-settings.ts';
import { isSpent, markOf, spend } from './spent-responses.ts';
import { type OcraSuite, responseLength } from './suite.ts';
import { openTokenKey, type TokenKey } from './token-key.ts';
import { tokenPolicyValues } from './token-policy.ts';
import { type Verification, verifyResponse } from './verify.ts';

/** What precedes the response in `pass`, by the policy `otppin`: 0 the token PIN, 1 the user's password, 2 nothing. */
type OtpPinMode = '0' | '1' | '2';

/** Looks at responses: PIN and TAN, always both, so that the time taken tells nothing of which was wrong. */
export class ResponseCheck {
  readonly #vault: Vault;
  readonly #users: UserDirectory;
  readonly #clock: Clock;

  constructor({ vault, users, clock }: { vault: Vault; users: UserDirectory; clock: Clock }) {
    this.#vault = vault;
    this.#users = users;
    this.#clock = clock;
  }

  /**
   * @param pass token PIN followed by the response, as the policy `otppin` says
   * @returns the verdict, or null where the server lacks what it would take: a key, or the session information of a
   *   suite with S, which the protocol does not carry
   */
  async look(
    setup: Setup,
    settings: OcraSettings,
    token: Token,
    question: string,
    pass: string,
  ): Promise<Verdict | null> {
    const opened = openTokenKey(this.#vault, token);
    if (opened === undefined || opened.suite.session !== undefined) {
      return null;
    }
    const { pin, response } = splitPass(opened.suite, pass);
    const verification = this.#verify(opened, settings, token, question, response);
    const pinIsRight = await this.#checkPin(setup, token, pin);
    if (!pinIsRight || !verification.matched) {
      return { kind: 'wrong' };
    }
    return advance(opened.suite, settings, token, question, verification);
  }

  #verify(
    { suite, key }: TokenKey,
    settings: OcraSettings,
    token: Token,
    question: string,
    response: string,
  ): Verification {
    const { ocraPin } = token.secrets;
    return verifyResponse({
      suite,
      key,
      question,
      response,
      pin: ocraPin === null ? '' : this.#vault.open(ocraPin, 'ocra-pin', token.serial).toString('utf8'),
      counter: token.counter,
      counterWindow: token.counterWindow,
      lookBehind: true,
      now: this.#clock.now(),
      timeWindow: settings.timeWindow,
      timeShift: settings.timeShift + token.timeShift,
    });
  }

  async #checkPin(setup: Setup, token: Token, pin: string): Promise<boolean> {
    switch (this.#otpPinMode(setup, token)) {
      case '0': {
        const { pin: sealed } = token.secrets;
        return checkPin(sealed === null ? null : this.#vault.open(sealed, 'pin', token.serial), pin);
      }
      case '1':
        return token.owner !== null && this.#users.checkPassword(setup, token.owner, pin);
      case '2':
        return pin === '';
    }
  }

  #otpPinMode(setup: Setup, token: Token): OtpPinMode {
    const values = tokenPolicyValues(setup, 'otppin', token, this.#clock.now());
    // Where policies disagree, the strictest counts: a token may have no PIN, and then it would ask for nothing.
    return (['1', '0', '2'] as const).find((mode) => values.includes(mode)) ?? '0';
  }
}

function splitPass(suite: OcraSuite, pass: string): { pin: string; response: string } {
  const boundary = Math.max(0, pass.length - responseLength(suite));
  return { pin: pass.slice(0, boundary), response: pass.slice(boundary) };
}

/** The counter moves past the match and never back; a response that was accepted before is wrong. */
function advance(
  suite: OcraSuite,
  settings: OcraSettings,
  token: Token,
  question: string,
  match: Extract<Verification, { matched: true }>,
): Verdict {
  const stepStart =
    match.timeStep === undefined || suite.timeStep === undefined
      ? undefined
      : match.timeStep * BigInt(suite.timeStep);
  const mark = markOf(question, {
    ...(match.counter !== undefined && { counter: match.counter }),
    ...(stepStart !== undefined && { stepStart }),
  });
  if (isSpent(token.spent, mark)) {
    return { kind: 'wrong' };
  }
  const next = (match.counter ?? match.second ?? token.counter) + 1n;
  const counter = next > token.counter ? next : token.counter;
  return {
    kind: 'right',
    advance: { counter, spent: spend(token.spent, mark, oldestMatch(suite, settings, token, counter)) },
  };
}

/** @returns the lowest position that could still match from now on */
function oldestMatch(suite: OcraSuite, settings: OcraSettings, token: Token, counter: bigint): bigint {
  const reach = suite.counter
    ? BigInt(Math.floor(token.counterWindow / 2))
    : // The clock may be set and the shift be changed by as much as the window again.
      BigInt(2 * settings.timeWindow + 2 * (suite.timeStep ?? 0));
  return counter - reach;
}
