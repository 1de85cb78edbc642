import type { ValueOf } from '../api/call.ts';

export type ShownKey = ValueOf<'/admin/key/list'>[number];

/** @returns the secrets that the current key has sealed, and all; undefined: they are not counted */
export function progressOf(
  keys: readonly ShownKey[],
): { readonly done: number; readonly all: number } | undefined {
  if (keys.every(({ secrets }) => secrets === undefined)) {
    return undefined;
  }
  const sum = (some: readonly ShownKey[]): number =>
    some.reduce((total, { secrets = 0 }) => total + secrets, 0);
  return { done: sum(keys.filter(({ state }) => state === 'current')), all: sum(keys) };
}

/** @returns true if the current key has not sealed every secret yet */
export function isRotating(keys: readonly ShownKey[]): boolean {
  const progress = progressOf(keys);
  return progress !== undefined && progress.done < progress.all;
}

/** @returns a text that changes with every act on the keys: after each, the secrets are counted anew */
export function stateOf(keys: readonly ShownKey[] = []): string {
  return keys
    .map(
      ({ key_id: id, state, retired_at: retired = '' }) => `${id} ${String(state === 'current')} ${retired}`,
    )
    .join();
}
