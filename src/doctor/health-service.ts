import type { AuditReading } from '../audit/audit-reading.ts';
import type { AuditRow } from '../audit/audit-row.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import { type OwnedToken, ownedToken } from '../helpdesk/owned-token.ts';
import { VAIN_DECLINE } from '../challenges/challenge.ts';
import type { Clock } from '../kernel/clock.ts';
import { KeptReading } from '../kernel/bounded-work.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { ObservationStore, ResponseOutcomes } from '../monitoring/observation-store.ts';
import { type ResolverHealth, resolverHealth } from '../monitoring/overview.ts';
import type { AccessControl, Grant } from '../policy/access-control.ts';
import type { Caller } from '../policy/caller.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { isVisible } from '../tokens/token.ts';
import type { WebhookStore } from '../webhooks/webhook-store.ts';
import type { WebhookWithState } from '../webhooks/webhook.ts';
import { type Check, Examination, type Finding } from './examination.ts';
import type { InstallationStore } from './installation-store.ts';
import type { KeyFileAccess } from '../keys/key-file.ts';
import type { KeyStore } from '../keys/key-store.ts';
import type { SecretVault } from '../keys/vault.ts';
import {
  checkpointFindings,
  checkBackups,
  checkClock,
  checkConnections,
  checkDatabase,
  checkJump,
  checkTriggers,
} from './database-check.ts';
import {
  checkEnds,
  checkPolicies,
  checkRealms,
  checkResolverSettings,
  checkSettings,
  checkWebhooks,
  NOTICE_DAYS,
} from './configuration-check.ts';
import { type AddressSettings, checkAddresses, checkVariables } from './environment-check.ts';
import { checkKeyAges, checkKeyFile, checkReadKeys, checkUnknownKeys } from './key-check.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The part of the configuration that is examined. */
export interface ExaminedSettings extends AddressSettings {
  readonly databasePoolSize: number;
  /** Seconds; `off`: the audit is kept for ever. */
  readonly auditRetention: number | 'off';
}

/** The subject of checks of the tables. */
export interface ExaminedTables {
  readonly settings: ExaminedSettings;
  readonly installation: InstallationStore;
  readonly keyAges: Pick<KeyStore, 'entries'>;
  readonly configuration: () => Promise<Configuration>;
  /** The clock of the service. */
  readonly clock: Clock;
}

/** Checks by their names, in the order in which they run. */
export type CheckTable<Subject> = Readonly<
  Record<string, (subject: Subject) => Promise<readonly Finding[]> | readonly Finding[]>
>;

/** @returns the checks of a table, of that subject */
export function checksOf<Subject>(table: CheckTable<Subject>, subject: Subject): readonly Check[] {
  return Object.entries(table).map(([name, find]) => ({ name, find: () => find(subject) }));
}

/** @returns the names of the checks of these tables */
export function namesOf(...tables: readonly object[]): readonly string[] {
  return tables.flatMap((table) => Object.keys(table));
}

/** Checks of a database with the tables of this program, whose cost does not grow with tokens and users. */
export const TABLE_CHECKS: CheckTable<ExaminedTables> = {
  jump: async ({ installation, settings }) =>
    checkJump(await installation.clockState(), await installation.time(), settings.auditRetention !== 'off'),
  connections: async ({ installation, settings }) =>
    checkConnections(settings.databasePoolSize, await installation.connections()),
  triggers: async ({ installation }) => checkTriggers(await installation.disabledTriggers()),
  rotation: async ({ keyAges, clock }) => checkKeyAges(await keyAges.entries(), clock.now()),
  realms: async ({ configuration }) => checkRealms(await configuration()),
  policies: async ({ configuration }) => checkPolicies(await configuration()),
  settings: async ({ configuration }) => checkSettings(await configuration()),
  ends: async ({ configuration, installation, clock }) => {
    const now = clock.now();
    const end = new Date(now.getTime() + NOTICE_DAYS * DAY_MS);
    return checkEnds(await configuration(), await installation.apiTokensEnding(now, end), now);
  },
  webhooks: async ({ installation }) => checkWebhooks(await installation.failingWebhooks()),
  backup: async ({ installation, clock }) => checkBackups(await installation.backups(), clock.now()),
};

/** The subject of the checks of a running server. */
interface ExaminedServer extends ExaminedTables {
  readonly machineClock: Clock;
  readonly unknownVariables: () => readonly string[];
  readonly vault: Pick<SecretVault, 'keyIds' | 'currentKeyId'>;
  /** @returns undefined where a security module keeps the keys */
  readonly keyFile: () => Promise<KeyFileAccess | undefined>;
}

