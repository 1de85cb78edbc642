import fc from 'fast-check';

import { SqlTap, type SqlTapping } from '../../support/database/sql-tap.ts';
import { checkHistory, reportFindings } from './checker.ts';
import { possibilities } from './model.ts';
import { drawnIn, type HistoryRecord, type Operation } from './operations.ts';
import { fits, toldIn } from './order-search.ts';
import { anyConcurrent, anySequential, type Names, operationOf, type Step, TOKENS } from './random-steps.ts';
import { beginning, type State } from './state.ts';
import { withStoredFacts } from './stored-facts.ts';
import type { TwoServers } from './two-servers.ts';

/** Steps one after the other, each on one of the servers. */
export interface SequentialRun {
  /** The third token's clock is found ahead first: a rare combination. */
  readonly isAhead: boolean;
  readonly steps: readonly (readonly [Step, number])[];
}

/** A sequential beginning, and then the concurrent steps of several clients. */
export interface InterleavedRun {
  readonly first: readonly Step[];
  readonly lanes: readonly (readonly Step[])[];
  /** Milliseconds of delay of successive statements, repeated. */
  readonly delays: readonly number[];
}

export const anySequentialRun: fc.Arbitrary<SequentialRun> = fc.record({
  isAhead: fc.boolean(),
  steps: fc.array(fc.tuple(anySequential, fc.nat(1)), { maxLength: 50, size: 'max' }),
});

export const anyInterleavedRun: fc.Arbitrary<InterleavedRun> = fc.record({
  first: fc.array(
    anyConcurrent.map((step): Step => ({ ...step, step: step.step === 'answer' ? 'answer' : 'request' })),
    { minLength: 1, maxLength: 5 },
  ),
  lanes: fc.array(fc.array(anyConcurrent, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 4 }),
  delays: fc.array(fc.constantFrom(0, 0, 1, 2, 5, 9), { minLength: 6, maxLength: 20 }),
});

/** @throws where a client is told something else than the model says, or the rows differ */
export async function runSequential(
  servers: TwoServers,
  { isAhead, steps }: SequentialRun,
  { rows = true } = {},
): Promise<void> {
  const run = await Run.begin(servers);
  if (isAhead) {
    await run.findClockAhead();
  }
  for (const [step, server] of steps) {
    await run.follow(step, server);
  }
  await run.lookAtAll();
  if (rows) {
    await run.check();
  }
}

/** @throws where no order explains what concurrent clients were told, and the rows */
export async function runInterleaved(
  servers: TwoServers,
  { first, lanes, delays }: InterleavedRun,
  spoiled: SqlTapping = {},
): Promise<void> {
  const run = await Run.begin(servers);
  for (const step of first) {
    await run.follow(step, 0);
  }
  let statements = 0;
  const tap = new SqlTap({ ...spoiled, delay: () => delays[statements++ % delays.length] ?? 0 });
  await Promise.all(lanes.map((steps, lane) => run.lane(steps, lane))).finally(() => {
    tap.close();
  });
  await run.lookAtAll({ isFollowed: false });
  await run.check();
}

class Run {
  readonly #servers: TwoServers;
  readonly #names: Names;
  #state: State;

  private constructor(servers: TwoServers, names: Names) {
    this.#servers = servers;
    this.#names = names;
    this.#state = servers.client.records.reduce(after, beginning());
  }

  static async begin(servers: TwoServers): Promise<Run> {
    return new Run(servers, await servers.begin());
  }

  async follow(step: Step, server: number): Promise<void> {
    const operation = operationOf(step, this.#state, this.#servers.now, this.#names);
    if (typeof operation === 'number') {
      this.#servers.wait(operation);
    } else {
      await this.#perform(operation, server);
    }
  }

  /** Makes each request from the knowledge of this client alone. */
  async lane(steps: readonly Step[], lane: number): Promise<void> {
    let state = this.#state;
    for (const step of steps) {
      const operation = operationOf(step, state, this.#servers.now, this.#names);
      if (typeof operation !== 'number') {
        const record = await this.#servers.perform(operation, lane, `lane ${lane}`);
        state = record.outcome === 'ok' ? (outcomes(state, record)[0]?.state ?? state) : state;
      }
    }
  }

  async findClockAhead(): Promise<void> {
    const serial = this.#names.serial(2);
    await this.#perform({ op: 'configure', args: { key: 'AutoResync', value: 'True' } }, 0);
    for (const minutes of [21, 22]) {
      const { transaction = '', question = '' } = drawnIn(
        await this.#perform({ op: 'request', args: { serial, text: '' } }, 0),
      );
      const { suite = '', key } = this.#state.tokens[serial] ?? {};
      const at = Math.floor(this.#servers.now / 60) * 60 + minutes * 60;
      const response = { key: key ?? '', suite, question, at };
      await this.#perform({ op: 'answer', args: { via: 'ocra/check_t', transaction, response } }, 0);
    }
  }

  /** Asks for every token and every challenge. */
  async lookAtAll({ isFollowed = true } = {}): Promise<void> {
    const serials = Array.from({ length: TOKENS }, (_, token) => this.#names.serial(token));
    for (const args of serials.map((serial) => ({ serial }))) {
      for (const operation of [{ op: 'show', args } as const, { op: 'status', args } as const]) {
        await (isFollowed ? this.#perform(operation, 1) : this.#servers.perform(operation, 1));
      }
    }
  }

  /** Checks the whole history, with the audit trail and the rows. */
  async check(): Promise<void> {
    const { records, findings } = await withStoredFacts(this.#servers.client.records, this.#servers.ask);
    const report = reportFindings([...findings, ...checkHistory(records)]);
    if (report !== '') {
      throw new Error(report);
    }
  }

  async #perform(operation: Operation, server: number): Promise<HistoryRecord> {
    const record = await this.#servers.perform(operation, server);
    this.#state = after(this.#state, record);
    return record;
  }
}

/** @throws if the model does not explain the answer in that state */
function after(state: State, record: HistoryRecord): State {
  const all = outcomes(state, record);
  const found = all.find((possible) => record.strange === undefined && fits(record, possible));
  if (found === undefined) {
    const { op, args, strange, why = '' } = record;
    throw new Error(
      `${JSON.stringify({ op, args })} was answered\n  ${strange ?? JSON.stringify(toldIn(record))} ${why}\n` +
        `expected:\n  ${all.map(({ answer }) => JSON.stringify(answer)).join(' or ')}`,
    );
  }
  return found.state;
}

function outcomes(state: State, record: HistoryRecord): ReturnType<typeof possibilities> {
  const { clock = 0 } = record;
  return possibilities(state, record, {
    between: [clock, clock],
    drawn: drawnIn(record),
    isContended: false,
  });
}
