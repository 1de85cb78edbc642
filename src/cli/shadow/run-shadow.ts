import { safeText } from '../../kernel/text.ts';
import { CliFailure } from '../cli-failure.ts';
import type { CommandContext } from '../command-context.ts';
import type { Output } from '../output.ts';
import { ProgressBar } from '../progress-bar.ts';
import { readSecretText } from '../secret-input.ts';
import { type DifferingFact, differences, hasResult, IGNORED } from './comparable-answer.ts';
import { parseQuestions, questionsAbout, REALMS_QUESTION } from './shadow-questions.ts';
import { ShadowedServer } from './shadowed-server.ts';

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
  const { baseUrl } = await context.dependencies.settings();
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
