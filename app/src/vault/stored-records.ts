import type { RecordName, RecordStore } from './record-store.ts';
import type { StoredToken, VaultSettings } from './vault.ts';

/** The settings that are sealed; the others belong to the guard. */
export type StoredSettings = Omit<VaultSettings, 'wipeAfterWrongPins'>;

const DEFAULT_SETTINGS: StoredSettings = {
  lockAfterMinutes: 5,
  requireCallback: true,
  backupSettledAt: 0,
};

export const SETTINGS: RecordName = { kind: 'settings', name: 'settings' };

export function tokenName(serial: string): RecordName {
  return { kind: 'token', name: serial.toLowerCase() };
}

/** @returns the tokens, the first one added first */
export async function storedTokens(records: RecordStore): Promise<readonly StoredToken[]> {
  const tokens = (await records.list('token')) as StoredToken[];
  return tokens.toSorted((left, right) => left.addedAt - right.addedAt);
}

export async function storedSettings(records: RecordStore): Promise<StoredSettings> {
  return withDefaults(await records.read(SETTINGS));
}

export function withDefaults(stored: unknown): StoredSettings {
  return { ...DEFAULT_SETTINGS, ...(stored as Partial<StoredSettings> | undefined) };
}
