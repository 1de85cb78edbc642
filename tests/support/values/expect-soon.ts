import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Matchers } from 'expect';
import { PATIENCE_MS } from './until.ts';

type Soon<T> = Matchers<Promise<void>, T>;

/**
 * `expect` for what comes about a moment later, as on a page after a click: reads again until the matcher is content.
 * @param read without an effect, as it is called many times
 * @throws Error that of the matcher, if it is not content in time
 */
export function expectSoon<T>(read: () => T | Promise<T>): Soon<T> & { readonly not: Soon<T> } {
  return { ...soon(read, false), not: soon(read, true) };
}

type Check = (...expected: readonly unknown[]) => void;

function soon<T>(read: () => T | Promise<T>, isNegated: boolean): Soon<T> {
  const attempt = async (name: string, expected: readonly unknown[]): Promise<void> => {
    const value: unknown = await read();
    const matchers = isNegated ? expect(value).not : expect(value);
    (matchers as unknown as Readonly<Record<string, Check>>)[name]?.(...expected);
  };
  const matcher =
    (name: string) =>
    async (...expected: readonly unknown[]): Promise<void> => {
      const deadline = performance.now() + PATIENCE_MS;
      for (;;) {
        try {
          await attempt(name, expected);
          return;
        } catch (error) {
          if (performance.now() > deadline) {
            throw error;
          }
        }
        await sleep(20);
      }
    };
  const names = Object.keys(expect(0)).filter((name) => !['not', 'rejects', 'resolves'].includes(name));
  return Object.fromEntries(names.map((name) => [name, matcher(name)])) as unknown as Soon<T>;
}
