import { KEYS, type ModelAct, type Selected, USERS } from './challenge-model-acts.ts';
import type { ModelChallenge, ModelToken } from './challenge-model-state.ts';
import type { ChallengeModel } from './challenge-model.ts';
import { hasCounter, hasTime, type Position, responseAt, STEP, stepOf } from './challenge-model-responses.ts';
import type { Chosen, ResponseKind, ModelStep, Which } from './challenge-model-steps.ts';
import { wrongResponse } from '../../support/application/test-application.ts';

const UNKNOWN = 'ffffffffffffffffffff';

type StepOfToken = Exclude<Extract<ModelStep, { readonly token: number }>, { step: 'resync' }>;

/** Makes requests of steps, by the present state. */
export class StepResolution {
  readonly #run: string;

  /** @param run a name for the serials, which no other run uses */
  constructor(run: string) {
    this.#run = run;
  }

  serial(token: number): string {
    return `${this.#run}-${token}`;
  }

  act(step: ModelStep, model: ChallengeModel): ModelAct {
    switch (step.step) {
      case 'request':
        return { act: 'request', of: this.#selected(step.of), data: step.data };
      case 'answer':
        return this.#answer(step, model);
      case 'status':
        return this.#status(step.of, model);
      case 'resync':
        return this.#resync(step, model);
      case 'configure':
        return { ...step, act: 'configure' };
      case 'wait':
        return { act: 'wait', seconds: step.seconds };
      case 'wait for expiry':
        return { act: 'wait', seconds: secondsToExpiry(step, model) };
      case 'housekeeping':
        return { act: 'housekeeping' };
      default:
        return 'of' in step
          ? { act: step.step, of: this.#selected(step.of) }
          : this.#ofToken(step, this.serial(step.token), model);
    }
  }

  #ofToken(step: StepOfToken, serial: string, model: ChallengeModel): ModelAct {
    switch (step.step) {
      case 'enrol': {
        const { suite, key, pin, user } = step;
        return { act: 'enrol', serial, suite, key: KEYS[key] ?? KEYS[0], pin, user };
      }
      case 'phase 1':
        return { act: 'phase 1', serial, user: step.user };
      case 'phase 2':
        return phase2(serial, model);
      case 'show':
        return { act: 'show', serial };
      case 'assign':
        return { act: 'assign', serial, user: step.user };
      case 'set':
        return { act: 'set', serial, pin: step.pin };
      case 'limit':
        return { act: 'limit', serial, maxFail: step.maxFail };
      case 'window':
        return { act: 'window', serial, counters: step.counters };
    }
  }

  #selected(chosen: Chosen): Selected {
    return 'user' in chosen ? chosen : { serial: this.serial(chosen.token) };
  }

  #status(of: Chosen | { readonly which: Which }, model: ChallengeModel): ModelAct {
    return {
      act: 'status',
      of:
        'which' in of
          ? { transactionId: challengeOf(of.which, model)?.transactionId ?? UNKNOWN }
          : this.#selected(of),
    };
  }

  #answer(step: Extract<ModelStep, { step: 'answer' }>, model: ChallengeModel): ModelAct {
    const { via, named, which, given } = step;
    const challenge = challengeOf(which, model);
    const token = challenge && model.tokens.get(challenge.serial);
    const isNamed = named || via === 'ocra/check_t' || via === 'validate/check_t';
    if (challenge === undefined || token === undefined) {
      const transactionId = isNamed ? UNKNOWN : undefined;
      return { act: 'answer', via, transactionId, serial: this.serial(0), user: USERS[0], pass: '12345678' };
    }
    const { serial, transactionId } = challenge;
    return {
      act: 'answer',
      via,
      serial,
      user: token.owner ?? USERS[0],
      transactionId: isNamed ? transactionId : undefined,
      pass: passFor(given, challenge, token, model),
    };
  }

  /** Only counters can be resynchronised here: for other tokens the request reads their state. */
  #resync(step: Extract<ModelStep, { step: 'resync' }>, model: ChallengeModel): ModelAct {
    const serial = this.serial(step.token);
    const token = model.tokens.get(serial);
    if (token === undefined || !hasCounter(token.suite)) {
      return { act: 'show', serial };
    }
    const first = Math.max(0, token.counter + step.ahead);
    const { questions } = step;
    const responses = [
      responseOf(token, questions[0], first),
      responseOf(token, questions[1], first + 1),
    ] as const;
    return { act: 'resync', serial, questions, responses };
  }
}

function challengeOf(which: Which, { challenges }: ChallengeModel): ModelChallenge | undefined {
  return which === 'unknown' ? undefined : (challenges.at(-1 - which) ?? challenges.at(-1));
}

/** @returns phase 2 of a token in roll-out, if there is one */
function phase2(otherwise: string, { tokens }: ChallengeModel): ModelAct {
  const token = [...tokens.values()].find(({ sharedSecret }) => sharedSecret !== null);
  return { act: 'phase 2', serial: token?.serial ?? otherwise, sharedSecret: token?.sharedSecret ?? '' };
}

function secondsToExpiry(
  { which, after }: { readonly which: number; readonly after: number },
  model: ChallengeModel,
): number {
  const issuedAt = challengeOf(which, model)?.issuedAt ?? model.now;
  return Math.max(0, issuedAt + model.timeout + after - model.now);
}

function passFor(
  given: ResponseKind,
  { question }: ModelChallenge,
  token: ModelToken,
  model: ChallengeModel,
): string {
  const { pin } = token;
  const right = (offset: number, requested = question): string =>
    responseOf(token, requested, positionAt(token, offset, model));
  switch (given.kind) {
    case 'right':
      return pin + right(given.offset);
    case 'wrong digit':
      return pin + wrongResponse(right(0));
    case 'wrong PIN':
      return `${pin}x${right(0)}`;
    case 'second half':
      return pin + responseOf(token, question, positionAhead(token, model));
    case 'of another':
      return pin + right(0, challengeOf(given.other, model)?.question);
    case 'nothing':
      return '';
  }
}

/**
 * @returns the position of the second half of an automatic resynchronisation; else, for a clock, one of a first half
 */
function positionAhead({ suite, ahead, counter, shift }: ModelToken, { now }: ChallengeModel): number {
  return hasTime(suite)
    ? (ahead?.position ?? stepOf(now + shift) + 20 * STEP) + STEP
    : (ahead?.position ?? counter) + 1;
}

function positionAt(
  { suite, counter, shift }: ModelToken,
  offset: number,
  { now }: ChallengeModel,
): Position {
  if (hasCounter(suite)) {
    return Math.max(0, counter + offset);
  }
  return hasTime(suite) ? stepOf(now + shift) + offset * STEP : null;
}

/** Computes the token's response with the key that it has, also in phase 1. */
function responseOf(token: ModelToken, question: string, position: Position): string {
  const key = token.key ?? token.sharedSecret ?? '00';
  const fitting = token.suite.includes('QN') ? question.replace(/\D/g, '1').slice(0, 8) : question;
  const at = hasTime(token.suite) && position !== null ? stepOf(position) : position;
  return responseAt({ suite: token.suite, key }, fitting, at);
}
