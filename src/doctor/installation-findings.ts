import { type ClockState, isSteady, lookAt } from '../housekeeping/housekeeping.ts';
import type { Clock } from '../kernel/clock.ts';
import { NAMED_NETWORKS, NetworkSet, readAddress } from '../kernel/networks.ts';
import { listNames } from '../kernel/text.ts';
import type { KeyFileAccess } from '../keys/key-file.ts';
import type { KeyState, Vault } from '../keys/vault.ts';
import type { Findings } from './finding.ts';
import type { ConnectionFacts, InstallationStore } from './installation-store.ts';

/** The part of the configuration that is examined. */
export interface ExaminedSettings {
  readonly host: string;
  readonly trustProxy: readonly string[];
  readonly limits: { readonly exempt: readonly string[] };
  readonly databasePoolSize: number;
  /** Seconds; `off`: the audit is kept for ever. */
  readonly auditRetention: number | 'off';
}

export interface ExaminedProcess {
  readonly settings: ExaminedSettings;
  /** Variables that look like the server's own and are not read. */
  readonly unknownVariables: () => readonly string[];
  /** @returns undefined where a security module keeps the keys */
  readonly keyFile: () => Promise<KeyFileAccess | undefined>;
}

export interface ExaminedDatabase {
  readonly settings: ExaminedSettings;
  readonly installation: InstallationStore;
  /** The clock of the service. */
  readonly clock: Clock;
  readonly machineClock: Clock;
}

export interface ExaminedKeys {
  readonly clock: Clock;
  readonly keyStates: () => Promise<readonly KeyState[]>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Every address of a family. */
const EVERYONE = /\/0+$/;
const WRITABLE_BY_OTHERS = 0o022;
/** A folder such as /tmp, in which only its owner may replace a file. */
const STICKY = 0o1000;

export const PROCESS_FINDINGS: Findings<ExaminedProcess> = {
  'variables.unknown': {
    severity: 'warning',
    find: ({ unknownVariables }) =>
      unknownVariables().map((name) => `the server does not read the variable ${name}`),
    remedy: 'remove it; `tankeeper config` lists the variables',
  },
  'addresses.plain-http': {
    severity: 'warning',
    find: ({ settings: { host, trustProxy } }) =>
      isLoopback(host) || trustProxy.length > 0
        ? []
        : [
            `the server listens on ${host} in plain HTTP and trusts no proxy: passwords and responses of clients that reach it directly travel in clear, and behind a proxy all clients are one`,
          ],
    remedy:
      'HOST=127.0.0.1 behind a proxy on this machine; else, as in a container, TRUST_PROXY with the address or network of the proxy, and a network, firewall or port that only the proxy reaches',
  },
  'addresses.everyone': {
    severity: 'error',
    find: ({ settings: { trustProxy, limits } }) => [
      ...everyone(trustProxy).map(
        (network) =>
          `TRUST_PROXY names every address (${network}): any client chooses the address that policies, limits and log see`,
      ),
      ...everyone(limits.exempt).map(
        (network) =>
          `LIMIT_EXEMPT names every address (${network}): responses can be guessed without a limit of the client`,
      ),
    ],
    remedy: 'TRUST_PROXY with the addresses of the proxies alone, LIMIT_EXEMPT with those of the portals',
  },
  'key.exposed': {
    severity: 'warning',
    find: async ({ keyFile }) => {
      const { path = '', mode = 0, folderMode = 0, isReadableByOthers = false } = (await keyFile()) ?? {};
      return [
        ...(isReadableByOthers || isOpen(mode)
          ? [`others may read or write the key file ${path} (mode ${octal(mode)})`]
          : []),
        ...(isOpen(folderMode) && (folderMode & STICKY) === 0
          ? [`others may replace the key file ${path}: its folder has the mode ${octal(folderMode)}`]
          : []),
      ];
    },
    remedy: 'chmod go-rw the file, chmod go-w its folder; for a mounted Secret, defaultMode: 0440',
  },
};

function everyone(networks: readonly string[]): readonly string[] {
  return networks.filter((network) => EVERYONE.test(network));
}

function isOpen(mode: number): boolean {
  return (mode & WRITABLE_BY_OTHERS) !== 0;
}

function octal(mode: number): string {
  return mode.toString(8);
}

/**
 * @param host a name or an address, an IPv6 one also in brackets
 * @returns true if it is this machine itself
 */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (bare === 'localhost' || bare.endsWith('.localhost')) {
    return true;
  }
  const address = readAddress(bare);
  const loopback = new NetworkSet();
  NAMED_NETWORKS.loopback.forEach((network) => loopback.add(network));
  return address !== undefined && loopback.has(address);
}

