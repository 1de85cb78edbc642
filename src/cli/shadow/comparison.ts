import { CliFailure } from '../cli-failure.ts';
import type { CommandContext } from '../command-context.ts';
import type { JsonValue, Output } from '../output.ts';
import { ProgressBar } from '../progress.ts';
import { readSecretText } from '../files.ts';
import { type ShadowAnswer, ShadowedServer } from './shadowed-server.ts';
import { safeText } from '../../kernel/text.ts';

/** The result of a comparison. */
interface Comparison {
  readonly questions: number;
  readonly differences: readonly DifferingFact[];
  /** The questions that both servers have answered by an error, or not as servers of this kind do. */
  readonly unanswered: readonly string[];
}

/** The options of `tankeeper shadow`. */
export interface ShadowOptions {
  readonly url: string;
  readonly newUrl?: string;
  readonly user: string;
  readonly newUser?: string;
  readonly passwordFile?: string;
  readonly newPasswordFile?: string;
  readonly caFile?: string;
  readonly newCaFile?: string;
  readonly questions?: string;
}

/** Compares the answers of the two servers, and prints the differences. */
export async function runShadow(
  context: CommandContext,
  options: ShadowOptions,
  output: Output,
): Promise<void> {
  const { io } = context.dependencies;
  const requested =
    options.questions === undefined
      ? undefined
      : parseQuestions(await readSecretText(io, options.questions, 'the list of questions'));
  const [old, tankeeper] = await openServers(context, options);
  const questions =
    requested ??
    questionsAbout(await Promise.all([old.ask(REALMS_QUESTION), tankeeper.ask(REALMS_QUESTION)]));
  const bar = new ProgressBar(io, 'questions');
  const found = await compare([old, tankeeper], questions, (done) => {
    bar.show(done, questions.length);
  }).finally(() => {
    bar.clear();
  });
  report(output, found);
}

async function compare(
  [old, tankeeper]: readonly [ShadowedServer, ShadowedServer],
  questions: readonly string[],
  progress: (done: number) => void,
): Promise<Comparison> {
  const found: DifferingFact[] = [];
  const unanswered: string[] = [];
  for (const [place, question] of questions.entries()) {
    const [before, after] = await Promise.all([old.ask(question), tankeeper.ask(question)]);
    const differing = differences(question, before, after);
    found.push(...differing);
    if (differing.length === 0 && !hasResult(before)) {
      unanswered.push(question);
    }
    progress(place + 1);
  }
  return { questions: questions.length, differences: found, unanswered };
}

async function openServers(
  context: CommandContext,
  options: ShadowOptions,
): Promise<readonly [ShadowedServer, ShadowedServer]> {
  const { io, random } = context.dependencies;
  const baseUrl = await context.baseUrl();
  const { url, newUrl = baseUrl, user, newUser = user } = options;
  const certificates = async (file: string | undefined): Promise<string | undefined> =>
    file === undefined ? undefined : readSecretText(io, file, 'the file of certificates');
  const password = await context.knownSecret(
    `Password of ${user} at ${url}`,
    '--password-file',
    options.passwordFile,
  );
  const newPassword = await context.knownSecret(
    `Password of ${newUser} at ${newUrl}`,
    '--new-password-file',
    options.newPasswordFile,
  );
  const [ca, newCa] = [await certificates(options.caFile), await certificates(options.newCaFile)];
  const old = { baseUrl: url, account: { name: user, password }, ca };
  const tankeeper = { baseUrl: newUrl, account: { name: newUser, password: newPassword }, ca: newCa };
  return [await ShadowedServer.open(old, random), await ShadowedServer.open(tankeeper, random)];
}

