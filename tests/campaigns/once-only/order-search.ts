import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import { type Possible, possibilities, textOf } from './model.ts';
import { type Answer, drawnIn, type HistoryRecord, REFUSED } from './operations.ts';
import { beginning, type State } from './state.ts';

/** Bounds of one search. */
export interface Budget {
  /** The most states that are looked at. */
  readonly states: number;
  readonly milliseconds: number;
}

export const BUDGET: Budget = { states: 200_000, milliseconds: 60_000 };

/** Seconds by which a server may take another time for the present than the client. */
const CLOCK_SLACK = 2;
/** Seconds after which a request without an answer is done, if at all. */
const LATEST = 120;

/** Where the longest order ended that explains a part of the history. */
export interface Stuck {
  /** The operation that must come next; no order explains it. */
  readonly record: HistoryRecord;
  /** What the model says of it then. */
  readonly possible: readonly Possible[];
  readonly state: State;
  /** The operations that were explained. */
  readonly explained: readonly HistoryRecord[];
}

export type Search =
  | { readonly result: 'explained'; readonly state: State }
  | { readonly result: 'unexplained' | 'given up'; readonly stuck: Stuck };

/** A record in the search. */
interface Event {
  readonly record: HistoryRecord;
  readonly begun: number;
  readonly ended: number;
  /** It surely happened. */
  readonly must: boolean;
  readonly between: readonly [number, number];
  readonly isContended: boolean;
  /** Equal for equal operations, however they were answered. */
  readonly what: string;
  /** The time of all of these. */
  readonly wide: readonly [number, number];
  /** The fail count in the answer to a response. */
  readonly count: number | undefined;
  /** Equal for operations that may change places in any order. */
  readonly signature: string;
}

interface Choice {
  readonly event: number;
  readonly state: State;
}

interface Frame {
  /** The events that this frame has put into the order. */
  readonly taken: readonly number[];
  readonly choices: readonly Choice[];
  next: number;
}

/**
 * Searches for an order, one operation after the other, in which the model gives all answers of a history. An operation
 * that was answered before another one began precedes it. One with an unknown outcome is left out, or comes anywhere
 * after it began.
 */
export function searchOrder(records: readonly HistoryRecord[], budget: Budget = BUDGET): Search {
  return new OrderSearch(records, budget).run();
}

class OrderSearch {
  readonly #events: readonly Event[];
  readonly #done: Uint8Array;
  readonly #seen = new Set<string>();
  readonly #budget: Budget;
  readonly #deadline: number;
  /** All responses were answered with a fail count, so that nothing else counts. */
  readonly #areCounted: boolean;
  #left: number;
  #states = 0;
  /** All events before it are in the order. */
  #low = 0;
  #last: State = beginning();
  #deepest = -1;
  #stuck: Stuck | undefined;