type Rules = Readonly<Record<string, readonly [isWrong: (value: string) => boolean, consequence: string]>>;

const isOff = (value: string): boolean => value === 'off';
/** PostgreSQL writes times of a minute and more in other units. */
const isNoneOrLong = (value: string): boolean => !/^(?:\d+ms|[1-5]?\ds)$/.test(value);
/** Seconds without a packet after which PostgreSQL should ask whether the other end is there. */
const LONGEST_SILENCE = 60;

/** Settings of PostgreSQL with the values that are not to be. */
const SETTINGS: Rules = {
  fsync: [isOff, 'a crash of the machine may destroy the database'],
  full_page_writes: [isOff, 'a crash of the machine may destroy pages of the database'],
  autovacuum: [isOff, 'tables grow without limit and become slow'],
  track_counts: [isOff, 'autovacuum does not work: tables grow without limit and become slow'],
  server_encoding: [(value) => value !== 'UTF8', 'names outside of it cannot be stored'],
};

/** Limits for which each session asks: something between has dropped one that is missing. */
const LIMITS: Rules = {
  statement_timeout: [(value) => value === '0', 'statements may hang'],
  idle_in_transaction_session_timeout: [
    isNoneOrLong,
    'the transaction of a server that is gone keeps its locks for hours: its tokens answer 503',
  ],
  tcp_keepalives_idle: [
    (value) => Number(value) > LONGEST_SILENCE,
    'the database notices only after hours that a machine is gone',
  ],
  // In milliseconds, without a unit.
  tcp_user_timeout: [
    (value) => value === '0' || Number(value) > LONGEST_SILENCE * 1000,
    'the database sends for minutes to a machine that is gone',
  ],
};

function broken(rules: Rules, settings: ReadonlyMap<string, string>): readonly string[] {
  return Object.entries(rules).flatMap(([name, [isWrong, consequence]]) => {
    const value = settings.get(name);
    return value === undefined || !isWrong(value) ? [] : [`${name} is ${value}: ${consequence}`];
  });
}

/** The oldest version of PostgreSQL that is supported. */
const OLDEST = { number: 140_000, name: '14' };

/** Connections of a server beside its pool: one listens, four are for long work. */
const BESIDE_POOL = 5;
/** Connections of a command. */
const COMMAND = 4;
/** Milliseconds by which the clocks may differ. */
const TOLERATED = 2_000;