/** @throws CliFailure where the answers differ, or none was a result */
function report(output: Output, { questions, differences: found, unanswered }: Comparison): void {
  for (const one of found) {
    output.say(safeText(`${one.question}  ${one.fact}: ${textOf(one.old)} there, ${textOf(one.new)} here`));
  }
  const differing = new Set(found.map(({ question }) => question)).size;
  const alike = questions - differing;
  const errors = unanswered.length === 0 ? '' : `, ${unanswered.length} of these without a result`;
  output.done(`${questions} questions, ${alike} answered alike${errors}`, {
    questions,
    alike,
    unanswered,
    differences: found.map(({ question, fact, ...values }) => ({
      question,
      fact,
      old: values.old ?? null,
      new: values.new ?? null,
    })),
    ignored: IGNORED,
  });
  if (found.length > 0) {
    throw new CliFailure(`${differing} of ${questions} questions are answered differently`);
  }
  if (unanswered.length === questions) {
    throw new CliFailure('no question has a result on either server: nothing was compared');
  }
}

function textOf(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/** The facts that must differ between two servers or dialects and are not compared, by name. */
const IGNORED: Readonly<Record<string, string>> = {
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
const ADMINISTRATORS_REALM = 'linotp_admins';

/** A fact that two servers state differently; undefined: one of them does not state it. */
interface DifferingFact {
  readonly question: string;
  /** `Realms.office.total`. */
  readonly fact: string;
  readonly old: JsonValue | undefined;
  readonly new: JsonValue | undefined;
}

/** @returns the facts in which the answers to a question differ */
function differences(question: string, old: ShadowAnswer, tankeeper: ShadowAnswer): readonly DifferingFact[] {
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
function hasResult({ body }: ShadowAnswer): boolean {
  return memberOf(memberOf(body, 'result'), 'status') === true;
}

/** @returns the member of an object; undefined if it is none */
function memberOf(value: unknown, name: string): unknown {
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

/** Endpoints that change nothing. `/monitoring/storageEncryption` writes a probe, and is not among them. */
const READ_ONLY = [
  '/monitoring/tokens',
  '/monitoring/userinfo',
  '/monitoring/activeUsers',
  '/monitoring/config',
  '/monitoring/license',
  '/ocra/checkstatus',
];

const STATUS = encodeURIComponent('assigned,unassigned,active,inactive,unassigned&inactive,assigned&active');
const NO_REALM = encodeURIComponent('/:no realm:/');

/** The question whose answer names the realms of a server. */
const REALMS_QUESTION = '/monitoring/tokens';

/**
 * @param answers of both servers to `REALMS_QUESTION`
 * @returns questions about all realms that one of them names
 */
function questionsAbout(answers: readonly ShadowAnswer[]): readonly string[] {
  const names = answers.flatMap(({ body }) => {
    const realms = memberOf(memberOf(memberOf(body, 'result'), 'value'), 'Realms');
    return typeof realms === 'object' && realms !== null ? Object.keys(realms) : [];
  });
  const realms = [...new Set(names)]
    .filter((name) => !name.includes('/') && name !== ADMINISTRATORS_REALM)
    .toSorted();
  return [
    `/monitoring/tokens?status=${STATUS}`,
    '/monitoring/userinfo',
    '/monitoring/activeUsers',
    '/monitoring/config',
    `/monitoring/tokens?realms=${NO_REALM}&status=${STATUS}`,
    ...realms
      .map(encodeURIComponent)
      .flatMap((realm) => [
        `/monitoring/tokens?realms=${realm}&status=${STATUS}`,
        `/monitoring/userinfo?realms=${realm}`,
        `/monitoring/activeUsers?realms=${realm}`,
      ]),
  ];
}

/**
 * Reads questions, one a line: a path with its query, `GET` before it if wanted. Empty lines and those with # are skipped.
 * @throws CliFailure for a line that is none, or whose endpoint is not read-only; without any question
 */
function parseQuestions(text: string): readonly string[] {
  const questions = text.split(/\r?\n/).flatMap((line, at) => {
    const question = line.trim().replace(/^GET\s+/, '');
    if (question === '' || question.startsWith('#')) {
      return [];
    }
    const [path = ''] = question.split('?');
    if (!READ_ONLY.includes(path) || /\s/.test(question)) {
      throw new CliFailure(
        `line ${at + 1} is no question that changes nothing: one of ${READ_ONLY.join(', ')}, with its query`,
      );
    }
    return [question];
  });
  if (questions.length === 0) {
    throw new CliFailure('the list of questions is empty');
  }
  return questions;
}
