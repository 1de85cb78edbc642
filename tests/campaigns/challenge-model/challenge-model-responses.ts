import { computeResponse } from '../../../src/ocra/compute.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
/** Seconds by which a device's clock may be off. */
export const TIME_WINDOW = 180;
export const STEP = 60;

/** The inputs of a response's computation. */
export interface Device {
  readonly suite: string;
  /** Hexadecimal. */
  readonly key: string;
}

/** The position of a response: a counter, the second at which a time step begins, or null without either. */
export type Position = number | null;

export const hasCounter = (suite: string): boolean => suite.includes(':C-');
export const hasTime = (suite: string): boolean => suite.endsWith('-T1M');

/** @returns the device's response to the question at that position */
export function responseAt({ suite, key }: Device, question: string, position: Position): string {
  return computeResponse(parseOcraSuite(suite), Buffer.from(key, 'hex'), {
    question,
    ...(hasCounter(suite) && { counter: BigInt(position ?? 0) }),
    ...(hasTime(suite) && { timeStep: BigInt((position ?? 0) / STEP) }),
  });
}

/** @returns the first second of that second's time step */
export const stepOf = (second: number): number => Math.floor(second / STEP) * STEP;

/**
 * @param counter the token's present one
 * @param window the number of counters from there on
 * @param now by the token's clock
 * @returns the positions that are tried for an open challenge of the token, in the order of preference
 */
export function windowOf(suite: string, counter: number, window: number, now: number): Position[] {
  if (hasCounter(suite)) {
    const half = Math.floor(window / 2);
    const ahead = upFrom(counter, window);
    const behind = upFrom(counter - half, half).reverse();
    return [...ahead, ...behind.filter((position) => position >= 0)];
  }
  if (!hasTime(suite)) {
    return [null];
  }
  const first = stepOf(now - TIME_WINDOW);
  const steps = (stepOf(now + TIME_WINDOW - 1) - first) / STEP + 1;
  return upFrom(0, steps).map((step) => first + step * STEP);
}

/**
 * @param from the first second of the window of time
 * @returns the token's counter after an acceptance there; never lower than before
 */
export function counterAfter(suite: string, counter: number, position: Position, from: number): number {
  if (position === null) {
    return counter + 1;
  }
  const used = hasTime(suite) ? Math.max(position, from) : position;
  return Math.max(counter, used + 1);
}

/** @returns the reach behind the counter from which responses may still come; their marks are kept */
export function reachOf(suite: string, window: number): number {
  return hasTime(suite) ? 2 * (TIME_WINDOW + STEP) : Math.floor(window / 2);
}

export function upFrom(first: number, count: number): number[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => first + index);
}
