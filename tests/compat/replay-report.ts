import { isMeant, type LedgerEntry } from '../support/values/compatibility-ledger.ts';
import type { Replayed } from './ocra-replay.ts';

/** Prints how many answers are identical, differ on purpose, or differ, and those that differ. */
export function reportReplay(file: string, rows: readonly Replayed[], ledger: readonly LedgerEntry[]): void {
  const differing = rows.filter(({ identical }) => !identical);
  const unexplained = differing.filter(({ name }) => !ledger.some(({ pattern }) => isMeant(pattern, name)));
  for (const { name, expected, actual } of unexplained) {
    process.stdout.write(`\nDIFFERENT ${name}\n--- recorded\n${expected}\n--- answered\n${actual}\n`);
  }
  process.stdout.write(
    `\n${file}: ${rows.length - differing.length} identical, ${differing.length - unexplained.length} on purpose, ${unexplained.length} different\n`,
  );
}
