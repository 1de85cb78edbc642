import { checkPin } from '../tokens/token-settings.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { isLocked, type Token } from '../tokens/token.ts';
import type { UserDirectory } from '../users/user-directory.ts';
import type { Vault } from '../keys/vault.ts';
import type { Clock } from '../kernel/clock.ts';
import { equalText } from '../kernel/constant-time.ts';
import { accept, clockShiftAt, markerOfMatch, positionNow } from './accepted-position.ts';
import { findAhead, withinSyncWindow } from './resynchronisation.ts';
import type { ChallengeOfToken, Verdict } from './challenge.ts';
import { type OcraSettings, readOcraSettings } from '../configuration/settings.ts';
import { openOcraKey, openTokenKey, responseInputs, timeWindowOf, type TokenKey } from './token-key.ts';
import { type DeclineKind, verifyDecline } from '../ocra/decline.ts';
import { type Responder, type ResponseCheck, ResponseSearch, type SearchMeans } from '../ocra/verify.ts';
import { hashLength, type HashName, type ResponseAlgorithm, responseLength } from '../ocra/suite.ts';
import { valuesForToken } from '../policy/read-policy.ts';
import { hash as hashOnce } from 'node:crypto';
import { blockLength, type KeyedHmac, responseValues } from '../ocra/compute.ts';

/** The prefix of the response in `pass`, by the policy `otppin`: 0 the token PIN, 1 the user's password, 2 nothing. */
type OtpPinMode = '0' | '1' | '2';

/**
 * The password given for each user, or the hash of each text, and the result of its check. Kept for one response, as
 * long as its request.
 */
type VerifiedPasswords = Map<string, { readonly password: string; readonly isRight: Promise<boolean> }>;

/** One response, shared by all its checks. */
export interface ProvidedResponse {
  /** Token PIN followed by the response, as the policy `otppin` says. */
  readonly pass: string;
  /** The address of the client, for policies; empty if unknown. */
  readonly client: string;
  /**
   * Results of password checks, reused when a decision is repeated. The repeated decision holds the token's lock, and
   * must not wait for a database connection that a request waiting for this lock holds.
   */
  readonly verified: VerifiedPasswords;
  /** True in a decision that is repeated: what would have to be asked or hashed anew is wrong. */
  readonly isRepeated?: true;
  readonly search: ResponseSearch;
}

/** Checks responses: PIN and TAN, always both, so that the time taken does not reveal the wrong one. */
export class ResponseChecker {
  readonly #vault: Vault;
  readonly #users: UserDirectory;
  readonly #clock: Clock;
  readonly #means: SearchMeans;

  /** @param dependencies.means the resources that all searches of this process share */
  constructor(dependencies: { vault: Vault; users: UserDirectory; clock: Clock; means: SearchMeans }) {
    this.#vault = dependencies.vault;
    this.#users = dependencies.users;
    this.#clock = dependencies.clock;
    this.#means = dependencies.means;
  }

