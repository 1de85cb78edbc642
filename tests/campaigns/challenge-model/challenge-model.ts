import {
  COUNTER_WINDOW,
  type ConfigurationKey,
  DIGITS,
  type Learned,
  MAX_FAIL,
  type ModelAct,
  type ModelAnswer,
  REFUSED,
  type Selected,
  SUITES,
} from './challenge-model-acts.ts';
import type { ModelChallenge, ModelDecision, ModelToken } from './challenge-model-state.ts';
import { look, type ModelVerdict, resynchronise, type Usable, use } from './challenge-model-acceptance.ts';
import { chooseOpen, closeSharing, type OpenChallenge } from './challenge-model-open.ts';

type TokenAct = Exclude<
  ModelAct,
  { act: 'wait' | 'configure' | 'housekeeping' | 'answer' | 'status' | 'show' }
>;

interface State {
  now: number;
  issued: number;
  configuration: Record<ConfigurationKey, string>;
  tokens: Map<string, ModelToken>;
  challenges: ModelChallenge[];
  decisions: ModelDecision[];
}

interface Judged {
  readonly failcount: number;
  readonly result: boolean;
}

const SEVEN_DAYS = 604_800;
const NOTHING: Judged = { failcount: 0, result: false };

/** The state with the defaults of the configuration. */
const beginning = (now: number): State => ({
  now,
  issued: 0,
  configuration: {
    OcraMaxChallenges: '4',
    OcraMaxChallengeRequests: '3',
    OcraChallengeTimeout: '1200',
    AutoResync: 'False',
  },
  tokens: new Map(),
  challenges: [],
  decisions: [],
});

/**
 * The life of challenges by the wire contract, in the simplest form: sequential, on values in memory. The server's
 * answers must equal its answers.
 */
export class ChallengeModel {
  readonly #state: State;

  constructor(given: number | State) {
    this.#state = typeof given === 'number' ? beginning(given) : given;
  }

  /** @returns an independent copy */
  fork(): ChallengeModel {
    const { now, issued, configuration, tokens, challenges, decisions } = this.#state;
    return new ChallengeModel({
      now,
      issued,
      configuration: { ...configuration },
      decisions: [...decisions],
      tokens: new Map(
        [...tokens].map(([serial, token]) => [
          serial,
          { ...token, replayMarkers: new Set(token.replayMarkers) },
        ]),
      ),
      challenges: challenges.map((challenge) => ({ ...challenge })),
    });
  }

  get now(): number {
    return this.#state.now;
  }
  get timeout(): number {
    return Number(this.#state.configuration.OcraChallengeTimeout);
  }
  get tokens(): ReadonlyMap<string, ModelToken> {
    return this.#state.tokens;
  }
  /** Oldest first. */
  get challenges(): readonly ModelChallenge[] {
    return this.#state.challenges;
  }
  get decisions(): readonly ModelDecision[] {
    return this.#state.decisions;
  }

  /**
   * @param learned the random values that the server drew
   * @returns the client's answer
   */
  apply(act: ModelAct, learned: Learned = {}): ModelAnswer {
    switch (act.act) {
      case 'wait':
        this.#state.now += act.seconds;
        return true;
      case 'configure':
        this.#state.configuration[act.key] = act.value;
        return true;
      case 'housekeeping':
        return this.#keepHouse();
      case 'answer':
        return this.#answer(act);
      case 'status':
        return this.#status(act.of);
      case 'show':
        return shown(this.#state.tokens.get(act.serial));
      default:
        return this.#applyToTokens(act, learned);
    }
  }

  #applyToTokens(act: TokenAct, learned: Learned): ModelAnswer {
    switch (act.act) {
      case 'enrol':
        return this.#enrol(act);
      case 'phase 1':
        return this.#begin(act, learned);
      case 'phase 2':
        return this.#derive(act.serial, learned);
      case 'request':
        return this.#request(act.of, learned);
      default:
        return this.#administrate(act);
    }
  }

  #administrate(act: Exclude<TokenAct, { act: 'enrol' | 'phase 1' | 'phase 2' | 'request' }>): ModelAnswer {
    const tokens = this.#selected('of' in act ? act.of : { serial: act.serial });
    const [token] = tokens;
    if (token === undefined) {
      return REFUSED;
    }
    switch (act.act) {
      case 'assign':
        this.#give(token, act.user);
        return true;
      case 'unassign':
        tokens.forEach((one) => {
          this.#give(one, null);
        });
        return true;
      case 'set':
        token.pin = act.pin;
        return 1;
      case 'limit':
        token.maxFail = act.maxFail;
        return 1;
      case 'window':
        token.window = act.counters;
        return 1;
      case 'resync':
        return resynchronise(token, act);
      default:
        return this.#switch(act.act, tokens);
    }
  }

