import { checkPin } from '../accounts/pin.ts';
import type { Setup } from '../accounts/setup.ts';
import type { Token } from '../accounts/token.ts';
import type { UserDirectory } from '../accounts/user-directory.ts';
import type { Vault } from '../accounts/vault.ts';
import type { Clock } from '../kernel/clock.ts';
import { advanceTo, markOfMatch, type Match, positionNow } from './accepted-position.ts';
import { findAhead } from './automatic-resynchronisation.ts';
import type { Verdict } from './challenge.ts';
import type { OcraSettings } from './ocra-settings.ts';
import { responseInputs } from './response-inputs.ts';
import { type OcraSuite, responseLength } from './suite.ts';
import { openTokenKey } from './token-key.ts';
import { tokenPolicyValues } from './token-policy.ts';
import { verifyResponse } from './verify.ts';

/** What precedes the response in `pass`, by the policy `otppin`: 0 the token PIN, 1 the user's password, 2 nothing. */
type OtpPinMode = '0' | '1' | '2';

/** Whether something is a user's password, by user and text: of one response, kept as long as its request. */
type VerifiedPasswords = Map<string, Promise<boolean>>;

/** Where a response comes from, and what is known of it. */
interface ResponseOrigin {
  /** The address of the client, for policies; left out where there is none. */
  readonly client?: string;
  /**
   * Is kept for further looks at the same response, which then ask nobody for the password again: a second look has the
   * token's lock, and must not wait for a connection to the database that one who waits for that lock has.
   */
  readonly verified?: VerifiedPasswords;
}

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
    origin?: ResponseOrigin,
  ): Promise<Verdict | null> {
    const opened = openTokenKey(this.#vault, token);
    if (opened === undefined || opened.suite.session !== undefined) {
      return null;
    }
    const { suite } = opened;
    const now = this.#clock.now();
    const { pin, response } = splitPass(suite, pass);
    const wanted = {
      ...responseInputs(this.#vault, opened, settings, token, now),
      question,
      response,
      lookBehind: true,
    };
    const found = verifyResponse(wanted);
    const ahead = settings.autoResync ? findAhead(wanted, token) : ({ kind: 'nothing' } as const);
    // What follows from a right response is worked out for a wrong one, too: the time taken would tell them apart.
    const match = found.matched ? found : positionNow(suite, token, now);
    const accepted = accept(suite, settings, token, match, [markOfMatch(suite, question, match)]);
    if (!(await this.#checkPin(setup, token, pin, origin))) {
      return { kind: 'wrong' };
    }
    if (found.matched) {
      return accepted;
    }
    switch (ahead.kind) {
      case 'second': {
        const marks = [ahead.firstMark, markOfMatch(suite, question, ahead.match)];
        return accept(suite, settings, token, ahead.match, marks);
      }
      case 'first':
        return { kind: 'wrong', remember: { syncMark: ahead.mark } };
      case 'nothing':
        return { kind: 'wrong' };
    }
  }

  async #checkPin(
    setup: Setup,
    token: Token,
    pin: string,
    { client = '', verified }: ResponseOrigin = {},
  ): Promise<boolean> {
    switch (this.#otpPinMode(setup, token, client)) {
      case '0': {
        const { pin: sealed } = token.secrets;
        return checkPin(sealed === null ? null : this.#vault.open(sealed, 'pin', token.serial), pin);
      }
      case '1':
        return token.owner !== null && this.#checkPassword(setup, token.owner, pin, verified);
      case '2':
        return pin === '';
    }
  }

  #checkPassword(
    setup: Setup,
    owner: NonNullable<Token['owner']>,
    password: string,
    verified?: VerifiedPasswords,
  ): Promise<boolean> {
    const what = JSON.stringify([owner.resolverId, owner.userId, password]);
    const answer = verified?.get(what) ?? this.#users.checkPassword(setup, owner, password);
    verified?.set(what, answer);
    return answer;
  }

  #otpPinMode(setup: Setup, token: Token, client: string): OtpPinMode {
    const values = tokenPolicyValues(setup, 'otppin', token, { client, at: this.#clock.now() });
    // Where policies disagree, the strictest counts: a token may have no PIN, and then it would ask for nothing.
    return (['1', '0', '2'] as const).find((mode) => values.includes(mode)) ?? '0';
  }
}

function splitPass(suite: OcraSuite, pass: string): { pin: string; response: string } {
  const boundary = Math.max(0, pass.length - responseLength(suite));
  return { pin: pass.slice(0, boundary), response: pass.slice(boundary) };
}

/** The counter moves past the match and never back; a response that was accepted before is wrong. */
function accept(
  suite: OcraSuite,
  settings: OcraSettings,
  token: Token,
  match: Match,
  marks: readonly (string | null)[],
): Verdict {
  const advance = advanceTo(suite, settings, token, match, marks);
  return advance === null ? { kind: 'wrong' } : { kind: 'right', advance };
}