  /** @returns a response to check, with its own computing budget */
  prepare(pass: string, client: string): ProvidedResponse {
    return { pass, client, verified: new Map(), search: new ResponseSearch(this.#clock.now(), this.#means) };
  }

  /**
   * Checks a response against questions of one token. The caller first calls `provided.search.begin` with the number of
   * all questions of all tokens that are checked together.
   * @param questions of challenges of the token; the response is searched in the windows of each
   * @param isPinGiven true where the PIN has been given before: the response alone is then enough
   * @returns a verdict for each question, or null where the response cannot be verified: without a key, or for a suite
   *   with session information (S), which the protocol does not carry
   */
  async verify(
    configuration: Configuration,
    token: Token,
    questions: readonly string[],
    provided: ProvidedResponse,
    isPinGiven = false,
  ): Promise<readonly Verdict[] | null> {
    const opened = openTokenKey(this.#vault, token);
    if (opened === undefined || opened.suite.session !== undefined) {
      return null;
    }
    const settings = readOcraSettings(configuration.settings);
    const { pin, inputs } = this.#inputs(opened, settings, token, provided);
    const verdicts: Verdict[] = [];
    for (const question of questions) {
      verdicts.push(await verdictOn(provided.search, { ...inputs, question }, settings, token));
    }
    const hasSecret = this.secretOf(configuration, token, provided.client) !== undefined;
    const isPin = (isPinGiven && pin === '') || (await this.isPin(configuration, token, pin, provided));
    return verdicts.map((verdict) => (isPin ? afterPin(verdict, hasSecret) : afterWrongPin(verdict)));
  }

  /**
   * Tells apart a wrong response that is right within the sync window: the token is out of step. That is for the audit,
   * and takes what the budget of the response leaves. A locked token's is searched as well, and one with a wrong PIN:
   * the time must not tell more than the answer.
   * @param question of the challenge that the response is for
   */
  async explain(
    verdict: Verdict,
    configuration: Configuration,
    token: Token,
    question: string,
    provided: ProvidedResponse,
    isPinGiven = false,
  ): Promise<Verdict> {
    const opened = openTokenKey(this.#vault, token);
    if ((verdict.kind === 'right' && !isLocked(token)) || opened === undefined) {
      return verdict;
    }
    const settings = readOcraSettings(configuration.settings);
    const { pin, inputs } = this.#inputs(opened, settings, token, provided);
    const check = { ...inputs, question };
    const isRight = await provided.search.isBeyond(check, withinSyncWindow(check, token));
    const isPin = (isPinGiven && pin === '') || (await this.isPin(configuration, token, pin, provided));
    return verdict.kind === 'wrong' && isRight && isPin ? { ...verdict, cause: 'out of step' } : verdict;
  }

  /**
   * Looks for a response without a challenge in the windows of a token of HOTP or TOTP, whatever its PIN.
   * @returns undefined for another token
   */
  async findOtp(
    configuration: Configuration,
    token: Token,
    provided: ProvidedResponse,
  ): Promise<{ readonly pin: string; readonly verdict: Verdict } | undefined> {
    const opened = openTokenKey(this.#vault, token);
    if (opened === undefined || opened.suite.question !== undefined) {
      return undefined;
    }
    const settings = readOcraSettings(configuration.settings);
    const { pin, inputs } = this.#inputs(opened, settings, token, provided);
    const own = { ...settings, timeWindow: timeWindowOf(opened.suite, settings, token) };
    return { pin, verdict: await verdictOn(provided.search, { ...inputs, question: '' }, own, token) };
  }

  #inputs(
    opened: TokenKey,
    settings: OcraSettings,
    token: Token,
    { pass, search }: ProvidedResponse,
  ): { readonly pin: string; readonly inputs: Omit<ResponseCheck, 'question'> } {
    const { pin, response } = splitPass(responseLength(opened.suite), pass, settings);
    const inputs = responseInputs(this.#vault, opened, settings, token, search.now);
    return { pin, inputs: { ...inputs, response, lookBehind: opened.suite.question !== undefined } };
  }

  /**
   * @returns the kind of a decline, null where it cannot be verified, as the token has no key; undefined: the token has
   *   not signed it
   */
  verifyDecline({ challenge, token }: ChallengeOfToken, decline: string): DeclineKind | null | undefined {
    const opened = openOcraKey(this.#vault, token);
    return opened === undefined ? null : verifyDecline(opened.suite, opened.key, challenge, decline);
  }

  /**
   * @returns the secret that precedes the responses of the token; undefined: there is none, so that anybody could
   *   give it
   */
  secretOf(configuration: Configuration, token: Token, client: string): 'pin' | 'password' | undefined {
    switch (this.#otpPinMode(configuration, token, client)) {
      case '0':
        return token.secrets.pin === null ? undefined : 'pin';
      case '1':
        return token.owner === null ? undefined : 'password';
      case '2':
        return undefined;
    }
  }

  /** @returns true if all of `provided.pass` is the secret of the token, which has one */
  async isSecret(configuration: Configuration, token: Token, provided: ProvidedResponse): Promise<boolean> {
    const { pass, client } = provided;
    const hasSecret = pass !== '' && this.secretOf(configuration, token, client) !== undefined;
    return hasSecret && this.isPin(configuration, token, pass, provided);
  }

  /** @returns true where the token PIN precedes responses, and the token has none */
  lacksPin(configuration: Configuration, token: Token, client: string): boolean {
    return token.secrets.pin === null && this.#otpPinMode(configuration, token, client) === '0';
  }

  /** @returns true if `pin` is what precedes responses of the token, as the policy `otppin` says */
  async isPin(
    configuration: Configuration,
    token: Token,
    pin: string,
    provided: ProvidedResponse,
  ): Promise<boolean> {
    const { client } = provided;
    switch (this.#otpPinMode(configuration, token, client)) {
      case '0': {
        const { pin: sealed } = token.secrets;
        return checkPin(sealed === null ? null : this.#vault.open(sealed, 'pin', token.serial), pin);
      }
      case '1':
        return token.owner !== null && this.#checkPassword(configuration, token.owner, pin, provided);
      case '2':
        return pin === '';
    }
  }

  #checkPassword(
    configuration: Configuration,
    owner: NonNullable<Token['owner']>,
    password: string,
    { verified, isRepeated }: ProvidedResponse,
  ): Promise<boolean> {
    const who = JSON.stringify([owner.resolverId, owner.userId]);
    const earlier = verified.get(who);
    if (earlier !== undefined) {
      // Directories count wrong passwords: one response is one attempt, also for tokens with other response lengths.
      return equalText(earlier.password, password) ? earlier.isRight : Promise.resolve(false);
    }
    if (isRepeated === true) {
      return Promise.resolve(false);
    }
    const isRight = this.#users.checkPassword(configuration, owner, password);
    verified.set(who, { password, isRight });
    return isRight;
  }

  #otpPinMode(configuration: Configuration, token: Token, client: string): OtpPinMode {
    const at = this.#clock.now();
    const values = valuesForToken(configuration.policies, 'otppin', token, { client, at });
    // Where policies disagree, the strictest applies: a token without PIN would otherwise require nothing.
    return (['1', '0', '2'] as const).find((mode) => values.includes(mode)) ?? '0';
  }
}

/** @returns true if a part of `pass`, or all of it, may be a response */
export function mayHoldResponse(suite: ResponseAlgorithm, pass: string, settings: OcraSettings): boolean {
  const { response } = splitPass(responseLength(suite), pass, settings);
  return response.length === responseLength(suite) && /^\d+$/.test(response);
}

function afterPin(verdict: Verdict, hasSecret: boolean): Verdict {
  return verdict.kind === 'right'
    ? verdict
    : { ...verdict, isPin: true, ...(hasSecret && { cause: 'right PIN' }) };
}

function afterWrongPin({ kind }: Verdict): Verdict {
  return { kind: 'wrong', ...(kind === 'right' && { cause: 'right response' }) };
}

/** @param length of the response */
export function splitPass(
  length: number,
  pass: string,
  { prependPin }: Pick<OcraSettings, 'prependPin'>,
): { pin: string; response: string } {
  if (!prependPin) {
    return { pin: pass.slice(length), response: pass.slice(0, length) };
  }
  const boundary = Math.max(0, pass.length - length);
  return { pin: pass.slice(0, boundary), response: pass.slice(boundary) };
}

/**
 * Searches the windows and, with automatic resynchronisation, beyond them; always both. The consequences of a right
 * response are also computed for a wrong one, so that both take the same time.
 */
async function verdictOn(
  search: ResponseSearch,
  check: ResponseCheck & { readonly question: string },
  settings: OcraSettings,
  token: Token,
): Promise<Verdict> {
  const { suite, question } = check;
  const share = search.share();
  const { found, computed } = await search.find(check, share);
  const ahead: Verdict = settings.autoResync
    ? await findAhead(search, check, settings, token, share - computed)
    : { kind: 'wrong' };
  const match = found ?? positionNow(suite, token, search.now);
  // The clock of TOTP is followed with each response, as LinOTP does.
  const isClock = suite.question === undefined && suite.timeStep !== undefined;
  const clock = isClock ? { timeShift: clockShiftAt(check, token, match) } : {};
  const accepted = accept(suite, settings, token, match, [markerOfMatch(suite, question, match)], clock);
  return found === undefined ? ahead : accepted;
}

const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/**
 * HMAC (RFC 2104 §2) by two calls of Node's hash. `createHmac` makes an object for each of the dozen candidates of a
 * token's window: that takes three times as long, and again as long to collect.
 */
const keyedHmac: KeyedHmac = (hash, key) => {
  const length = blockLength(hash);
  const block = Buffer.alloc(length);
  block.set(key.length > length ? Buffer.from(hashOf(hash, key), 'latin1') : key);
  const innerPad = block.map((byte) => byte ^ INNER_PAD);
  // The data inputs of a suite have one length, so that all buffers are used again.
  let inner = innerPad;
  const mac = Buffer.alloc(hashLength(hash));
  const outer = Buffer.concat([block.map((byte) => byte ^ OUTER_PAD), mac]);
  return (data) => {
    if (inner.length !== length + data.length) {
      inner = Buffer.concat([innerPad, data]);
    }
    inner.set(data, length);
    outer.write(hashOf(hash, inner), length, 'latin1');
    mac.write(hashOf(hash, outer), 'latin1');
    return mac;
  };
};

/** As a string of bytes, which is cheaper than a buffer. */
function hashOf(hash: HashName, data: Uint8Array): string {
  return hashOnce(hash, data, 'binary');
}

/** Prepares the computation of responses as `responseValues` does, with Node's hashes, which take a third of the time. */
export const nodeResponder: Responder = (suite, key) => responseValues(suite, key, keyedHmac);

/**
 * Interleaves the long computations of one process, a piece at a time: between two pieces the process does its other
 * work, for any number of computations.
 * @returns waits for a turn. The caller then computes its piece at once
 */
export function computingTurns(): () => Promise<void> {
  let last = Promise.resolve();
  // An immediate set by an immediate runs in the next turn of the event loop.
  return () =>
    (last = last.then(
      () =>
        new Promise((resolve) => {
          setImmediate(resolve);
        }),
    ));
}
