import {
  type Answer,
  COUNTER_WINDOW,
  type Drawn,
  type Operation,
  type OperationName,
  REFUSED,
  ROLL_OUT_SUITE,
  type Selected,
} from './operations.ts';
import { judge, judgeOpen, NOTHING } from './judgement.ts';
import { hasCounter, plainQuestion, resynchronise } from './responses.ts';
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
  const early = performed(state, operation, given, false);
  const [first, last] = given.between;
  const isTimed = operation.op === 'answer' || operation.op === 'housekeeping';
  const late = isTimed && first !== last ? performed(state, operation, given, true) : early;
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
  const text = texts.get(state) ?? JSON.stringify(state);
  texts.set(state, text);
  return text;
}

/** @param isLate as late as possible instead of as early: nothing else differs */
function performed(state: State, { op, args }: Operation, given: Circumstances, isLate: boolean): Possible {
  const act: Act = { ...given, state: copyOf(state), isLate, decision: null };
  const answer = (ACTS[op] as (act: Act, args: unknown) => Answer)(act, args);
  const isUnchanged = textOf(act.state) === textOf(state);
  return { answer, state: isUnchanged ? state : act.state, decision: act.decision };
}

/** One operation, on a copy of the state that it changes. */
interface Act extends Circumstances {
  readonly state: State;
  readonly isLate: boolean;
  decision: string | null;
}

type Perform<Name extends OperationName> = (act: Act, args: Operation<Name>['args']) => Answer;

const ACTS: { readonly [Name in OperationName]: Perform<Name> } = {
  enrol: ({ state }, { serial, suite, key, pin = '', user }) => {
    const known = state.tokens[serial];
    // Counter and used responses belong to the key.
    const { counter, used, bottom } = known?.key === key && known.suite === suite ? known : UNUSED;
    return enrolled(state, serial, user, { suite, key, counter, used, bottom, ...(pin !== '' && { pin }) });
  },
  'phase 1': ({ state, drawn }, { serial, user }) => {
    const { key: secret = '?' } = drawn;
    enrolled(state, serial, user, { suite: ROLL_OUT_SUITE, secret, rollout: 'phase1', active: false });
    return { key: secret };
  },
  'phase 2': (act, { serial }) => {
    const token = act.state.tokens[serial];
    if (token === undefined || token.secret === null) {
      return REFUSED;
    }
    const { key = '?' } = act.drawn;
    Object.assign(token, { key, rollout: 'phase2', active: true, failCount: 0, ...UNUSED });
    return { ...issued(act, serial, '', 1), key };
  },
  request: (act, args) => {
    const [token, another] = challenged(selected(act.state, args));
    return token === undefined || another !== undefined
      ? REFUSED
      : issued(act, token.serial, args.text, Number(act.state.configuration.OcraMaxChallenges));
  },
  answer: answered,
  status: ({ state }, args) => {
    const serials = 'transaction' in args ? [] : selected(state, args).map(({ serial }) => serial);
    const isMeant = ({ transaction, serial }: Challenge): boolean =>
      'transaction' in args ? transaction === args.transaction : serials.includes(serial);
    return state.challenges.filter(isMeant).map(({ serial, transaction, received, valid }) => ({
      serial,
      transactionid: transaction,
      received_tan: received,
      valid_tan: valid,
      failcount: state.tokens[serial]?.failCount ?? 0,
    }));
  },
  show: ({ state }, { serial }) => shown(state.tokens[serial]),
  enable: ({ state }, of) =>
    selected(state, of).some(({ rollout }) => rollout === 'phase1')
      ? REFUSED
      : ofEach(state, of, (token) => (token.active = true)),
  disable: ({ state }, of) => ofEach(state, of, (token) => (token.active = false)),
  reset: ({ state }, of) => ofEach(state, of, (token) => (token.failCount = 0)),
  remove: ({ state }, of) =>
    ofEach(state, of, ({ serial }) => {
      state.tokens = Object.fromEntries(Object.entries(state.tokens).filter(([other]) => other !== serial));
      state.challenges = state.challenges.filter((challenge) => challenge.serial !== serial);
    }),
  unassign: ({ state }, of) =>
    ofEach(state, of, (token) => {
      give(state, token, null);
    }) !== REFUSED || REFUSED,
  assign: ({ state }, { serial, user }) =>
    ofEach(state, { serial }, (token) => {
      give(state, token, user);
    }) !== REFUSED || REFUSED,
  set: ({ state }, { serial, pin }) => ofEach(state, { serial }, (token) => (token.pin = pin)),
  limit: ({ state }, { serial, maxFail }) => ofEach(state, { serial }, (token) => (token.maxFail = maxFail)),
  window: ({ state }, { serial, counters }) =>
    ofEach(state, { serial }, (token) => (token.window = counters)),
  resync: ({ state }, { serial, responses }) => {
    const token = state.tokens[serial];
    return token === undefined || token.rollout === 'phase1' || !hasCounter(token.suite)
      ? REFUSED
      : resynchronise(token, responses);
  },
  configure: ({ state }, { key, value }) => {
    state.configuration[key] = value;
    return true;
  },
  housekeeping: (act) => {
    const oldest = nowIn(act) - SEVEN_DAYS;
    act.state.challenges = act.state.challenges.filter(
      ({ issued, lifetime }) => issued[0] + lifetime >= oldest,
    );
    return true;
  },
  restore: ({ state: { challenges } }) => {
    for (const one of challenges) {
      one.closed ??= 'superseded';
    }
    return true;
  },
  rows: ({ state }, { serial }) => stored(state, serial),
};

