import { type EncryptionKey, UnreadableSecret } from './encryption-key.ts';
import { type SourceRow, textOf } from './linotp-source.ts';
import type { TextRepair } from './text-repair.ts';

/** A value of LinOTP's table Config, joined and decrypted. */
export interface ConfigValue {
  /** With the prefix `linotp.`. */
  readonly key: string;
  readonly value: string;
  /** Empty: none is given. */
  readonly type: string;
  readonly description: string;
  readonly isSecret: boolean;
  /** The reason for which the value could not be read; the value is then empty. */
  readonly fault?: string;
}

export type ConfigTable = ReadonlyMap<string, ConfigValue>;

interface StoredValue {
  readonly key: string;
  readonly value: string;
  readonly type: string;
  readonly description: string;
}

/** Types of encrypted values. The form of a value proves nothing: one constant looks encrypted and is not. */
const SECRET_TYPES = ['encrypted_data', 'password'];
/** Part i of N of a long value: `key__[i:N]`. */
const PART = /^(.*)__\[(\d+):(\d+)\]$/s;

/** @returns the values by key: long ones joined, encrypted ones decrypted */
export function readConfigTable(
  rows: readonly SourceRow[],
  encryptionKey: EncryptionKey,
  repair: TextRepair,
): ConfigTable {
  const stored = rows.map((row) => readRow(row, repair));
  const parts = new Map<string, StoredValue[]>();
  const whole: StoredValue[] = [];
  for (const one of stored) {
    const key = PART.exec(one.key)?.[1];
    if (key === undefined) {
      whole.push(one);
    } else {
      parts.set(key, [...(parts.get(key) ?? []), one]);
    }
  }
  const joined = whole.map((one) => join(one, parts.get(one.key) ?? []));
  return new Map(joined.map((one) => [one.key, decrypt(one, encryptionKey)]));
}

function readRow(row: SourceRow, repair: TextRepair): StoredValue {
  return {
    key: repair(textOf(row, 'key')),
    value: repair(textOf(row, 'value')),
    type: textOrEmpty(textOf(row, 'type')),
    description: textOrEmpty(repair(textOf(row, 'description'))),
  };
}

/** LinOTP stores an absent text as its Python name. */
function textOrEmpty(text: string): string {
  return text === 'None' ? '' : text;
}

/** The last part has the type and the description of the value. */
function join(first: StoredValue, parts: readonly StoredValue[]): StoredValue & { fault?: string } {
  if (first.type !== 'C' || !/^0:\d+$/.test(first.description)) {
    return first;
  }
  const expected = Number(first.description.slice(2));
  const inOrder = [...parts].sort((one, other) => placeOf(one) - placeOf(other));
  const last = inOrder.at(-1);
  const isComplete = last !== undefined && placeOf(last) === expected && inOrder.length === expected;
  return {
    key: first.key,
    value: [first, ...inOrder].map(({ value }) => value).join(''),
    type: last?.type ?? '',
    description: last?.description ?? '',
    ...(!isComplete && { fault: `parts of the long value are missing: ${inOrder.length} of ${expected}` }),
  };
}

function placeOf({ key }: StoredValue): number {
  return Number(PART.exec(key)?.[2] ?? 0);
}

function decrypt(one: StoredValue & { fault?: string }, encryptionKey: EncryptionKey): ConfigValue {
  const isSecret = SECRET_TYPES.includes(one.type);
  if (one.fault !== undefined || !isSecret) {
    return { ...one, isSecret };
  }
  try {
    return {
      ...one,
      isSecret,
      value: encryptionKey.decryptPair('configuration', one.value).toString('utf8'),
    };
  } catch (error) {
    if (error instanceof UnreadableSecret) {
      return { ...one, isSecret, value: '', fault: `does not decrypt: ${error.message}` };
    }
    throw error;
  }
}