  #switch(how: 'enable' | 'disable' | 'reset' | 'remove', tokens: readonly ModelToken[]): ModelAnswer {
    if (how === 'enable' && tokens.some(({ rollout }) => rollout === 'phase1')) {
      return REFUSED;
    }
    for (const token of tokens) {
      if (how === 'reset') {
        token.failCount = 0;
      } else if (how === 'remove') {
        this.#state.tokens.delete(token.serial);
        this.#state.challenges = this.#state.challenges.filter(({ serial }) => serial !== token.serial);
      } else {
        token.active = how === 'enable';
      }
    }
    return tokens.length;
  }

  #give(token: ModelToken, owner: string | null): void {
    token.owner = owner;
    this.#closeOpen(token.serial, 0);
  }

  /** Sets a token's state after an enrolment; counter and used responses belong to the key. */
  #enrolled(serial: string, user: string | undefined, change: Partial<ModelToken>, keepsKey: boolean): true {
    const known = this.#state.tokens.get(serial);
    const { counter, replayMarkers, bottom } = (keepsKey ? known : undefined) ?? {
      counter: 0,
      replayMarkers: new Set(),
      bottom: 0,
    };
    this.#state.tokens.set(serial, {
      serial,
      suite: SUITES.counter,
      key: null,
      sharedSecret: null,
      rollout: 'complete',
      active: true,
      failCount: 0,
      maxFail: MAX_FAIL,
      ahead: null,
      shift: 0,
      pin: '',
      counter,
      replayMarkers,
      bottom,
      window: COUNTER_WINDOW,
      owner: user ?? known?.owner ?? null,
      ...change,
    });
    this.#closeOpen(serial, 0);
    return true;
  }

  #enrol({ serial, suite, key, pin = '', user }: Extract<ModelAct, { act: 'enrol' }>): ModelAnswer {
    const known = this.#state.tokens.get(serial);
    return this.#enrolled(serial, user, { suite, key, pin }, known?.key === key && known.suite === suite);
  }

  #begin({ serial, user }: Extract<ModelAct, { act: 'phase 1' }>, { key = '' }: Learned): ModelAnswer {
    const begun = { suite: SUITES.rollout, sharedSecret: key, rollout: 'phase1', active: false } as const;
    return this.#enrolled(serial, user, begun, false);
  }

  #derive(serial: string, learned: Learned): ModelAnswer {
    const token = this.#state.tokens.get(serial);
    if (token === undefined || token.sharedSecret === null) {
      return REFUSED;
    }
    Object.assign(token, {
      key: learned.key,
      rollout: 'phase2',
      active: true,
      failCount: 0,
      counter: 0,
      replayMarkers: new Set(),
      bottom: 0,
      ahead: null,
    });
    this.#issue(serial, learned, 1);
    return true;
  }

  #request(of: Selected, learned: Learned): ModelAnswer {
    const [token, another] = this.#selected(of);
    if (token === undefined || another !== undefined) {
      return REFUSED;
    }
    this.#issue(token.serial, learned, Number(this.#state.configuration.OcraMaxChallenges));
    return true;
  }

  #issue(serial: string, { transactionId = '', question = '' }: Learned, keep: number): void {
    this.#state.issued += 1;
    this.#state.challenges.push({
      order: this.#state.issued,
      transactionId,
      serial,
      question,
      issuedAt: this.#state.now,
      wrong: 0,
      received: false,
      valid: false,
      closed: null,
    });
    this.#closeOpen(serial, keep);
  }

  #closeOpen(serial: string, keep: number): void {
    const open = this.#state.challenges.filter((one) => one.serial === serial && one.closed === null);
    for (const one of open.slice(0, Math.max(0, open.length - keep))) {
      one.closed = 'superseded';
    }
  }

  #answer({ via, transactionId, serial, user, pass }: Extract<ModelAct, { act: 'answer' }>): ModelAnswer {
    const named = this.#state.challenges.filter(
      (one) => transactionId === undefined || one.transactionId === transactionId,
    );
    if (via === 'ocra/check_t' || via === 'validate/check_t') {
      const [meant] = transactionId === undefined ? [] : named;
      const { failcount, result } = meant === undefined ? NOTHING : this.#judge(meant, via, pass);
      return via === 'ocra/check_t' ? { failcount, result } : { failcount, value: result };
    }
    const whose = (one: ModelChallenge): boolean =>
      via === 'validate/check_s' ? one.serial === serial : this.#state.tokens.get(one.serial)?.owner === user;
    const theirs = named.filter(whose);
    if (transactionId !== undefined) {
      const [meant] = theirs;
      return meant !== undefined && this.#judge(meant, via, pass).result;
    }
    const open = theirs.filter((one) => one.closed === null && !this.#hasExpired(one));
    return this.#judgeOpen(
      open.sort((one, other) => other.issuedAt - one.issuedAt || other.order - one.order),
      via,
      pass,
    );
  }

  /** @param challenges the open ones, newest first */
  #judgeOpen(challenges: readonly ModelChallenge[], via: string, pass: string): boolean {
    const open = challenges.flatMap((challenge): OpenChallenge[] => {
      const token = this.#state.tokens.get(challenge.serial);
      // A token that is not enabled may have no key.
      const verdict = token?.active === true ? this.#look(token, challenge.question, pass) : null;
      return token === undefined ? [] : [{ challenge, token, verdict }];
    });
    const chosen = chooseOpen(open, Number(this.#state.configuration.OcraMaxChallenges));
    const result = chosen !== undefined && this.#judge(chosen.challenge, via, pass, chosen.verdict).result;
    if (result) {
      closeSharing(chosen, open);
    }
    return result;
  }

  #hasExpired({ issuedAt }: ModelChallenge): boolean {
    return this.#state.now >= issuedAt + this.timeout;
  }

  /** Applies the table "Life of a challenge", from the top. */
  #judge(challenge: ModelChallenge, via: string, pass: string, seen?: ModelVerdict): Judged {
    const token = this.#state.tokens.get(challenge.serial);
    if (token === undefined) {
      return NOTHING;
    }
    const outcome = this.#decide(challenge, token, () =>
      seen === undefined ? this.#look(token, challenge.question, pass) : seen,
    );
    this.#state.decisions.push({ serial: token.serial, via, outcome });
    return { failcount: token.failCount, result: outcome === 'accepted' };
  }

  #decide(challenge: ModelChallenge, token: ModelToken, look: () => ModelVerdict): string {
    if (challenge.closed !== null) {
      return challenge.closed === 'accepted' ? 'closed' : 'dropped';
    }
    if (this.#hasExpired(challenge)) {
      return 'expired';
    }
    if (!token.active) {
      return 'disabled';
    }
    challenge.received = true;
    if (token.failCount >= token.maxFail) {
      token.failCount += 1;
      return 'locked';
    }
    const verdict = look();
    return verdict !== null && 'usable' in verdict
      ? this.#accept(challenge, token, verdict.usable)
      : this.#refuse(challenge, token, verdict);
  }

  #accept(challenge: ModelChallenge, token: ModelToken, usable: Usable): string {
    use(token, usable);
    Object.assign(challenge, { valid: true, closed: 'accepted' });
    token.failCount = 0;
    if (token.rollout === 'phase2') {
      Object.assign(token, { rollout: 'complete', sharedSecret: null });
    }
    return 'accepted';
  }

  #refuse(challenge: ModelChallenge, token: ModelToken, half: Pick<ModelToken, 'ahead'> | null): string {
    token.failCount += 1;
    token.ahead = half?.ahead ?? token.ahead;
    challenge.wrong += 1;
    if (challenge.wrong < Number(this.#state.configuration.OcraMaxChallengeRequests)) {
      return 'wrong';
    }
    challenge.closed = 'exhausted';
    if (token.rollout === 'phase2') {
      Object.assign(token, { rollout: 'phase1', active: false, key: null });
    }
    return 'exhausted';
  }

  #look(token: ModelToken, question: string, pass: string): ModelVerdict {
    const boundary = Math.max(0, pass.length - DIGITS);
    const [pin, response] = [pass.slice(0, boundary), pass.slice(boundary)];
    const { now, configuration } = this.#state;
    const verdict = look(token, question, response, { now, autoResync: configuration.AutoResync === 'True' });
    return pin === token.pin ? verdict : null;
  }

  #status(of: Extract<ModelAct, { act: 'status' }>['of']): ModelAnswer {
    const serials = 'transactionId' in of ? [] : this.#selected(of).map(({ serial }) => serial);
    return this.#state.challenges
      .filter((one) =>
        'transactionId' in of ? one.transactionId === of.transactionId : serials.includes(one.serial),
      )
      .sort((one, other) => other.issuedAt - one.issuedAt || other.order - one.order)
      .map(({ serial, transactionId, received, valid }) => ({
        serial,
        transactionid: transactionId,
        received_tan: received,
        valid_tan: valid,
        failcount: this.#state.tokens.get(serial)?.failCount ?? 0,
      }));
  }

  #keepHouse(): true {
    const oldest = this.#state.now - this.timeout - SEVEN_DAYS;
    this.#state.challenges = this.#state.challenges.filter(({ issuedAt }) => issuedAt >= oldest);
    return true;
  }

  #selected(of: Selected): ModelToken[] {
    return [...this.#state.tokens.values()].filter((token) =>
      'serial' in of ? token.serial === of.serial : token.owner === of.user,
    );
  }
}

function shown(token: ModelToken | undefined): ModelAnswer {
  if (token === undefined) {
    return null;
  }
  const { serial, active, failCount, maxFail, counter, rollout, owner, suite } = token;
  return {
    serial,
    active,
    failcount: failCount,
    maxfail: maxFail,
    counter: String(counter),
    rollout,
    user: owner,
    ocrasuite: suite,
  };
}
