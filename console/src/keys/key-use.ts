/** A key, as /system/keys answers it. */
export interface ShownKey {
  readonly keyid: string;
  readonly current: boolean;
  readonly added: string | null;
  readonly current_since: string | null;
  readonly retired: string | null;
  readonly secrets: number | null;
}

/** The answer of /system/keys. */
export interface KeyReport {
  readonly keys: readonly ShownKey[];
  readonly counted: string | null;
}

/** The use of a key. `former`: whether it is needed is not known before its secrets are counted. */
export type KeyUse = 'current' | 'added' | 'needed' | 'unused' | 'former' | 'retired' | 'unknown';

/** @returns the use of a key; the first of these that holds */
export function useOf({ added, current, current_since: since, retired, secrets }: ShownKey): KeyUse {
  if (added === null) {
    return 'unknown';
  }
  if (retired !== null) {
    return 'retired';
  }
  if (current || since === null) {
    return current ? 'current' : 'added';
  }
  return secrets === null ? 'former' : secrets > 0 ? 'needed' : 'unused';
}

/** @returns the secrets that the current key has sealed, and all; undefined: they are not counted */
export function progressOf({
  keys,
  counted,
}: KeyReport): { readonly done: number; readonly all: number } | undefined {
  if (counted === null) {
    return undefined;
  }
  const sum = (some: readonly ShownKey[]): number =>
    some.reduce((total, { secrets }) => total + (secrets ?? 0), 0);
  return { done: sum(keys.filter(({ current }) => current)), all: sum(keys) };
}

/** @returns true if the current key has not sealed every secret yet */
export function isRotating(report: KeyReport | undefined): boolean {
  const progress = report && progressOf(report);
  return progress !== undefined && progress.done < progress.all;
}

/** @returns a text that changes with every act on the keys: after each, the secrets are counted anew */
export function stateOf(report: KeyReport | undefined): string {
  return (report?.keys ?? [])
    .map(({ keyid, current, retired }) => `${keyid} ${String(current)} ${retired ?? ''}`)
    .join();
}
