import type { JsonValue } from '../output.ts';
import type { ShadowAnswer } from './shadowed-server.ts';

/** The facts that must differ between two servers or dialects and are not compared, by name. */
export const IGNORED: Readonly<Record<string, string>> = {
  envelope: 'version, versionNumber, jsonrpc, id and detail, which name the server',
  rows: 'head and data, in which the documented dialect repeats the value',
  errors: 'code and text of an error; that both fail is compared',
  order: 'the order of the members of an object',
  booleans: '"True" and true, "False" and false are equal',
  times: 'now, synctime and changed of /monitoring/config; timestamp of /ocra/checkstatus',
  settings:
    'total, netto, realms, sqlresolver and managedresolver of /monitoring/config: LinOTP counts a realm of its own, and managed resolvers as SQL; realms are compared by name',
  administrators: 'the realm linotp_admins, in which LinOTP 3 keeps its administrators',
  numbers: 'id and active of an entry of /ocra/checkstatus, which the documented dialect has not',
};

/** Members that the rules `times`, `settings` and `numbers` leave out, by endpoint. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  '/monitoring/config': [
    'now',
    'synctime',
    'changed',
    'total',
    'netto',
    'realms',
    'sqlresolver',
    'managedresolver',
  ],
  '/ocra/checkstatus': ['id', 'timestamp', 'active'],
};

/** The rule `administrators`. */
export const ADMINISTRATORS_REALM = 'linotp_admins';

/** A fact that two servers state differently; undefined: one of them does not state it. */
export interface DifferingFact {
  readonly question: string;
  /** `Realms.office.total`. */
  readonly fact: string;
  readonly old: JsonValue | undefined;
  readonly new: JsonValue | undefined;
}

/** @returns the facts in which the answers to a question differ */
export function differences(
  question: string,
  old: ShadowAnswer,
  tankeeper: ShadowAnswer,
): readonly DifferingFact[] {
  const [before, after] = [factsOf(question, old), factsOf(question, tankeeper)];
  const kind = { old: before.get('answer'), new: after.get('answer') };
  if (kind.old !== kind.new) {
    return [{ question, fact: 'answer', ...kind }];
  }
  const facts = [...new Set([...before.keys(), ...after.keys()])];
  return facts
    .filter((fact) => before.get(fact) !== after.get(fact))
    .map((fact) => ({ question, fact, old: before.get(fact), new: after.get(fact) }));
}

/** @returns true if the server has answered the question: with a result, not with an error */
export function hasResult({ body }: ShadowAnswer): boolean {
  return memberOf(memberOf(body, 'result'), 'status') === true;
}

/** @returns the member of an object; undefined if it is none */
export function memberOf(value: unknown, name: string): unknown {
  // Own members only: an array has a function of the name values.
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

type Scalar = string | number | boolean | null;

/** @returns the compared facts of an answer, by their path */
function factsOf(question: string, answer: ShadowAnswer): ReadonlyMap<string, Scalar> {
  const { status, body } = answer;
  const result = memberOf(body, 'result');
  if (result === undefined) {
    return new Map([['answer', `HTTP ${status}, no result`]]);
  }
  if (!hasResult(answer)) {
    return new Map([['answer', 'an error']]);
  }
  const [endpoint = ''] = question.split('?');
  const value = memberOf(result, 'value');
  const facts = new Map<string, Scalar>([['answer', 'a result']]);
  // LinOTP wraps the list of checkstatus.
  collect(
    memberOf(value, 'values') ?? value,
    '',
    [ADMINISTRATORS_REALM, ...(LEFT_OUT[endpoint] ?? [])],
    facts,
  );
  return facts;
}

function collect(value: unknown, path: string, leftOut: readonly string[], facts: Map<string, Scalar>): void {
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([name]) => !leftOut.includes(name));
    for (const [name, member] of members) {
      collect(member, path === '' ? name : `${path}.${name}`, leftOut, facts);
    }
    if (Array.isArray(value)) {
      facts.set(path === '' ? 'entries' : `${path}.entries`, value.length);
    }
  } else {
    facts.set(path, scalarOf(value));
  }
}

function scalarOf(value: unknown): Scalar {
  if (value === 'True' || value === 'False') {
    return value === 'True';
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
