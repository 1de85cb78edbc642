import { type Finding, findingOf, type Severity } from './finding.ts';
import type { DatabaseFacts } from './ports.ts';

/** The oldest version that is supported. */
const OLDEST = { number: 140_000, name: '14' };

/** A setting of PostgreSQL with the values that are not to be. */
interface SettingRule {
  readonly name: string;
  readonly isWrong: (value: string) => boolean;
  readonly severity: Severity;
  readonly consequence: string;
  readonly remedy: string;
}

const isOff = (value: string): boolean => value === 'off';
const inConfiguration = (setting: string): string =>
  `ALTER SYSTEM SET ${setting}; SELECT pg_reload_conf(); where a line of the command or of the role sets it, change it there`;

const RULES: readonly SettingRule[] = [
  {
    name: 'fsync',
    isWrong: isOff,
    severity: 'error',
    consequence: 'a crash of the machine may destroy the database',
    remedy: inConfiguration('fsync = on'),
  },
  {
    name: 'full_page_writes',
    isWrong: isOff,
    severity: 'error',
    consequence: 'a crash of the machine may destroy pages of the database',
    remedy: inConfiguration('full_page_writes = on'),
  },
  {
    name: 'synchronous_commit',
    isWrong: isOff,
    severity: 'error',
    consequence: 'after a crash, a response that was accepted may be accepted again',
    remedy: inConfiguration('synchronous_commit = on'),
  },
  {
    name: 'default_transaction_isolation',
    isWrong: (value) => value !== 'read committed',
    severity: 'warning',
    consequence: 'transactions that meet are aborted and repeated',
    remedy: inConfiguration("default_transaction_isolation = 'read committed'"),
  },
  {
    name: 'autovacuum',
    isWrong: isOff,
    severity: 'warning',
    consequence: 'tables grow without limit and become slow',
    remedy: inConfiguration('autovacuum = on'),
  },
  {
    name: 'track_counts',
    isWrong: isOff,
    severity: 'warning',
    consequence: 'autovacuum does not work: tables grow without limit and become slow',
    remedy: inConfiguration('track_counts = on'),
  },
  {
    name: 'server_encoding',
    isWrong: (value) => value !== 'UTF8',
    severity: 'error',
    consequence: 'names and texts outside of it cannot be stored, or are stored unreadably',
    remedy: "`tankeeper export`, then `tankeeper restore` into a database made with ENCODING 'UTF8'",
  },
  {
    name: 'TimeZone',
    isWrong: (value) => !/^(?:Etc\/)?(?:UTC|UCT|GMT|Zulu|Universal)$/i.test(value),
    severity: 'note',
    consequence: 'psql and the log of the database show other times than tankeeper, which uses UTC',
    remedy: inConfiguration("timezone = 'UTC'"),
  },
  {
    // Each connection asks for a limit: without one, something between has dropped it.
    name: 'statement_timeout',
    isWrong: (value) => value === '0',
    severity: 'warning',
    consequence: 'a pooler drops the time limit of statements, which may then hang',
    remedy: "ALTER ROLE … SET statement_timeout = '30s', and lock_timeout = '5s'",
  },
];

/** @returns findings about the version and the settings of the database */
export function checkDatabase({ version, settings, isReadOnly }: DatabaseFacts): readonly Finding[] {
  const findings = RULES.flatMap(({ name, isWrong, severity, consequence, remedy }) => {
    const value = settings.get(name);
    return value === undefined || !isWrong(value)
      ? []
      : [
          findingOf(
            severity,
            `database.${name.toLowerCase()}`,
            `${name} is ${value}: ${consequence}`,
            remedy,
          ),
        ];
  });
  if (version < OLDEST.number) {
    const text = `PostgreSQL ${Math.floor(version / 10_000)} is older than ${OLDEST.name}, the oldest supported version`;
    findings.unshift(
      findingOf('error', 'database.version', text, `upgrade PostgreSQL to ${OLDEST.name} or newer`),
    );
  }
  if (isReadOnly) {
    findings.unshift(
      findingOf(
        'error',
        'database.read-only',
        'the database takes no writes: it is a standby, or was made read-only',
        'DATABASE_URL names the primary; or promote this one',
      ),
    );
  }
  return findings;
}
