import type { FormRequest } from './form-probe.ts';
import type { TimedToken, TimedTokens } from './timing-tokens.ts';

/** Two kinds of requests that must not be told apart by how long they take. */
export interface TimedPair {
  readonly name: string;
  readonly one: FormRequest;
  readonly other: FormRequest;
  /** The form that every answer to either must have: a difference here would not be one of time. */
  readonly answer: RegExp;
  /**
   * `judged`: there must be no difference; `bounded`: one may be found that is too small to matter; `control`: the same
   * twice; `planted`: one must be found; `shown`: only shown.
   */
  readonly role: 'judged' | 'bounded' | 'control' | 'planted' | 'shown';
}

/** Pairs that are measured together, and the difference that matters for them, in milliseconds. */
export interface PairGroup {
  readonly name: 'checks' | 'logins';
  readonly bound: number;
  readonly pairs: readonly TimedPair[];
}

const REFUSED = /"result": ?false/;
const INVALID = /"value": ?false/;
const UNAUTHENTICATED = /"status": ?false/;

const NO_RESPONSE = '00000000';

/** A statement more on one side costs 0.2 ms and more; half of that matters. */
const CHECK_BOUND = 0.1;
/** A hash of a password costs 10 ms and more. */
const LOGIN_BOUND = 1;

/** @returns pairs of responses, and of what is asked for by open endpoints */
export function checkGroup(tokens: TimedTokens): PairGroup {
  const { transaction, pin, lastWrong } = tokens.locked;
  const same = check(transaction, `${pin}${lastWrong}`);
  const shown = { answer: INVALID, role: 'shown' } as const;
  const { serial } = tokens.unlocked;
  return {
    name: 'checks',
    bound: CHECK_BOUND,
    pairs: [
      ...controls(same, CHECK_BOUND, REFUSED),
      ...responsePairs(tokens),
      ...lookUpPairs(tokens),
      {
        ...shown,
        name: 'check_s: challenge open, no such serial',
        one: bySerial(serial),
        other: bySerial('X'.repeat(serial.length)),
      },
      {
        ...shown,
        name: 'check_t: transaction, no such transaction',
        answer: REFUSED,
        one: same,
        other: check('f'.repeat(transaction.length), `${pin}${lastWrong}`),
      },
    ],
  };
}

function responsePairs({ locked, unlocked }: TimedTokens): readonly TimedPair[] {
  const to = ({ transaction }: TimedToken, pin: string, response: string): FormRequest =>
    check(transaction, `${pin}${response}`);
  const { pin, wrongPin, right, firstWrong, lastWrong } = locked;
  const common = { answer: REFUSED, role: 'judged' } as const;
  return [
    {
      ...common,
      name: 'locked: right, wrong',
      one: to(locked, pin, right),
      other: to(locked, pin, lastWrong),
    },
    {
      ...common,
      name: 'locked: first, last digit wrong',
      one: to(locked, pin, firstWrong),
      other: to(locked, pin, lastWrong),
    },
    {
      ...common,
      name: 'locked: right PIN, wrong PIN',
      one: to(locked, pin, right),
      other: to(locked, wrongPin, right),
    },
    {
      ...common,
      name: 'not locked: first, last digit wrong',
      one: to(unlocked, unlocked.pin, unlocked.firstWrong),
      other: to(unlocked, unlocked.pin, unlocked.lastWrong),
    },
    {
      ...common,
      name: 'not locked: right PIN, wrong PIN',
      one: to(unlocked, unlocked.pin, unlocked.lastWrong),
      other: to(unlocked, unlocked.wrongPin, unlocked.lastWrong),
    },
  ];
}

function lookUpPairs({ open: { serial, noSerial, user, noUser, realm } }: TimedTokens): readonly TimedPair[] {
  const byUser = (name: string): FormRequest => ({
    path: '/validate/check',
    parameters: { user: name, realm, pass: NO_RESPONSE },
  });
  // A row that is found costs the database some microseconds more than one that is not.
  const common = { answer: INVALID, role: 'bounded' } as const;
  return [
    {
      ...common,
      name: 'check_s: serial, no such serial',
      one: bySerial(serial),
      other: bySerial(noSerial),
    },
    { ...common, name: 'check: user, no such user', one: byUser(user), other: byUser(noUser) },
  ];
}

/** The same twice, and the same with as much time wasted as matters: what measures must not find one, but the other. */
function controls(same: FormRequest, planted: number, answer: RegExp): readonly TimedPair[] {
  return [
    { name: 'control: the same twice', one: same, other: same, answer, role: 'control' },
    { name: 'control: planted', one: same, other: { ...same, planted }, answer, role: 'planted' },
  ];
}

function check(transactionid: string, pass: string): FormRequest {
  return { path: '/ocra/check_t', parameters: { transactionid, pass } };
}

function bySerial(serial: string): FormRequest {
  return { path: '/validate/check_s', parameters: { serial, pass: NO_RESPONSE } };
}

/**
 * @param names of the same length
 * @returns pairs of logins with wrong passwords
 */
export function loginGroup(names: { readonly known: string; readonly unknown: string }): PairGroup {
  const password = 'a password that nobody has';
  const form = (username: string): FormRequest => ({
    path: '/admin/login',
    parameters: { username, password },
  });
  const basic = (name: string): FormRequest => ({
    path: '/admin/getsession',
    headers: { Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` },
  });
  const common = { answer: UNAUTHENTICATED, role: 'judged' } as const;
  return {
    name: 'logins',
    bound: LOGIN_BOUND,
    pairs: [
      ...controls(form(names.known), LOGIN_BOUND, UNAUTHENTICATED),
      {
        ...common,
        name: 'login form: name, no such name',
        one: form(names.known),
        other: form(names.unknown),
      },
      {
        ...common,
        name: 'HTTP Basic: name, no such name',
        one: basic(names.known),
        other: basic(names.unknown),
      },
    ],
  };
}
