import { type ClockState, DAY_MS, isSteady, lookAt } from '../housekeeping/housekeeping.ts';
import type { Clock } from '../kernel/clock.ts';
import { isServiceError } from '../kernel/errors.ts';
import { listNames } from '../kernel/text.ts';
import { type Checked, type Finding, findingOf, type Severity } from './examination.ts';
import type { AuditStore } from '../audit/audit-store.ts';
import type { AuditAuthority } from '../audit/checkpoint.ts';
import { type VerifyRequest, verifyTrail } from '../audit/verification.ts';

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

interface MigrationState {
  /** The names of the pending migrations. */
  readonly pending: readonly string[];
  /** No migration was ever applied. */
  readonly isEmpty: boolean;
}

/**
 * @param read throws ServiceError 'configuration.invalid' if the database is not of this program, with the code of the finding as detail
 * @returns as value true if the tables are those of this program
 */
export async function checkMigrations(read: () => Promise<MigrationState>): Promise<Checked<true>> {
  try {
    const { pending, isEmpty } = await read();
    return pending.length === 0
      ? { findings: [], value: true }
      : { findings: [isEmpty ? empty() : older(pending)], value: undefined };
  } catch (error) {
    if (!isServiceError(error, 'configuration.invalid')) {
      throw error;
    }
    const remedy =
      'run the version of tankeeper that migrated the database; if it is newer than this one, or a later one';
    const code = error.detail ?? 'migrations.newer';
    return { findings: [findingOf('error', code, error.message, remedy)], value: undefined };
  }
}

/** @param assertServes throws 'configuration.invalid' for a database that cannot serve requests */
export async function checkTables(assertServes: () => Promise<void>): Promise<readonly Finding[]> {
  try {
    await assertServes();
    return [];
  } catch (error) {
    if (!isServiceError(error, 'configuration.invalid')) {
      throw error;
    }
    const remedy = 'restore a backup, or GRANT the role of DATABASE_URL its rights again';
    return [findingOf('error', 'tables.incomplete', error.message, remedy)];
  }
}

function empty(): Finding {
  return findingOf(
    'error',
    'migrations.none',
    'the database has no tables of tankeeper',
    '`tankeeper migrate`, or the first start of the server; if there should be some: DATABASE_URL or DATA_DIR as the server has it',
  );
}

function older(pending: readonly string[]): Finding {
  const text = `the database is older than this program, which has ${pending.length === 1 ? 'a migration' : `${pending.length} migrations`} more: ${pending.join(', ')}`;
  return findingOf('error', 'migrations.pending', text, '`tankeeper migrate`, or restart the server');
}

/** @param disabled triggers, and the tables whose foreign keys are not verified, by table and name */
export function checkTriggers(disabled: readonly string[]): readonly Finding[] {
  return disabled.length === 0
    ? []
    : [
        findingOf(
          'error',
          'triggers.disabled',
          `triggers of the program are disabled in the database: ${listNames(disabled)}. Counts, references, revocations and changes that servers should notice are wrong without them`,
          '`ALTER TABLE … ENABLE TRIGGER …` for each (`tokens_count_version`: ENABLE ALWAYS), then `tankeeper count --verify --mend` and a restart of the servers',
        ),
      ];
}

/** Connections that the database grants, and those that servers may take. */
export interface ConnectionFacts {
  /** The most that the role may open to this database: the smallest of the limits that apply. */
  readonly granted: number;
  /** Running servers. */
  readonly servers: number;
}

/** Connections of a server beside its pool: one listens, one watches. */
const BESIDE_POOL = 2;
/** Connections of a command. */
const COMMAND = 4;

/** @returns a finding where the database grants fewer connections than the running servers and a command may need */
export function checkConnections(
  poolSize: number,
  { granted, servers: running }: ConnectionFacts,
): readonly Finding[] {
  const servers = Math.max(1, running);
  const needed = servers * (poolSize + BESIDE_POOL) + COMMAND;
  if (needed <= granted) {
    return [];
  }
  const who = servers === 1 ? 'one server' : `${servers} servers`;
  return [
    findingOf(
      'warning',
      'connections.too-few',
      `the database grants ${granted} connections, and ${who} and a command may need ${needed}: requests are refused at full load`,
      `raise max_connections of PostgreSQL, or the limit of the role or the database, by ${needed - granted}; or lower DATABASE_POOL_SIZE`,
    ),
  ];
}

/** Milliseconds by which the clocks may differ without a finding, and from which on it is an error. */
const TOLERATED = 2_000;
const HARMFUL = 60_000;

/**
 * Compares the clock of this machine with the database's.
 * @param databaseTime reads the database's clock
 */
export async function checkClock(
  clock: Clock,
  databaseTime: () => Promise<Date>,
): Promise<readonly Finding[]> {
  const before = clock.now().getTime();
  const there = (await databaseTime()).getTime();
  const after = clock.now().getTime();
  // The time of the question is within these bounds: what may be its duration is no difference.
  const difference = there > after ? there - after : Math.min(0, there - before);
  const size = Math.abs(difference);
  if (size <= TOLERATED) {
    return [];
  }
  return [
    findingOf(
      size > HARMFUL ? 'error' : 'warning',
      'clock.differs',
      `the clock of the database is ${(size / 1000).toFixed(1)} s ${difference > 0 ? 'ahead of' : 'behind'} the clock here: the service goes by the database's, log lines and TLS certificates by the one here${size > DAY_MS ? ', and nothing is removed here' : ''}`,
      'run an NTP client (chrony, systemd-timesyncd) on both machines',
    ),
  ];
}

