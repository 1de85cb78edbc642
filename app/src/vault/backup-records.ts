import type { RecordStore } from './record-store.ts';
import { SETTINGS, storedSettings, storedTokens, tokenName } from './stored-records.ts';
import { restoredToken } from './token-change.ts';
import type { BackupContent, RestorePlan, StoredToken } from './vault.ts';

/** @param createdAt milliseconds since 1970. @returns what a backup of the records holds */
export async function backupContent(records: RecordStore, createdAt: number): Promise<BackupContent> {
  const { lockAfterMinutes, requireCallback } = await storedSettings(records);
  return { createdAt, tokens: await storedTokens(records), settings: { lockAfterMinutes, requireCallback } };
}

/** @returns the tokens as a restore would leave them; changes nothing */
export async function plannedRestore(records: RecordStore, content: BackupContent): Promise<RestorePlan> {
  const stored = await Promise.all(namesOf(content).map((name) => records.read(name)));
  return { content, tokens: planned(content, stored) };
}

/**
 * Writes the tokens of a backup, compared anew with those that are stored; its settings only into an empty vault.
 * @param now milliseconds since 1970
 */
export async function restoreRecords(
  records: RecordStore,
  content: BackupContent,
  now: number,
): Promise<void> {
  const isEmpty = (await records.count('token')) === 0;
  await records.updateAll(namesOf(content), (stored) => [
    ...planned(content, stored).map(({ stored: value }) => ({ ...tokenName(value.token.serial), value })),
    ...(isEmpty ? [{ ...SETTINGS, value: { ...content.settings, backupSettledAt: now } }] : []),
  ]);
}

function namesOf({ tokens }: BackupContent): ReturnType<typeof tokenName>[] {
  return tokens.map(({ token }) => tokenName(token.serial));
}

function planned(content: BackupContent, stored: readonly unknown[]): RestorePlan['tokens'] {
  return content.tokens.map((token, place) => restoredToken(stored[place] as StoredToken | undefined, token));
}
