import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Conversation, type ConversationDependencies } from '../../src/compose/workers/conversation.ts';
import { askForPort } from '../../src/compose/workers/primary-link.ts';
import { placesOfPrimary } from '../../src/compose/workers/places-of-primary.ts';
import type { StreamPlaces } from '../../src/http/limits/stream-places.ts';
import { deferred } from '../support/fakes/deferred.ts';

/** Two sides, whose messages pass through JSON as between processes. */
function pair(other: Partial<ConversationDependencies>): Conversation {
  const one: Conversation = new Conversation({
    send: (message) => pass(message, () => two),
    notices: {},
    answers: {},
  });
  const two = new Conversation({
    notices: {},
    answers: {},
    ...other,
    send: (message) => pass(message, () => one),
  });
  return one;
}

function pass(message: object, to: () => Conversation): boolean {
  const text = JSON.stringify(message);
  queueMicrotask(() => {
    to().receive(JSON.parse(text));
  });
  return true;
}

describe('a conversation of two processes', () => {
  it('answers each question with its own answer', async () => {
    const one = pair({ answers: { double: (value) => Promise.resolve(2 * Number(value)) } });
    expect(await Promise.all([1, 2, 3].map((value) => one.request('double', value)))).toEqual([2, 4, 6]);
  });

  it('hands on what the other states, and passes over what it does not know', async () => {
    const notices: unknown[] = [];
    const one = pair({ notices: { port: (value) => notices.push(value) } });
    one.notify('nothing');
    one.notify('port', 5001);
    await Promise.resolve();
    expect(notices).toEqual([5001]);
  });

  it('fails at once where the other side fails or is gone, and after a time where it is silent', async () => {
    const failing = pair({ answers: { x: () => Promise.reject(new Error('secret')) } });
    await expect(failing.request('x')).rejects.toThrow('the other process could not answer');
    const gone = new Conversation({ send: () => false, notices: {}, answers: {} });
    await expect(gone.request('x')).rejects.toThrow("no other process is left to answer 'x'");
    const silent = new Conversation({ send: () => true, notices: {}, answers: {} });
    await expect(silent.request('x', undefined, 10)).rejects.toThrow("the other process does not answer 'x'");
  });
});

describe('a worker that needs the port', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('waits for a primary that takes its time to free it', async () => {
    const freed = deferred<boolean>();
    let isFree = false;
    const asked = askForPort(pair({ answers: { 'free port': () => freed.promise } })).then(() => {
      isFree = true;
    });
    await jest.advanceTimersByTimeAsync(20_000);
    expect(isFree).toBe(false);
    freed.resolve(true);
    await asked;
  });

  it('waits for no primary that is gone, also since the question', async () => {
    await askForPort(new Conversation({ send: () => false, notices: {}, answers: {} }));
    const leaving = new Conversation({ send: () => true, notices: {}, answers: {} });
    const asked = askForPort(leaving);
    leaving.end();
    await expect(asked).resolves.toBeUndefined();
  });
});

describe('the places of streams that the primary counts', () => {
  const counting = (take: () => unknown): { left: unknown[]; places: StreamPlaces } => {
    const left: unknown[] = [];
    const one = pair({ answers: { 'acquire stream': take, 'release stream': (value) => left.push(value) } });
    return { left, places: placesOfPrimary(one, 7, 10) };
  };

  it('are taken and freed there', async () => {
    const { left, places } = counting(() => true);
    expect(await places.acquire('anna')).toBe(true);
    expect(left).toEqual([]);
    expect(await counting(() => false).places.acquire('anna')).toBe(false);
  });

  it.each([
    [true, [{ process: 7, administrator: 'anna' }]],
    [false, []],
  ])('that are answered too late with %p are value back: %j', async (answer, expected) => {
    const late = deferred<boolean>();
    const { left, places } = counting(() => late.promise);
    expect(await places.acquire('anna')).toBe(false);
    late.resolve(answer);
    await new Promise((resolve) => setImmediate(resolve));
    expect(left).toEqual(expected);
  });
});
