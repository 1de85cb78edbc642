import { isDeepStrictEqual } from 'node:util';
import { type Learned, type ModelAct, type ModelAnswer, REFUSED } from './challenge-model-acts.ts';
import type { ChallengeModel } from './challenge-model.ts';

/** A client's request and its answer, while other clients send theirs. */
export interface Happened {
  readonly act: ModelAct;
  readonly answer: ModelAnswer;
  readonly learned: Learned;
  /** Increasing numbers for the moments of request and answer. */
  readonly begun: number;
  readonly ended: number;
}

/**
 * Searches for a sequential order in which the model gives every client the answer that it got, and ends in the
 * server's final state. A request that was answered before another one began precedes it.
 * @param lanes the requests of each client, in its order
 * @param isEnd true if the model is in the server's final state
 * @returns undefined if there is no such order
 * @returns undefined where there is no such order
 */
export function explain(
  model: ChallengeModel,
  lanes: readonly (readonly Happened[])[],
  isEnd: (model: ChallengeModel) => boolean,
): readonly Happened[] | undefined {
  if (lanes.every((lane) => lane.length === 0)) {
    return isEnd(model) ? [] : undefined;
  }
  const firstEnd = Math.min(...lanes.flatMap((lane) => lane.slice(0, 1)).map(({ ended }) => ended));
  for (const [index, [next, ...rest]] of lanes.entries()) {
    if (next === undefined || next.begun > firstEnd) {
      continue;
    }
    const after = follows(model, next);
    const others = lanes.map((lane, at) => (at === index ? rest : lane));
    const found = after && explain(after, others, isEnd);
    if (found !== undefined) {
      return [next, ...found];
    }
  }
  return undefined;
}

/** @returns the model afterwards, undefined if its answer differs */
function follows(model: ChallengeModel, { act, answer, learned }: Happened): ChallengeModel | undefined {
  if (act.act === 'enrol' && answer === REFUSED) {
    // Another client enrolled or removed the token at that moment: the request fails, and nothing is changed.
    return model;
  }
  const after = model.fork();
  return isDeepStrictEqual(unordered(after.apply(act, learned)), unordered(answer)) ? after : undefined;
}

/** Sorts challenges of the same second, which have an order of their own in the database. */
export function unordered(answer: ModelAnswer): ModelAnswer {
  return Array.isArray(answer) ? answer.map((entry) => JSON.stringify(entry)).sort() : answer;
}