/**
 * The checks that a running server can repeat. It leaves out those of `tankeeper doctor` that read all tokens, verify
 * the audit and ask resolvers.
 */
const SERVER_CHECKS: CheckTable<ExaminedServer> = {
  variables: ({ unknownVariables }) => checkVariables(unknownVariables()),
  addresses: ({ settings }) => checkAddresses(settings),
  database: async ({ installation }) => checkDatabase(await installation.facts()),
  clock: ({ machineClock, installation }) => checkClock(machineClock, () => installation.time()),
  key: async ({ keyFile, keyAges, vault }) => {
    const file = await keyFile();
    const keys = await keyAges.entries();
    const ofFile = file === undefined ? [] : [...checkKeyFile(file), ...checkUnknownKeys(file, keys)];
    return [...ofFile, ...checkReadKeys(vault, keys)];
  },
  ...TABLE_CHECKS,
  resolvers: async ({ configuration }) => checkResolverSettings(await configuration()),
  audit: async ({ installation, clock }) => checkpointFindings(await installation.trail(), clock.now()),
};

interface HealthDependencies {
  readonly configuration: Pick<ConfigurationStore, 'current'>;
  readonly access: Pick<AccessControl, 'grantOf'>;
  /** The subject of the checks; undefined: nothing is examined. */
  readonly examined: ExaminedServer | undefined;
  readonly backups: () => ReturnType<InstallationStore['backups']>;
  readonly webhooks: Pick<WebhookStore, 'list'>;
  readonly observations: Pick<ObservationStore, 'resolverUses' | 'responseNumbersSince'>;
  readonly audit: Pick<AuditReading, 'page'>;
  readonly tokens: Pick<TokenStore, 'findBySerial'>;
  readonly clock: Clock;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
}

/** The state of the installation itself. */
interface InstallationHealth {
  readonly examinedAt: Date;
  /** In the order of the checks. */
  readonly findings: readonly Finding[];
  /** The begin of the last export that the audit records; null: none. */
  readonly lastBackup: Date | null;
  readonly webhooks: readonly WebhookWithState[];
  readonly resolvers: readonly ResolverHealth[];
}

/** Responses of all realms in a period that ends now. */
export interface ResponsePeriod {
  readonly since: Date;
  readonly outcomes: ResponseOutcomes;
}

/** Responses of the last 24 hours, 7 and 30 days. */
interface ResponsePeriods {
  readonly day: ResponsePeriod;
  readonly week: ResponsePeriod;
  readonly month: ResponsePeriod;
}

/** A token whose responses were refused lately. */
export interface RefusedToken {
  readonly serial: string;
  /** The token as it is now; null: it is gone, or the caller may not see it. */
  readonly token: OwnedToken | null;
  /** The number of refused responses among the looked-at rows. */
  readonly refusals: number;
  /** The time of the last of them, as the audit has it. */
  readonly lastAt: string;
}

/** The health of the installation. A part is null for a caller without the right to see it. */
export interface Health {
  readonly installation: InstallationHealth | null;
  readonly responses: ResponsePeriods | null;
  /** Those of the last day, the newest first; also null while too many search the audit. */
  readonly refused: readonly RefusedToken[] | null;
}

/** Milliseconds for which a reading serves those who ask again. */
const READING_KEPT_MS = 15_000;
/** Milliseconds for each check. */
const CHECK_TIMEOUT_MS = 5_000;
/** The audit rows of each outcome that are looked at, and the tokens that are shown. */
const MAX_ROWS = 100;
const MAX_REFUSED = 10;
/** The outcomes of refused responses that somebody may have to be called about. */
const REFUSED = ['wrong', 'exhausted', 'locked'] as const;
/** The ends of the outcomes of declines, which are no responses. */
const DECLINES = Object.values(VAIN_DECLINE).map((word) => `, ${word}`);

/** What does not depend on the caller. */
interface HealthFacts {
  readonly installation: InstallationHealth;
  readonly responses: ResponsePeriods;
}

/**
 * The health page: what `tankeeper doctor` finds, as far as a running server can look, and what servers have noted. Its
 * statements do not walk over tokens, users or audit rows, no resolver or receiver is asked, and all callers share one
 * reading.
 */
export class HealthService {
  readonly #deps: HealthDependencies;
  readonly #recentFacts: KeptReading<HealthFacts>;

  constructor(dependencies: HealthDependencies) {
    const { elapsed } = dependencies;
    this.#deps = dependencies;
    this.#recentFacts = new KeptReading({ read: () => this.#facts(), keptMs: READING_KEPT_MS, elapsed });
  }