export const DATABASE_FINDINGS: Findings<ExaminedDatabase> = {
  'database.settings': {
    severity: 'error',
    find: async ({ installation }) => {
      const { version, settings, isReadOnly } = await installation.facts();
      return [
        ...(version < OLDEST.number
          ? [`PostgreSQL ${Math.floor(version / 10_000)} is older than ${OLDEST.name}, the oldest supported`]
          : []),
        ...(isReadOnly ? ['the database takes no writes: it is a standby, or was made read-only'] : []),
        ...broken(SETTINGS, settings),
      ];
    },
    remedy:
      'ALTER SYSTEM SET … = on; SELECT pg_reload_conf(). Connect to the primary, on PostgreSQL 14 or newer; `tankeeper export`, then `tankeeper restore` into a database in UTF8',
  },
  'database.limits': {
    severity: 'warning',
    find: async ({ installation }) => broken(LIMITS, (await installation.facts()).settings),
    remedy:
      "a pooler drops the limits of sessions: ALTER ROLE … SET statement_timeout = '30s', lock_timeout = '5s', idle_in_transaction_session_timeout = '10s', tcp_keepalives_idle = '4', tcp_user_timeout = '10s', each by itself",
  },
  'database.connections': {
    severity: 'warning',
    find: async ({ installation, settings }) =>
      missingConnections(settings.databasePoolSize, await installation.connections()),
    remedy:
      'raise max_connections of PostgreSQL, or the limit of the role or the database; or lower DATABASE_POOL_SIZE',
  },
  'clock.differs': {
    severity: 'warning',
    find: ({ machineClock, installation }) => clockDifference(machineClock, () => installation.time()),
    remedy: 'run an NTP client (chrony, systemd-timesyncd) on both machines',
  },
};

export function missingConnections(
  poolSize: number,
  { granted, servers: running }: ConnectionFacts,
): readonly string[] {
  const servers = Math.max(1, running);
  const needed = servers * (poolSize + BESIDE_POOL) + COMMAND;
  return needed <= granted
    ? []
    : [
        `the database grants ${granted} connections, and ${servers === 1 ? 'one server' : `${servers} servers`} and a command may need ${needed}: requests are refused at full load`,
      ];
}

/** Compares the clock of this machine with the database's. */
export async function clockDifference(
  clock: Clock,
  databaseTime: () => Promise<Date>,
): Promise<readonly string[]> {
  const before = clock.now().getTime();
  const there = (await databaseTime()).getTime();
  const after = clock.now().getTime();
  // The time of the question is within these bounds: what may be its duration is no difference.
  const difference = there > after ? there - after : Math.min(0, there - before);
  const size = Math.abs(difference);
  return size <= TOLERATED
    ? []
    : [
        `the clock of the database is ${(size / 1000).toFixed(1)} s ${difference > 0 ? 'ahead of' : 'behind'} the clock here: the service goes by the database's, log lines and TLS certificates by the one here${size > DAY_MS ? ', and nothing is removed here' : ''}`,
      ];
}

/** Milliseconds for which a row of the audit may be unsealed, a backup be the last one, and a change of keys last. */
const UNSEALED_MS = HOUR_MS;
const BACKUP_MS = 7 * DAY_MS;
const ROTATION_MS = 7 * DAY_MS;

/** Findings about what the tables keep of the running of servers. */
export const UPKEEP_FINDINGS: Findings<ExaminedDatabase & ExaminedKeys> = {
  'clock.jumped': {
    severity: 'warning',
    find: async ({ installation, settings }) =>
      clockJump(
        await installation.clockState(),
        await installation.time(),
        settings.auditRetention !== 'off',
      ),
    remedy:
      'correct the clock of the database; if it is right (no server ran meanwhile, or the database is an old copy), `tankeeper housekeeping run --confirm-time`',
  },
  'triggers.disabled': {
    severity: 'error',
    find: async ({ installation }) => {
      const disabled = await installation.disabledTriggers();
      return disabled.length === 0
        ? []
        : [
            `triggers of the program are disabled in the database: ${listNames(disabled)}. Counts, references, revocations and changes that servers should notice are wrong without them`,
          ];
    },
    remedy:
      '`ALTER TABLE … ENABLE TRIGGER …` for each (`tokens_count_version`: ENABLE ALWAYS), then `tankeeper count --verify --repair` and a restart of the servers',
  },
  'key.rotation': {
    severity: 'warning',
    find: async ({ keyStates, clock }) => unfinishedRotation(await keyStates(), clock.now()),
    remedy: '`tankeeper key rotate`, then `tankeeper key retire` for the former key',
  },
  'backup.old': {
    severity: 'warning',
    find: async ({ installation, clock }) => {
      const { lastExport, installedAt, isElsewhere } = await installation.backups();
      const since = lastExport ?? installedAt;
      return isElsewhere || since === null || ageOf(since, clock) < BACKUP_MS
        ? []
        : [
            `the audit has ${lastExport === null ? 'no backup' : `its last backup, of ${dayOf(lastExport)},`} by \`tankeeper export\``,
          ];
    },
    remedy:
      '`tankeeper export FILE`, and a copy of the encryption key elsewhere; other backups (pg_dump) are not seen here: `tankeeper setting set BackupElsewhere True`',
  },
  'audit.unsealed': {
    severity: 'warning',
    find: async ({ installation, clock }) => {
      const { lastCheckpoint, oldestUncovered } = await installation.trail();
      return oldestUncovered === null || ageOf(oldestUncovered, clock) < UNSEALED_MS
        ? []
        : [
            `audit rows since ${oldestUncovered.toISOString()} are not covered by a checkpoint (last one: ${lastCheckpoint?.toISOString() ?? 'none'}): their change or removal would not be noticed`,
          ];
    },
    remedy: 'a running server writes a checkpoint each minute; its log tells why it does not',
  },
};

