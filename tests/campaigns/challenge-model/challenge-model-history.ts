import { isDeepStrictEqual } from 'node:util';
import { type Learned, type ModelAct, type ModelAnswer, REFUSED } from './challenge-model-acts.ts';
import type { ChallengeModel } from './challenge-model.ts';

/** Something that a client asked and was answered, while others did the same. */
export interface Happened {
  readonly act: ModelAct;
  readonly answer: ModelAnswer;
  readonly learned: Learned;
  /** When it was asked and answered: numbers that grow. */
  readonly begun: number;
  readonly ended: number;
}

/**
 * Looks for an order, one after the other, in which the model gives every client the answer that it got, and ends where
 * the server has ended. What was answered before something else was asked comes before it.
 * @param lanes what each client did, in its order
 * @param isEnd whether the model is where the server is now
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

/** @returns the model afterwards, undefined where it would have answered otherwise */
function follows(model: ChallengeModel, { act, answer, learned }: Happened): ChallengeModel | undefined {
  if (act.act === 'enrol' && answer === REFUSED) {
    // Somebody else enrolled or removed the token at that moment: the administrator is told, and nothing is changed.
    return model;
  }
  const after = model.fork();
  return isDeepStrictEqual(unordered(after.apply(act, learned)), unordered(answer)) ? after : undefined;
}

/** Challenges of the same second have an order of their own in the database. */
export function unordered(answer: ModelAnswer): ModelAnswer {
  return Array.isArray(answer) ? answer.map((entry) => JSON.stringify(entry)).sort() : answer;
}
