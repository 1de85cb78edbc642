import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { KEYS, type ModelAct, type ModelAnswer, SUITES, USERS } from './challenge-model-acts.ts';
import { ChallengeModel } from './challenge-model.ts';
import { StepResolution } from './challenge-model-resolution.ts';
import type { ChallengeModelServers, ModelRows } from './challenge-model-servers.ts';
import { type ModelStep, TOKENS } from './challenge-model-steps.ts';

/** The servers of a run, and its names. */
export interface RealRun {
  readonly servers: ChallengeModelServers;
  readonly resolution: StepResolution;
}

/** Performs the act on a server, and compares the answer with the model's. */
export async function follow(
  act: ModelAct,
  model: ChallengeModel,
  { servers }: RealRun,
  server: number,
): Promise<void> {
  const { answer, learned } = await servers.perform(act, server);
  const expected = model.apply(act, learned);
  servers.count(act, answer);
  if (!isDeepStrictEqual(answer, expected)) {
    throw new Error(difference(`${JSON.stringify(act)} was answered`, answer, expected));
  }
}

/** A step on one of the servers. */
export class StepCommand implements fc.AsyncCommand<ChallengeModel, RealRun> {
  readonly #step: ModelStep;
  readonly #server: number;

  constructor(step: ModelStep, server: number) {
    this.#step = step;
    this.#server = server;
  }

  /** Allows every step at any time; an invalid one has an answer, too. */
  check(): boolean {
    return true;
  }

  run(model: ChallengeModel, real: RealRun): Promise<void> {
    return follow(real.resolution.act(this.#step, model), model, real, this.#server);
  }

  toString(): string {
    return `${this.#server === 0 ? 'here' : 'there'} ${JSON.stringify(this.#step)}`;
  }
}

const halfAhead: readonly ModelStep[] = [
  { step: 'request', of: { token: 2 }, data: '' },
  { step: 'answer', via: 'ocra/check_t', which: 0, named: true, given: { kind: 'second half' } },
];
/** A rare combination: a clock is found ahead, and followed. */
const CLOCK_AHEAD: readonly ModelStep[] = [
  { step: 'configure', key: 'AutoResync', value: 'True' },
  ...halfAhead,
  ...halfAhead,
];

/** As `beginRun`. @param isAhead true if the third token's clock was found ahead */
export async function beginRunWith(
  servers: ChallengeModelServers,
  { isAhead }: { readonly isAhead: boolean },
): Promise<{ model: ChallengeModel; real: RealRun }> {
  const begun = await beginRun(servers);
  for (const step of isAhead ? CLOCK_AHEAD : []) {
    await new StepCommand(step, 0).run(begun.model, begun.real);
  }
  return begun;
}

/** @returns a new run with its first tokens: one for each user, and an unassigned one with a clock */
export async function beginRun(
  servers: ChallengeModelServers,
): Promise<{ model: ChallengeModel; real: RealRun }> {
  const { now, name } = await servers.begin();
  const model = new ChallengeModel(now);
  const real = { servers, resolution: new StepResolution(name) };
  const suites = [SUITES.counter, SUITES.counter, SUITES.time];
  for (const [token, suite] of suites.entries()) {
    const serial = real.resolution.serial(token);
    const key = KEYS[token % KEYS.length] ?? '';
    const act = { act: 'enrol', serial, suite, key, pin: undefined, user: USERS[token] } as const;
    await servers.enrol(act);
    model.apply(act);
  }
  return { model, real };
}

/** Compares all answers with the model; and the rows behind them, unless only answers are compared. */
export async function compareAll(
  model: ChallengeModel,
  real: RealRun,
  { rows }: { rows: boolean },
): Promise<void> {
  for (const act of questionsAboutAll(real.resolution)) {
    await follow(act, model, real, 1);
  }
  if (rows) {
    const found = await real.servers.rows(real.resolution.serial(0).slice(0, -1));
    const expected = rowsOf(model);
    if (!isDeepStrictEqual(found, expected)) {
      throw new Error(difference('The rows say', found, expected));
    }
    model.decisions.forEach(({ outcome }) => {
      real.servers.add(`decision: ${outcome}`);
    });
  }
}

/** @returns requests that show every token and every challenge */
export function questionsAboutAll(resolution: StepResolution): ModelAct[] {
  return Array.from({ length: TOKENS }, (_, token) => resolution.serial(token)).flatMap(
    (serial): ModelAct[] => [
      { act: 'show', serial },
      { act: 'status', of: { serial } },
    ],
  );
}

/** @returns the expected rows of challenges and of the audit trail, in the order of `ChallengeModelServers.rows` */
export function rowsOf({ challenges, decisions }: ChallengeModel): ModelRows {
  return {
    challenges: challenges
      .map(({ transactionId, wrong, closed }) => `${transactionId} ${wrong} ${closed ?? 'open'}`)
      .sort(),
    decisions: decisions.map(({ serial, via, outcome }) => `${serial} ${via} ${outcome}`).sort(),
  };
}

function difference(what: string, answered: ModelAnswer, expected: ModelAnswer): string {
  return `${what}\n  ${JSON.stringify(answered)}\nexpected:\n  ${JSON.stringify(expected)}`;
}
