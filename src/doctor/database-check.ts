import { type Finding, findingOf, type Severity } from './finding.ts';

/** Facts about the database server, as the session of a server has them. */
export interface DatabaseFacts {
  /** PostgreSQL's number: 140005 for 14.5. */
  readonly version: number;
  /** Values of settings by name; a setting that this version lacks is absent. */
  readonly settings: ReadonlyMap<string, string>;
  /** A standby, or a session that takes no writes. */
  readonly isReadOnly: boolean;
}

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
const isMissing = (value: string): boolean => value === '0';
/** PostgreSQL writes times of a minute and more in other units. */
const isNoneOrLong = (value: string): boolean => !/^(?:\d+ms|[1-5]?\ds)$/.test(value);
/** Seconds without a packet after which PostgreSQL should ask whether the other end is there. */
const LONGEST_SILENCE = 60;
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
  // Each session asks for the limits below: something between has dropped one that is missing.
  {
    name: 'statement_timeout',
    isWrong: isMissing,
    severity: 'warning',
    consequence: 'a pooler drops the time limit of statements, which may then hang',
    remedy: "ALTER ROLE … SET statement_timeout = '30s', and lock_timeout = '5s'",
  },
  {
    name: 'idle_in_transaction_session_timeout',
    isWrong: isNoneOrLong,
    severity: 'warning',
    consequence: 'the transaction of a server that is gone keeps its locks for hours: its tokens answer 503',
    remedy: "ALTER ROLE … SET idle_in_transaction_session_timeout = '10s'",
  },
  {
    name: 'tcp_keepalives_idle',
    isWrong: (value) => Number(value) > LONGEST_SILENCE,
    severity: 'warning',
    consequence: 'the database notices only after hours that a machine is gone, and keeps its sessions',
    remedy:
      "ALTER ROLE … SET tcp_keepalives_idle = '4', tcp_keepalives_interval = '2' and tcp_keepalives_count = '3'",
  },
  {
    name: 'tcp_user_timeout',
    // In milliseconds, without a unit.
    isWrong: (value) => isMissing(value) || Number(value) > LONGEST_SILENCE * 1000,
    severity: 'warning',
    consequence: 'the database sends answers for minutes to a machine that is gone, and keeps its sessions',
    remedy: "ALTER ROLE … SET tcp_user_timeout = '10s'",
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
