import {
  type Answer,
  COUNTER_WINDOW,
  type Drawn,
  type Operation,
  REFUSED,
  ROLL_OUT_SUITE,
  type Selected,
} from './operations.ts';
import { judge, type Judged, judgeOpen, NOTHING } from './judgement.ts';
import { resynchronise, hasCounter } from './responses.ts';
import { type Challenge, copyOf, type State, type Token } from './state.ts';

/**
 * The life of challenges and tokens by the wire contract, in the simplest form: one operation after the other, on values
 * in memory. It is the one oracle of this folder.
 */

const SEVEN_DAYS = 604_800;

/** One thing that may come of an operation. */
export interface Possible {
  readonly answer: Answer;
  /** The very state that was given, where nothing is changed. */
  readonly state: State;
  /** The decision on a response, as the audit trail must have it; null where none was made. */
  readonly decision: string | null;
}

/** What is known of the circumstances of an operation. */
export interface Circumstances {
  /** It was done between these two seconds. */
  readonly between: readonly [number, number];
  /** What the service drew for it, as the client was told. */
  readonly drawn: Drawn;
  /** Another operation ran at the same time. */
  readonly isContended: boolean;
}

/** @returns all that may come of an operation in that state */
export function possibilities(state: State, operation: Operation, given: Circumstances): readonly Possible[] {
  const early = performed(state, operation, given, 'early');
  const [first, last] = given.between;
  const isSure = operation.op !== 'answer' && operation.op !== 'housekeeping';
  const late = isSure || first === last ? early : performed(state, operation, given, 'late');
  const all = isSame(early, late) ? [early] : [early, late];
  // Another client enrolled or removed the token at that moment: the request fails, and nothing is changed.
  return operation.op === 'enrol' && given.isContended
    ? [...all, { answer: REFUSED, state, decision: null }]
    : all;
}

function isSame(one: Possible, other: Possible): boolean {
  const known = ({ answer, decision, state }: Possible): string =>
    JSON.stringify([answer, decision, textOf(state)]);
  return one === other || known(one) === known(other);
}

const texts = new WeakMap<State, string>();

/** @returns one text for equal states */
export function textOf(state: State): string {
  const text = texts.get(state) ?? JSON.stringify([state.configuration, state.tokens, state.challenges]);
  texts.set(state, text);
  return text;
}

/** @param edge as early as possible, or as late: the only two that differ */
function performed(
  state: State,
  operation: Operation,
  { between, drawn }: Circumstances,
  edge: 'early' | 'late',
): Possible {
  const draft = copyOf(state);
  const act = new Act(draft, drawn, between, edge);
  const answer = act.perform(operation);
  const isSame = textOf(draft) === textOf(state);
  return { answer, state: isSame ? state : draft, decision: act.decision };
}

/** One operation on a state that it changes. */
class Act {
  decision: string | null = null;
  readonly #state: State;
  readonly #drawn: Drawn;
  readonly #between: readonly [number, number];
  readonly #isLate: boolean;

  constructor(state: State, drawn: Drawn, between: readonly [number, number], edge: 'early' | 'late') {
    this.#state = state;
    this.#drawn = drawn;
    this.#between = between;
    this.#isLate = edge === 'late';
  }

  perform(operation: Operation): Answer {
    switch (operation.op) {
      case 'configure':
        this.#state.configuration[operation.args.key] = operation.args.value;
        return true;
      case 'housekeeping':
        return this.#keepHouse();
      case 'answer':
        return this.#answer(operation.args);
      case 'status':
        return this.#status(operation.args);
      case 'show':
        return shown(this.#state.tokens[operation.args.serial]);
      case 'rows':
        return this.#rows(operation.args.serial);
      case 'request':
        return this.#request(operation.args);
      default:
        return this.#performOnTokens(operation);
    }
  }

  #performOnTokens(
    operation: Exclude<
      Operation,
      { op: 'configure' | 'housekeeping' | 'answer' | 'status' | 'show' | 'rows' | 'request' }
    >,
  ): Answer {
    switch (operation.op) {
      case 'enrol':
        return this.#enrol(operation.args);
      case 'phase 1':
        return this.#begin(operation.args);
      case 'phase 2':
        return this.#derive(operation.args.serial);
      default:
        return this.#administrate(operation);
    }
  }