/**
 * @param known of the servers; undefined: none has looked at the clock yet
 * @param now the time of the database
 * @param isAuditPruned false: the audit is kept for ever
 * @returns a sentence about a jump of the database's clock after which something is not removed
 */
export function clockJump(
  known: ClockState | undefined,
  now: Date,
  isAuditPruned: boolean,
): readonly string[] {
  const state = known && lookAt(known, now);
  const isOver =
    state === undefined || state.steadySince === null || (isSteady(state, now) && !isAuditPruned);
  return isOver
    ? []
    : [
        `the clock of the database shows ${now.toISOString()}, and a server last saw it at ${state.seenAt.toISOString()}: ${isSteady(state, now) ? 'no month of the audit' : 'nothing old'} is removed, as either may be wrong`,
      ];
}

/** @returns a sentence for each key that is in use, and for a week neither the current one nor retired */
function unfinishedRotation(keys: readonly KeyState[], at: Date): readonly string[] {
  const current = keys.find(({ isCurrent }) => isCurrent);
  return keys
    .filter(({ retiredAt, isCurrent }) => retiredAt === undefined && !isCurrent)
    .filter(({ createdAt: addedAt = at, currentSince }) => {
      const since = currentSince === undefined ? addedAt : (current?.currentSince ?? currentSince);
      return at.getTime() - since.getTime() >= ROTATION_MS;
    })
    .map(({ keyId, currentSince }) =>
      currentSince === undefined
        ? `the key ${keyId} was added a week ago or earlier, and seals nothing yet`
        : `the former key ${keyId} is not retired, a week or more after another key took its place`,
    );
}

function ageOf(time: Date, clock: Clock): number {
  return clock.now().getTime() - time.getTime();
}

export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** The finding about keys that this server has not read since they were added, or became current. */
export const UNREAD_KEY: Findings<ExaminedKeys & { readonly vault: Pick<Vault, 'keyIds' | 'currentKeyId'> }> =
  {
    'key.unread': {
      severity: 'error',
      find: async ({ vault: { keyIds, currentKeyId }, keyStates }) => {
        const needed = (await keyStates()).filter(({ retiredAt }) => retiredAt === undefined);
        const missing = needed.filter(({ keyId }) => !keyIds.includes(keyId));
        const current = needed.find(({ isCurrent }) => isCurrent)?.keyId ?? currentKeyId;
        return [
          ...missing.map(
            ({ keyId }) =>
              `this server has not read the key ${keyId}, and opens nothing that is sealed with it`,
          ),
          ...(missing.length > 0 || current === currentKeyId
            ? []
            : [`this server still seals with the former key ${currentKeyId}`]),
        ];
      },
      remedy: 'bring the key file to every machine, and send SIGHUP to every server',
    },
  };