  constructor(records: readonly HistoryRecord[], budget: Budget) {
    this.#events = eventsOf(records);
    this.#done = new Uint8Array(this.#events.length);
    this.#areCounted = this.#events.every(
      ({ record, count }) => record.op !== 'answer' || count !== undefined,
    );
    this.#left = this.#events.filter(({ must }) => must).length;
    this.#budget = budget;
    this.#deadline = performance.now() + budget.milliseconds;
  }

  run(): Search {
    const frames = [this.#enter(beginning())];
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      if (this.#left === 0) {
        return { result: 'explained', state: this.#last };
      }
      const choice = frame.choices[frame.next];
      frame.next += 1;
      if (choice === undefined) {
        frame.taken.forEach((event) => {
          this.#undo(event);
        });
        frames.pop();
      } else if (this.#states > this.#budget.states || performance.now() > this.#deadline) {
        return this.#failed('given up');
      } else {
        frames.push(this.#enter(choice.state, choice.event));
      }
    }
    return this.#failed('unexplained');
  }

  #failed(result: 'unexplained' | 'given up'): Search {
    if (this.#stuck === undefined) {
      throw new Error('A search ended nowhere');
    }
    return { result, stuck: this.#stuck };
  }

  #enter(state: State, chosen?: number): Frame {
    this.#states += 1;
    this.#last = state;
    const taken = chosen === undefined ? [] : [chosen];
    taken.forEach((event) => {
      this.#do(event);
    });
    const choices = this.#choices(state, taken);
    const isKnown = choices.length > 1 && (this.#wasSeen(state) || this.#isHopeless(state));
    if (choices.length === 0) {
      this.#note(state);
    }
    return { taken, choices: isKnown ? [] : choices, next: 0 };
  }

  /** Puts what can change nothing into the order at once, which is always right. @returns what may come next */
  #choices(state: State, taken: number[]): Choice[] {
    for (;;) {
      const choices: Choice[] = [];
      const signatures = new Set<string>();
      const known = new Map<string, readonly Possible[]>();
      let isAbsorbed = false;
      for (const index of this.#eligible()) {
        const event = this.#events[index];
        if (event === undefined || signatures.has(event.signature)) {
          continue;
        }
        signatures.add(event.signature);
        const fitting = outcomes(state, event, known).filter((possible) => fits(event.record, possible));
        if (!isIdle(event, fitting, state)) {
          choices.push(...fitting.map((possible) => ({ event: index, state: possible.state })));
        } else if (event.must) {
          this.#do(index);
          taken.push(index);
          isAbsorbed = true;
        }
      }
      if (!isAbsorbed || this.#left === 0) {
        return choices;
      }
    }
  }

  /** @returns the events that may come next: those that must come first, by the moment of their answer, before others */
  #eligible(): number[] {
    while (this.#done[this.#low] === 1) {
      this.#low += 1;
    }
    const open: number[] = [];
    let bound = Infinity;
    for (let index = this.#low; index < this.#events.length && this.#of(index).begun <= bound; index += 1) {
      if (this.#done[index] === 0) {
        open.push(index);
        bound = Math.min(bound, this.#of(index).must ? this.#of(index).ended : Infinity);
      }
    }
    return open
      .filter((index) => this.#of(index).begun <= bound)
      .sort((one, other) => rank(this.#of(one)) - rank(this.#of(other)) || one - other);
  }

  #of(index: number): Event {
    const event = this.#events[index];
    if (event === undefined) {
      throw new Error(`There is no event ${index}`);
    }
    return event;
  }

  #do(index: number): void {
    this.#done[index] = 1;
    this.#left -= Number(this.#of(index).must);
  }

  #undo(index: number): void {
    this.#done[index] = 0;
    this.#low = Math.min(this.#low, index);
    this.#left += Number(this.#of(index).must);
  }

  /** @returns true if a fail count that was told can be reached no more: each one follows the one below */
  #isHopeless({ tokens }: State): boolean {
    const [token, another] = Object.values(tokens);
    if (!this.#areCounted || token === undefined || another !== undefined) {
      return false;
    }
    const left = new Set(
      this.#events.flatMap(({ count }, index) => (this.#done[index] === 0 ? [count ?? 0] : [])),
    );
    return [...left].some((count) => count > token.failCount + 1 && !left.has(count - 1));
  }

  #wasSeen(state: State): boolean {
    const hash = createHash('sha256').update(this.#done).update(textOf(state)).digest('base64');
    const isKnown = this.#seen.has(hash);
    this.#seen.add(hash);
    return isKnown;
  }

  #note(state: State): void {
    const depth = this.#done.reduce((sum, one) => sum + one, 0);
    const open = this.#eligible().map((index) => this.#of(index));
    const [next] = open.filter(({ must }) => must);
    if (next !== undefined && depth > this.#deepest) {
      this.#deepest = depth;
      const explained = this.#events
        .filter((_, index) => this.#done[index] === 1)
        .map(({ record }) => record);
      this.#stuck = { record: next.record, possible: outcomes(state, next), state, explained };
    }
  }
}

/**
 * @returns true if it changes nothing, in this state or in another: an assignment that changes nothing before a request
 *   ends its challenge after it
 */
function isIdle({ record, must }: Event, fitting: readonly Possible[], state: State): boolean {
  const onlyAsks = record.outcome === 'refused' || ['answer', 'status', 'show', 'rows'].includes(record.op);
  return (onlyAsks || !must) && fitting.length > 0 && fitting.every((possible) => possible.state === state);
}