  #administrate(
    operation: Operation<
      | 'enable'
      | 'disable'
      | 'reset'
      | 'unassign'
      | 'remove'
      | 'assign'
      | 'set'
      | 'limit'
      | 'window'
      | 'resync'
    >,
  ): Answer {
    const { op, args } = operation;
    const tokens = this.#selected(op === 'assign' ? { serial: args.serial } : args);
    const [token] = tokens;
    if (token === undefined) {
      return REFUSED;
    }
    switch (op) {
      case 'assign':
        this.#give(token, args.user);
        return true;
      case 'unassign':
        tokens.forEach((one) => {
          this.#give(one, null);
        });
        return true;
      case 'set':
        token.pin = args.pin;
        return 1;
      case 'limit':
        token.maxFail = args.maxFail;
        return 1;
      case 'window':
        token.window = args.counters;
        return 1;
      case 'resync':
        return token.rollout === 'phase1' || !hasCounter(token.suite)
          ? REFUSED
          : resynchronise(token, args.responses);
      default:
        return this.#switch(op, tokens);
    }
  }

  #switch(how: 'enable' | 'disable' | 'reset' | 'remove', tokens: readonly Token[]): Answer {
    if (how === 'enable' && tokens.some(({ rollout }) => rollout === 'phase1')) {
      return REFUSED;
    }
    for (const token of tokens) {
      if (how === 'reset') {
        token.failCount = 0;
      } else if (how === 'remove') {
        const { [token.serial]: _, ...others } = this.#state.tokens;
        this.#state.tokens = others;
        this.#state.challenges = this.#state.challenges.filter(({ serial }) => serial !== token.serial);
      } else {
        token.active = how === 'enable';
      }
    }
    return tokens.length;
  }

  #give(token: Token, owner: string | null): void {
    token.owner = owner;
    this.#closeOpen(token.serial, 0);
  }

  #enrol({ serial, suite, key, pin = '', user }: Operation<'enrol'>['args']): Answer {
    const known = this.#state.tokens[serial];
    const keepsKey = known?.key === key && known.suite === suite;
    return this.#enrolled(serial, user, { suite, key, pin, ...(keepsKey && pastOf(known)) });
  }

  #begin({ serial, user }: Operation<'phase 1'>['args']): Answer {
    const { key: secret = '?' } = this.#drawn;
    const begun = { suite: ROLL_OUT_SUITE, secret, rollout: 'phase1', active: false } as const;
    this.#enrolled(serial, user, begun);
    return { key: secret };
  }

  /** Sets a token's state after an enrolment; counter and used responses belong to the key. */
  #enrolled(serial: string, user: string | undefined, change: Partial<Token>): true {
    const { DefaultMaxFailCount, DefaultSyncWindow } = this.#state.configuration;
    this.#state.tokens[serial] = {
      serial,
      suite: '',
      key: null,
      secret: null,
      rollout: 'complete',
      active: true,
      failCount: 0,
      maxFail: Number(DefaultMaxFailCount),
      ahead: null,
      shift: 0,
      pin: '',
      counter: 0,
      used: [],
      bottom: 0,
      window: COUNTER_WINDOW,
      syncWindow: Number(DefaultSyncWindow),
      owner: user ?? this.#state.tokens[serial]?.owner ?? null,
      ...change,
    };
    this.#closeOpen(serial, 0);
    return true;
  }

  #derive(serial: string): Answer {
    const token = this.#state.tokens[serial];
    if (token === undefined || token.secret === null) {
      return REFUSED;
    }
    const { key = '?' } = this.#drawn;
    const begun = { rollout: 'phase2', active: true, failCount: 0, counter: 0, used: [], bottom: 0 };
    Object.assign(token, { key, ...begun, ahead: null });
    return { ...this.#issue(serial, '', 1), key };
  }

  #request(args: Operation<'request'>['args']): Answer {
    const [token, another] = this.#selected(args);
    return token === undefined || another !== undefined
      ? REFUSED
      : this.#issue(token.serial, args.text, Number(this.#state.configuration.OcraMaxChallenges));
  }

  #issue(serial: string, text: string, keep: number): Answer & object {
    const { transaction = null, question = null } = this.#drawn;
    if (transaction !== null && this.#state.challenges.some((one) => one.transaction === transaction)) {
      return { transaction: 'one that was not there before' };
    }
    this.#state.challenges.push({
      transaction,
      serial,
      question,
      text,
      issued: this.#between,
      wrong: 0,
      received: false,
      valid: false,
      closed: null,
    });
    this.#closeOpen(serial, keep);
    return { transaction, question };
  }

  #closeOpen(serial: string, keep: number): void {
    const open = this.#state.challenges.filter((one) => one.serial === serial && one.closed === null);
    for (const one of open.slice(0, Math.max(0, open.length - keep))) {
      one.closed = 'superseded';
    }
  }

  #answer(args: Operation<'answer'>['args']): Answer {
    const { failcount, result } = this.#judged(args);
    switch (args.via) {
      case 'ocra/check_t':
        return { failcount, result };
      case 'validate/check_t':
        return { failcount, value: result };
      default:
        return result;
    }
  }

  #judged({ via, transaction, serial, user, pin = '', response }: Operation<'answer'>['args']): Judged {
    const { challenges, tokens, configuration } = this.#state;
    const isTheirs = (one: Challenge): boolean =>
      via.endsWith('check_t') ||
      (via === 'validate/check_s' ? one.serial === serial : tokens[one.serial]?.owner === user);
    const hearing = { state: this.#state, pin, response, now: this.#now, isLate: this.#isLate };
    const [meant] = challenges.filter((one) => one.transaction === transaction && isTheirs(one));
    const judged =
      transaction === undefined
        ? judgeOpen(hearing, challenges.filter(isTheirs), Number(configuration.OcraMaxChallenges))
        : ((meant && judge(hearing, meant)) ?? NOTHING);
    this.decision = judged.decision;
    return judged;
  }

  get #now(): number {
    return this.#between[this.#isLate ? 1 : 0];
  }

  #status(args: Operation<'status'>['args']): Answer {
    const serials = 'transaction' in args ? [] : this.#selected(args).map(({ serial }) => serial);
    return this.#state.challenges
      .filter((one) =>
        'transaction' in args ? one.transaction === args.transaction : serials.includes(one.serial),
      )
      .map(({ serial, transaction, received, valid }) => ({
        serial,
        transactionid: transaction,
        received_tan: received,
        valid_tan: valid,
        failcount: this.#state.tokens[serial]?.failCount ?? 0,
      }));
  }

  #rows(serial: string): Answer {
    const token = this.#state.tokens[serial];
    return token === undefined
      ? null
      : {
          active: token.active,
          rollout: token.rollout,
          failcount: token.failCount,
          counter: String(token.counter),
          challenges: this.#state.challenges
            .filter((one) => one.serial === serial)
            .map(({ transaction, wrong, closed }) => `${transaction ?? '?'} ${wrong} ${closed ?? 'open'}`)
            .sort(),
        };
  }

  #keepHouse(): true {
    const timeout = Number(this.#state.configuration.OcraChallengeTimeout);
    const oldest = this.#now - timeout - SEVEN_DAYS;
    this.#state.challenges = this.#state.challenges.filter(({ issued }) => issued[0] >= oldest);
    return true;
  }

  #selected(of: Selected): Token[] {
    return Object.values(this.#state.tokens).filter((token) =>
      'serial' in of ? token.serial === of.serial : token.owner === of.user,
    );
  }
}

/** What a token keeps when it is enrolled again with the key that it has. */
function pastOf({ counter, used, bottom }: Token): Pick<Token, 'counter' | 'used' | 'bottom'> {
  return { counter, used, bottom };
}

function shown(token: Token | undefined): Answer {
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
