import { describe, expect, it } from '@jest/globals';
import { ComputingTurns } from '../../src/challenges/computing-turns.ts';

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
    const turns = new ComputingTurns();
    const counter = new TurnCounter();
    const pieces: { name: string; turn: number }[] = [];
    const compute = async (name: string): Promise<void> => {
      for (let piece = 0; piece < 3; piece += 1) {
        await turns.next(false);
        pieces.push({ name, turn: counter.turn });
      }
    };
    await Promise.all(['one', 'two', 'three'].map(compute));
    counter.stop();
    expect(pieces.map(({ name }) => name).join(' ')).toBe('one two three one two three one two three');
    expect(new Set(pieces.map(({ turn }) => turn)).size).toBe(9);
  });

  it('let go first those that others wait for', async () => {
    const turns = new ComputingTurns();
    const order: string[] = [];
    await Promise.all(
      ['one', 'two', 'urgent'].map(async (name) => {
        await turns.next(name === 'urgent');
        order.push(name);
      }),
    );
    expect(order).toEqual(['urgent', 'one', 'two']);
  });

  it('begin again after all have ended', async () => {
    const turns = new ComputingTurns();
    await turns.next(false);
    await turns.next(true);
    await expect(turns.next(false)).resolves.toBeUndefined();
  });
});