  /**
   * Shows the installation to callers with `system:read`, responses to those with `monitoring:metrics`, both where no
   * realm binds the right, and refused tokens in the realms of `admin:audit`, with owners in those of `admin:show`.
   */
  async read(caller: Caller): Promise<Health> {
    const { access, configuration: stored } = this.#deps;
    const configuration = await stored.current();
    const grantOf = (scope: 'system' | 'monitoring' | 'admin', action: string): Grant | undefined =>
      access.grantOf(configuration, caller, { scope, action });
    const isUnbound = (grant: Grant | undefined): boolean => grant?.realms === 'all';
    const factsFor = async (isGranted: boolean): Promise<HealthFacts | undefined> =>
      isGranted ? this.#recentFacts.current() : undefined;
    const [installation, responses] = await Promise.all([
      factsFor(isUnbound(grantOf('system', 'read'))),
      factsFor(isUnbound(grantOf('monitoring', 'metrics'))),
    ]);
    return {
      installation: installation?.installation ?? null,
      responses: responses?.responses ?? null,
      refused:
        grantOf('admin', 'audit') === undefined
          ? null
          : await this.#refused(caller, configuration, grantOf('admin', 'show')),
    };
  }

  async #facts(): Promise<HealthFacts> {
    const { configuration, examined, backups, webhooks, observations, clock } = this.#deps;
    const examination = new Examination({ timeoutMs: CHECK_TIMEOUT_MS });
    await examination.run(examined === undefined ? [] : checksOf(SERVER_CHECKS, examined));
    const [{ resolvers }, { lastExport }, receivers, uses] = await Promise.all([
      configuration.current(),
      backups(),
      webhooks.list(),
      observations.resolverUses(),
    ]);
    return {
      installation: {
        examinedAt: clock.now(),
        findings: examination.report.findings,
        lastBackup: lastExport ?? null,
        webhooks: receivers,
        resolvers: resolverHealth(resolvers, uses),
      },
      responses: await this.#responses(),
    };
  }

  async #responses(): Promise<ResponsePeriods> {
    const { clock, observations } = this.#deps;
    const now = clock.now().getTime();
    const wholeHour = (time: number): Date => new Date(time - (time % HOUR_MS));
    const since = [
      new Date(now - DAY_MS),
      wholeHour(now - 7 * DAY_MS),
      wholeHour(now - 30 * DAY_MS),
    ] as const;
    const numbers = await observations.responseNumbersSince(since);
    const period = (place: 0 | 1 | 2): ResponsePeriod => ({
      since: since[place],
      outcomes: numbers[place] ?? {},
    });
    return { day: period(0), week: period(1), month: period(2) };
  }

  /** Reads the newest rows of the audit, in a search that is bounded as those of the audit page. */
  async #refused(
    caller: Caller,
    configuration: Configuration,
    shown: Grant | undefined,
  ): Promise<readonly RefusedToken[] | null> {
    const rows = await this.#refusals(caller);
    if (rows === undefined) {
      return null;
    }
    const { tokens } = this.#deps;
    const refused: RefusedToken[] = [];
    for (const { serial, refusals, lastAt } of bySerial(rows).slice(0, MAX_REFUSED)) {
      const token = shown === undefined ? undefined : await tokens.findBySerial(serial);
      const isShown = token !== undefined && shown !== undefined && isVisible(token, shown);
      refused.push({
        serial,
        refusals,
        lastAt,
        token: isShown ? ownedToken(configuration, shown, token) : null,
      });
    }
    return refused;
  }

  /** @returns undefined while too many search the audit: the page is worth more than this part */
  async #refusals(caller: Caller): Promise<readonly AuditRow[] | undefined> {
    const { audit, clock } = this.#deps;
    const since = new Date(clock.now().getTime() - DAY_MS);
    const rows: AuditRow[] = [];
    try {
      for (const outcome of REFUSED) {
        rows.push(...(await audit.page(caller, { outcome, since, limit: MAX_ROWS })).rows);
      }
    } catch (error) {
      if (isServiceError(error, 'server.busy')) {
        return undefined;
      }
      throw error;
    }
    return rows.filter(({ outcome }) => !DECLINES.some((end) => outcome.endsWith(end)));
  }
}

/** @returns the tokens that the rows are about, the newest row first */
function bySerial(rows: readonly AuditRow[]): readonly Omit<RefusedToken, 'token'>[] {
  const found = new Map<string, Omit<RefusedToken, 'token'>>();
  for (const { subject, at } of rows) {
    const before = found.get(subject);
    found.set(subject, {
      serial: subject,
      refusals: (before?.refusals ?? 0) + 1,
      lastAt: before === undefined || at > before.lastAt ? at : before.lastAt,
    });
  }
  found.delete('');
  return [...found.values()].sort((one, other) => (one.lastAt < other.lastAt ? 1 : -1));
}