/**
 * Finds a jump of the database's clock, after which nothing is removed for a day, and no row of the audit.
 * @param known of the servers; undefined: none has looked at it yet
 * @param now the time of the database
 * @param isAuditPruned false: the audit is kept for ever
 */
export function checkJump(
  known: ClockState | undefined,
  now: Date,
  isAuditPruned: boolean,
): readonly Finding[] {
  const state = known && lookAt(known, now);
  const isOver =
    state === undefined || state.steadySince === null || (isSteady(state, now) && !isAuditPruned);
  return isOver
    ? []
    : [
        findingOf(
          'warning',
          'clock.jumped',
          `the clock of the database shows ${now.toISOString()}, and a server last saw it at ${state.seenAt.toISOString()}: ${isSteady(state, now) ? 'no month of the audit' : 'nothing old'} is removed, as either may be wrong`,
          'correct the clock of the database; if it is right (no server ran meanwhile, or the database is an old copy), `tankeeper housekeeping run --confirm-time`',
        ),
      ];
}

/**
 * @param driftedCounts compares the counts
 * @returns findings about counts that are wrong, or were not compared in time
 */
export async function checkCounts(driftedCounts: () => Promise<number>): Promise<readonly Finding[]> {
  try {
    const drifted = await driftedCounts();
    return drifted === 0 ? [] : [driftedFinding(drifted)];
  } catch (error) {
    if (!isServiceError(error, 'database.unavailable')) {
      throw error;
    }
    const text = 'the counts could not be compared with the tokens and users in time';
    return [
      findingOf('note', 'counters.uncompared', text, '`tankeeper count --verify`, which has no time limit'),
    ];
  }
}

function driftedFinding(drifted: number): Finding {
  return findingOf(
    'error',
    'counters.drifted',
    `${drifted === 1 ? '1 count differs' : `${drifted} counts differ`} from the tokens and users: /monitoring answers wrongly`,
    '`tankeeper count --verify --mend`',
  );
}

/** Times of backups. */
export interface BackupFacts {
  /** Begin of the last export that the audit records. */
  readonly lastExport: Date | undefined;
  /** Time at which the first key was registered. */
  readonly installedAt: Date | undefined;
}

/** Days after which a backup is old. */
const OLD_DAYS = 7;
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

export interface TrailFacts {
  readonly lastCheckpoint: Date | undefined;
  /** Time of the oldest row that no checkpoint covers. */
  readonly oldestUncovered: Date | undefined;
  /** The approximate number of rows. */
  readonly rows: number;
}

interface AuditCheckDependencies {
  readonly store: Pick<AuditStore, 'trail' | 'verify'>;
  readonly authority: Pick<AuditAuthority, 'keys'>;
  readonly trail: () => Promise<TrailFacts>;
  readonly clock: Clock;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
  /** Milliseconds for the verification. */
  readonly timeoutMs: number;
}

/** A larger trail is verified from the last day on. */
const MAX_ROWS = 50_000;
/** Servers write a checkpoint about once a minute. */
const UNCOVERED_MS = 3_600_000;

const VERIFY = '`tankeeper audit verify`';

/** @returns findings about the last checkpoint, and of a verification with a time limit */
export async function checkAudit(parts: AuditCheckDependencies): Promise<readonly Finding[]> {
  const facts = await parts.trail();
  return [...checkpointFindings(facts, parts.clock.now()), ...(await verifyInTime(parts, facts))];
}

export function checkpointFindings(
  { lastCheckpoint, oldestUncovered }: TrailFacts,
  at: Date,
): readonly Finding[] {
  const age = oldestUncovered === undefined ? 0 : at.getTime() - oldestUncovered.getTime();
  if (age < UNCOVERED_MS) {
    return [];
  }
  const last = lastCheckpoint === undefined ? 'there was none yet' : `of ${lastCheckpoint.toISOString()}`;
  return [
    findingOf(
      'warning',
      'audit.no-checkpoint',
      `audit rows since ${oldestUncovered?.toISOString() ?? ''} are not covered by a checkpoint (last one: ${last}): their change or removal would not be noticed`,
      'a running server writes a checkpoint each minute; its log tells why it does not',
    ),
  ];
}

async function verifyInTime(
  parts: AuditCheckDependencies,
  { rows }: TrailFacts,
): Promise<readonly Finding[]> {
  const { store, authority, clock, elapsed, timeoutMs } = parts;
  const since = rows > MAX_ROWS ? new Date(clock.now().getTime() - DAY_MS) : undefined;
  const end = elapsed() + timeoutMs;
  const keys = authority.keys();
  let first = '';
  try {
    const request: VerifyRequest = {
      progress: () => {
        if (elapsed() > end) {
          throw new OverdueVerification();
        }
      },
      report: ({ kind, of, reason }) => {
        first ||= `${kind} ${of}: ${reason}`;
      },
    };
    const { findings } = await (since === undefined
      ? store.verify(keys, request)
      : verifyTrail(await store.trail({ since }), { ...request, keys }));
    return findings === 0
      ? []
      : [
          findingOf(
            'error',
            'audit.altered',
            `the audit trail does not verify: ${findings} ${findings === 1 ? 'finding' : 'findings'}, the first one a ${first}`,
            VERIFY,
          ),
        ];
  } catch (error) {
    if (!(error instanceof OverdueVerification)) {
      throw error;
    }
    const text = `the audit trail is too large to be verified within ${timeoutMs / 1000} s`;
    return [findingOf('note', 'audit.unverified', text, VERIFY)];
  }
}

/** The end of a verification that took too long. */
class OverdueVerification extends Error {
  override readonly name = 'OverdueVerification';
}