const UNUSED = { counter: 0, used: [], bottom: 0, ahead: null } satisfies Partial<Token>;

const nowIn = ({ between, isLate }: Act): number => between[isLate ? 1 : 0];

function selected({ tokens }: State, of: Selected): Token[] {
  return Object.values(tokens).filter((token) =>
    'serial' in of ? token.serial === of.serial : token.owner === of.user,
  );
}

/** @returns the tokens that a request may mean: those in roll-out do not count where another one is left */
function challenged(tokens: Token[]): Token[] {
  const complete = tokens.filter(({ rollout }) => rollout === 'complete');
  return complete.length > 0 ? complete : tokens;
}

function ofEach(state: State, of: Selected, change: (token: Token) => unknown): Answer {
  const tokens = selected(state, of);
  tokens.forEach(change);
  return tokens.length === 0 ? REFUSED : tokens.length;
}

function give(state: State, token: Token, owner: string | null): void {
  token.owner = owner;
  closeOpen(state, token.serial, 0);
}

function enrolled(state: State, serial: string, user: string | undefined, change: Partial<Token>): true {
  state.tokens[serial] = {
    serial,
    suite: '',
    key: null,
    secret: null,
    rollout: 'complete',
    active: true,
    failCount: 0,
    maxFail: Number(state.configuration.DefaultMaxFailCount),
    ...UNUSED,
    shift: 0,
    // Without another one it stays, as the owner does: a new enrolment loses no factor.
    pin: state.tokens[serial]?.pin ?? '',
    window: COUNTER_WINDOW,
    syncWindow: Number(state.configuration.DefaultSyncWindow),
    owner: user ?? state.tokens[serial]?.owner ?? null,
    ...change,
  };
  closeOpen(state, serial, 0);
  return true;
}

function issued({ state, drawn, between }: Act, serial: string, text: string, keep: number): object {
  const { transaction = null, question = null } = drawn;
  if (transaction !== null && state.challenges.some((one) => one.transaction === transaction)) {
    return { transaction: 'one that was not there before' };
  }
  if (question !== null && confirmsAnother(state, serial, text, question)) {
    return { question: 'one that is not that of another text' };
  }
  const lifetime = Number(state.configuration.OcraChallengeTimeout);
  const open = { lifetime, wrong: 0, received: false, valid: false, isPast: false, closed: null };
  state.challenges.push({ transaction, serial, question, text, issued: between, ...open });
  closeOpen(state, serial, keep);
  return { transaction, question };
}

/** @returns true if the response to that question could be one to another text; a counter is used up by an acceptance */
function confirmsAnother(
  { tokens, challenges }: State,
  serial: string,
  text: string,
  question: string,
): boolean {
  const { suite = '' } = tokens[serial] ?? {};
  return challenges.some(
    (one) =>
      one.serial === serial &&
      one.text !== text &&
      !(one.isPast && hasCounter(suite)) &&
      plainQuestion(suite, one.question ?? '') === plainQuestion(suite, question),
  );
}

function closeOpen({ challenges }: State, serial: string, keep: number): void {
  const open = challenges.filter((one) => one.serial === serial && one.closed === null);
  for (const one of open.slice(0, Math.max(0, open.length - keep))) {
    one.closed = 'superseded';
  }
}

function answered(act: Act, args: Operation<'answer'>['args']): Answer {
  const { state, isLate } = act;
  const { via, transaction, serial, user, pin = '', response } = args;
  const isTheirs = (one: Challenge): boolean =>
    via.endsWith('check_t') ||
    (via === 'validate/check_s' ? one.serial === serial : state.tokens[one.serial]?.owner === user);
  const theirs = state.challenges.filter(isTheirs);
  const meant = theirs.find((one) => one.transaction === transaction);
  const hearing = { state, pin, response, now: nowIn(act), isLate };
  const { failcount, result, decision } =
    transaction === undefined
      ? judgeOpen(hearing, theirs, Number(state.configuration.OcraMaxChallenges))
      : ((meant && judge(hearing, meant)) ?? NOTHING);
  act.decision = decision;
  if (via === 'ocra/check_t') {
    return { failcount, result };
  }
  return via === 'validate/check_t' ? { failcount, value: result } : result;
}

function shown(token: Token | undefined): Answer {
  if (token === undefined) {
    return null;
  }
  const { serial, active, failCount: failcount, maxFail: maxfail, rollout, owner: user, suite } = token;
  return {
    serial,
    active,
    failcount,
    maxfail,
    counter: String(token.counter),
    rollout,
    user,
    ocrasuite: suite,
  };
}

function stored({ tokens, challenges }: State, serial: string): Answer {
  const token = tokens[serial];
  if (token === undefined) {
    return null;
  }
  const { active, rollout, failCount: failcount, counter } = token;
  const its = challenges
    .filter((one) => one.serial === serial)
    .map(({ transaction, wrong, closed }) => `${transaction ?? '?'} ${wrong} ${closed ?? 'open'}`);
  return { active, rollout, failcount, counter: String(counter), challenges: its.sort() };
}
