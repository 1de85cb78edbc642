import { type Finding, findingOf } from './finding.ts';

/** Times of backups. */
export interface BackupFacts {
  /** Begin of the last export that the audit records. */
  readonly lastExport: Date | undefined;
  /** Time at which the first key was registered. */
  readonly installedAt: Date | undefined;
}

/** Days after which a backup is old. */
const OLD_DAYS = 7;
const DAY_MS = 86_400_000;
const REMEDY =
  '`tankeeper export FILE`, and a copy of the encryption key elsewhere; with another method of backup (pg_dump), this is not seen here';

/** @returns findings about the last export that the audit records, at a time */
export function checkBackups({ lastExport, installedAt }: BackupFacts, at: Date): readonly Finding[] {
  if (lastExport === undefined) {
    const isNew = installedAt !== undefined && daysBetween(installedAt, at) < OLD_DAYS;
    const text = 'no backup by `tankeeper export` is recorded in the audit';
    return [findingOf(isNew ? 'note' : 'warning', 'backup.none', text, REMEDY)];
  }
  const days = daysBetween(lastExport, at);
  return days < OLD_DAYS
    ? []
    : [
        findingOf(
          'warning',
          'backup.old',
          `the last backup by \`tankeeper export\` was begun ${Math.floor(days)} days ago, on ${lastExport.toISOString().slice(0, 10)}`,
          REMEDY,
        ),
      ];
}

function daysBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / DAY_MS;
}
