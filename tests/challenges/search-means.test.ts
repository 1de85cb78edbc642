import { describe, expect, it } from '@jest/globals';
import { computingTurns } from '../../src/challenges/response-check.ts';

/** Counts turns of the event loop until it is stopped. */
class TurnCounter {
  turn = 0;
  #next: NodeJS.Immediate | undefined;

  constructor() {
    this.#schedule();
  }

  #schedule(): void {
    this.#next = setImmediate(() => {
      this.turn += 1;
      this.#schedule();
    });
  }

  stop(): void {
    clearImmediate(this.#next);
  }
}

describe('computations of one process', () => {
  it('get one piece in a turn of the event loop, all together', async () => {
    const turn = computingTurns();
    const counter = new TurnCounter();
    const pieces: { name: string; turn: number }[] = [];
    const compute = async (name: string): Promise<void> => {
      for (let piece = 0; piece < 3; piece += 1) {
        await turn();
        pieces.push({ name, turn: counter.turn });
      }
    };
    await Promise.all(['one', 'two', 'three'].map(compute));
    counter.stop();
    expect(pieces.map(({ name }) => name).join(' ')).toBe('one two three one two three one two three');
    expect(new Set(pieces.map(({ turn }) => turn)).size).toBe(9);
  });

  it('begin again after all have ended', async () => {
    const turn = computingTurns();
    await turn();
    await turn();
    await expect(turn()).resolves.toBeUndefined();
  });
});
