import fc from 'fast-check';
import { SUITES, USERS } from './challenge-model-acts.ts';
import { explain, type Happened, unordered } from './challenge-model-history.ts';
import type { ChallengeModel } from './challenge-model.ts';
import { beginRun, follow, questionsAboutAll, type RealRun, rowsOf } from './challenge-model-run.ts';
import type { ChallengeModelServers, ModelRows } from './challenge-model-servers.ts';
import { anyGiven, DATA, type ModelStep } from './challenge-model-steps.ts';
import { isDeepStrictEqual } from 'node:util';
import { SqlTap, type SqlTapping } from '../../support/database/sql-tap.ts';

/** A sequential beginning, and then the concurrent steps of several clients. */
export interface InterleavedRun {
  readonly first: readonly ModelStep[];
  readonly lanes: readonly (readonly ModelStep[])[];
  /** Milliseconds of delay of successive statements, repeated. */
  readonly delays: readonly number[];
}

const token = fc.constantFrom(0, 0, 0, 0, 1);
const step = <Name extends string>(name: Name): fc.Arbitrary<Name> => fc.constant(name);
const requesting = fc.record({
  step: step('request'),
  of: fc.oneof(
    { weight: 4, arbitrary: fc.record({ token }) },
    { weight: 1, arbitrary: fc.record({ user: fc.constantFrom(...USERS) }) },
  ),
  data: fc.constantFrom('', DATA[0]),
});
const answering = fc.record({
  step: step('answer'),
  which: fc.constantFrom(0, 0, 0, 1, 1, 2),
  named: fc.boolean(),
  given: anyGiven,
  via: fc.constantFrom(
    'ocra/check_t',
    'ocra/check_t',
    'validate/check_t',
    'validate/check_s',
    'validate/check',
  ),
});
const enrolling = fc.record({
  step: step('enrol'),
  token,
  suite: fc.constant(SUITES.counter),
  key: fc.constantFrom(0, 0, 1),
  pin: fc.constant(undefined),
  user: fc.constant(undefined),
});

/** Steps that are each atomic in the database, so that an order of them must explain the result. */
const laneStep = fc.oneof(
  { weight: 30, arbitrary: answering },
  { weight: 10, arbitrary: requesting },
  {
    weight: 12,
    arbitrary: fc.record({
      step: fc.constantFrom('enable', 'disable', 'reset', 'reset', 'unassign', 'remove'),
      of: fc.record({ token }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ step: step('assign'), token, user: fc.constantFrom(...USERS) }) },
  { weight: 4, arbitrary: enrolling },
  { weight: 2, arbitrary: fc.record({ step: step('limit'), token, maxFail: fc.constantFrom(1, 2, 3) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      step: step('resync'),
      token,
      ahead: fc.constantFrom(0, -1, 1),
      questions: fc.constant([DATA[0], DATA[0]] as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ step: step('status'), of: fc.record({ token }) }) },
  { weight: 2, arbitrary: fc.record({ step: step('show'), token }) },
) as fc.Arbitrary<ModelStep>;

export const anyInterleavedRun: fc.Arbitrary<InterleavedRun> = fc.record({
  first: fc
    .array(fc.oneof(requesting, requesting, answering), { maxLength: 4 })
    .map((steps): readonly ModelStep[] => [{ step: 'request', of: { token: 0 }, data: DATA[0] }, ...steps]),
  lanes: fc.array(fc.array(laneStep, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 4 }),
  delays: fc.array(fc.constantFrom(0, 0, 1, 2, 5, 9), { minLength: 6, maxLength: 20 }),
});

/** @throws if no order explains the answers of concurrent clients and the final state */
export async function runInterleaved(
  servers: ChallengeModelServers,
  { first, lanes, delays }: InterleavedRun,
  spoiled: SqlTapping = {},
): Promise<void> {
  const { model, real } = await beginRun(servers);
  for (const one of first) {
    await follow(real.resolution.act(one, model), model, real, 0);
  }
  let statements = 0;
  const delay = (): number => delays[statements++ % delays.length] ?? 0;
  const tap = new SqlTap({ ...spoiled, delay });
  let tick = 0;
  const happened = await Promise.all(
    lanes.map((steps, server) => runLane(steps, model.fork(), real, server, () => (tick += 1))),
  ).finally(() => {
    tap.close();
  });
  const isEnd = await endOf(real);
  if (explain(model, happened, isEnd) === undefined) {
    const reported = happened.flat().map((one) => JSON.stringify(one));
    throw new Error(`No order explains:\n  ${reported.join('\n  ')}`);
  }
  happened.flat().forEach(({ act, answer }) => {
    servers.count(act, answer);
  });
}

/** Makes each request from the knowledge of this client alone. */
async function runLane(
  steps: readonly ModelStep[],
  view: ChallengeModel,
  { servers, resolution }: RealRun,
  server: number,
  tick: () => number,
): Promise<Happened[]> {
  const happened: Happened[] = [];
  for (const one of steps) {
    const act = resolution.act(one, view);
    const begun = tick();
    const { answer, learned } = await servers.perform(act, server);
    happened.push({ act, answer, learned, begun, ended: tick() });
    if (act.act !== 'request' || answer === true) {
      view.apply(act, learned);
    }
  }
  return happened;
}

/** @returns a function that is true if a model is in the servers' state: by their answers, and by the rows */
async function endOf({ servers, resolution }: RealRun): Promise<(model: ChallengeModel) => boolean> {
  const questions = questionsAboutAll(resolution);
  const answers: unknown[] = [];
  for (const act of questions) {
    answers.push(unordered((await servers.perform(act, 1)).answer));
  }
  const rows = decided(await servers.rows(resolution.serial(0).slice(0, -1)));
  return (model) =>
    isDeepStrictEqual(
      questions.map((act) => unordered(model.apply(act))),
      answers,
    ) && isDeepStrictEqual(decided(rowsOf(model)), rows);
}

/**
 * /validate/check and check_s first read an open challenge, where a transaction is named, and only then decide on it. A
 * challenge that was closed in between may or may not have a row; these rows are left out.
 */
function decided({ challenges, decisions }: ModelRows): ModelRows {
  const isLeftOpen = /validate\/check(?:_s)? (?:closed|dropped|expired|disabled)$/;
  return { challenges, decisions: decisions.filter((row) => !isLeftOpen.test(row)) };
}