/** Known ones first, by the moment of their answer; then those without an answer. */
function rank({ must, ended }: Event): number {
  return ended === Infinity ? Number.MAX_VALUE / (must ? 2 : 1) : ended;
}

/** @param known outcomes of equal operations in this state, whenever they were done */
function outcomes(
  state: State,
  { record, between, wide, isContended, what }: Event,
  known = new Map<string, readonly Possible[]>(),
): readonly Possible[] {
  const given = { drawn: drawnIn(record), isContended };
  const all = known.get(what) ?? possibilities(state, record, { ...given, between: wide });
  known.set(what, all);
  // What is the same at both ends of the time is the same at each moment of it.
  return all.length === 1 && record.op === 'answer'
    ? all
    : possibilities(state, record, { ...given, between });
}

function eventsOf(records: readonly HistoryRecord[]): Event[] {
  const spans = records
    // What asks only, and was not answered, did nothing; nor did what left nothing in the audit trail.
    .filter(({ op, outcome }) => outcome !== 'unknown' || !['status', 'show', 'rows'].includes(op))
    .filter(({ outcome, decision }) => outcome !== 'unknown' || decision !== null)
    .map((record) => ({
      record,
      begun: record.invoked,
      ended: record.outcome === 'unknown' ? Infinity : (record.completed ?? Infinity),
    }))
    .sort((one, other) => one.begun - other.begun);
  const times = new Map<string, readonly [number, number]>();
  const whats = spans.map(({ record }) => {
    const what = JSON.stringify([record.op, record.args, drawnIn(record)]);
    const [first, last] = between(record);
    const [least, most] = times.get(what) ?? [first, last];
    times.set(what, [Math.min(first, least), Math.max(last, most)]);
    return what;
  });
  return spans.map((span, index) => {
    const { record, begun, ended } = span;
    const what = whats[index] ?? '';
    return {
      ...span,
      must: record.outcome !== 'unknown' || record.decision !== undefined,
      between: between(record),
      isContended:
        record.op === 'enrol' &&
        spans.some((other) => other !== span && other.begun < ended && begun < other.ended),
      what,
      count:
        record.op === 'answer' ? (record.answer as { failcount?: number } | undefined)?.failcount : undefined,
      wide: times.get(what) ?? between(record),
      signature: JSON.stringify([what, record.outcome, record.answer, record.decision]),
    };
  });
}

function between({ clock, invoked, completed, outcome }: HistoryRecord): readonly [number, number] {
  if (clock !== undefined) {
    return [clock, clock];
  }
  const isOver = outcome !== 'unknown' && completed !== undefined;
  return [invoked / 1_000 - CLOCK_SLACK, isOver ? completed / 1_000 + CLOCK_SLACK : invoked / 1_000 + LATEST];
}

/** @returns true if the answer, and the decision in the audit trail where that is known, are those of the model */
export function fits(record: HistoryRecord, possible: Possible): boolean {
  return (
    isDecided(record, possible) &&
    (record.outcome === 'unknown' || isDeepStrictEqual(unordered(toldIn(record)), unordered(possible.answer)))
  );
}

/**
 * /validate/check and check_s first read an open challenge, where a transaction is named, and only then decide on it: for
 * one that was closed in between there may or may not be a row.
 */
function isDecided({ op, args, decision }: HistoryRecord, possible: Possible): boolean {
  if (op !== 'answer' || decision === undefined) {
    return true;
  }
  const known = (made: string | null): string | null =>
    args.via.endsWith('check_t') || !['closed', 'dropped', 'expired', 'disabled'].includes(made ?? '')
      ? made
      : null;
  return known(decision) === known(possible.decision);
}

/** @returns the client's answer, in the words of the model */
export function toldIn({ outcome, answer = null }: HistoryRecord): Answer {
  return outcome === 'refused' ? REFUSED : answer;
}

/** Sorts challenges, whose order within a second only the database knows. */
function unordered(answer: Answer): Answer {
  return Array.isArray(answer) ? answer.map((entry) => JSON.stringify(entry)).sort() : answer;
}
