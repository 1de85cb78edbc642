import { z } from 'zod';
import type { AuditReading } from '../audit/audit-reading.ts';
import type { AuditRow } from '../audit/audit-row.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import { VAIN_DECLINE } from '../challenges/challenge.ts';
import type { Clock } from '../kernel/clock.ts';
import { KeptReading, withTimeLimit } from '../kernel/bounded-work.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { ReadonlyDeep } from '../kernel/readonly-deep.ts';
import type { ObservationStore, ResponseOutcomes } from '../monitoring/observation-store.ts';
import { RESOLVER_HEALTH, resolverHealth } from '../monitoring/overview.ts';
import type { AccessControl, Grant } from '../policy/access-control.ts';
import type { Caller } from '../policy/caller.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { isVisible } from '../tokens/token.ts';
import { viewOf } from '../tokens/token-view.ts';
import type { WebhookStore } from '../webhooks/webhook-store.ts';
import { CONFIGURATION_FINDINGS, type ExaminedConfiguration } from './configuration-findings.ts';
import { type Finding, FINDING, type Findings, FindingSearch } from './finding.ts';
import {
  DATABASE_FINDINGS,
  type ExaminedDatabase,
  type ExaminedKeys,
  type ExaminedProcess,
  PROCESS_FINDINGS,
  UNREAD_KEY,
  UPKEEP_FINDINGS,
} from './installation-findings.ts';
import type { InstallationStore } from './installation-store.ts';
import type { Vault } from '../keys/vault.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Findings in the tables of this program, whose cost does not grow with tokens and users. */
export const TABLE_FINDINGS: Findings<ExaminedDatabase & ExaminedKeys & ExaminedConfiguration> = {
  ...UPKEEP_FINDINGS,
  ...CONFIGURATION_FINDINGS,
};

/** The subject of the findings of a running server. */
export type ExaminedServer = ExaminedProcess &
  ExaminedDatabase &
  ExaminedKeys &
  ExaminedConfiguration & { readonly vault: Pick<Vault, 'keyIds' | 'currentKeyId'> };

/** Those that a running server can repeat: it reads no token, verifies no audit and asks no resolver. */
const SERVER_FINDINGS: Findings<ExaminedServer> = {
  ...PROCESS_FINDINGS,
  ...DATABASE_FINDINGS,
  ...TABLE_FINDINGS,
  ...UNREAD_KEY,
};

const count = z.int().nonnegative();
const time = z.date().nullable();

const PERIOD = z.object({
  since: z.date(),
  accepted: count,
  refused: count.describe('wrong ones, and those to locked, closed or unknown challenges'),
  expired: count,
});

/** The health of the installation. A part is null for a caller without the right to see it. */
export const HEALTH = z.object({
  installation: z
    .object({
      examinedAt: z.date(),
      findings: z.array(FINDING).meta({ column: 'Findings' }),
      // The begin of the export; null: the audit records none.
      lastBackupAt: time.describe('the last `tankeeper export` that the audit records'),
      webhooks: z
        .array(
          z.object({
            name: z.string().meta({ column: 'WEBHOOK' }),
            active: z.boolean(),
            waiting: count.meta({ column: 'WAITING' }),
            givenUp: count.meta({ column: 'GIVEN UP' }),
            lastSuccessAt: time,
            lastFailureAt: time,
            lastFailure: z.string().meta({ column: 'LAST FAILURE' }),
          }),
        )
        .meta({ column: 'Webhooks' }),
      resolvers: z.array(RESOLVER_HEALTH).meta({ column: 'Resolvers' }),
    })
    .nullable()
    .describe('null without the right `system:read` in all realms'),
  responses: z
    .object({ day: PERIOD, week: PERIOD, month: PERIOD })
    .nullable()
    .describe(
      'of the last 24 hours, 7 and 30 days; null without the right `monitoring:metrics` in all realms',
    ),
  refusedTokens: z
    .array(
      z.object({
        serial: z.string().meta({ column: 'SERIAL' }),
        // Also null where the token is gone.
        owner: z
          .object({ login: z.string().meta({ column: 'USER' }), resolver: z.string() })
          .nullable()
          .describe('null: nobody, or the caller may not see it'),
        ownerRealm: z.string().nullable(),
        isLocked: z.boolean().describe('true: locked by now'),
        // Among the looked-at rows.
        refusedResponses: count.meta({ column: 'REFUSALS' }),
        lastAt: z.string().meta({ column: 'LAST', description: 'UTC, to the microsecond' }),
      }),
    )
    .nullable()
    .meta({
      column: 'Refused responses',
      description:
        'tokens with wrong or locked responses in the last 24 hours, in the realms of the right `admin:audit`, the newest first, ten at most; null without it, and while too many search the audit',
    }),
});

type Health = ReadonlyDeep<z.output<typeof HEALTH>>;
/** A part, for those who may see it. */
type Part<Name extends keyof Health> = NonNullable<Health[Name]>;
type ResponsePeriod = Part<'responses'>['day'];
type RefusedToken = Part<'refusedTokens'>[number];

/** Milliseconds for which a reading serves those who ask again. */
const READING_KEPT_MS = 15_000;
/** Milliseconds for each finding. */
const CHECK_TIMEOUT_MS = 5_000;
/** Milliseconds for which a reader of metrics waits. */
const METRICS_TIMEOUT_MS = 1_000;
/** The audit rows of each outcome that are looked at, and the tokens that are shown. */
const MAX_ROWS = 100;
const MAX_REFUSED = 10;
/** The outcomes of refused responses that somebody may have to be called about. */
const REFUSED = ['wrong', 'exhausted', 'locked'] as const;
/** The ends of the outcomes of declines, which are no responses. */
const DECLINES = Object.values(VAIN_DECLINE).map((word) => `, ${word}`);

/** What does not depend on the caller. */
interface HealthFacts {
  readonly installation: Part<'installation'>;
  readonly responses: Part<'responses'>;
}

/**
 * The health page: what `tankeeper doctor` finds, as far as a running server can look, and what servers have noted. Its
 * statements do not walk over tokens, users or audit rows, no resolver or receiver is asked, and all callers share one
 * reading.
 */
export class HealthService {
  readonly #deps;
  readonly #recentFacts: KeptReading<HealthFacts>;

  constructor(dependencies: {
    readonly configuration: Pick<ConfigurationStore, 'current'>;
    readonly access: Pick<AccessControl, 'grantOf'>;
    /** Undefined: nothing is examined. */
    readonly examined: ExaminedServer | undefined;
    readonly backups: () => ReturnType<InstallationStore['backups']>;
    readonly webhooks: Pick<WebhookStore, 'list'>;
    readonly observations: Pick<ObservationStore, 'resolverUses' | 'responseNumbersSince'>;
    readonly audit: Pick<AuditReading, 'page'>;
    readonly tokens: Pick<TokenStore, 'findBySerial'>;
    readonly clock: Clock;
    /** Milliseconds of a clock that never goes back. */
    readonly elapsed: () => number;
  }) {
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
      refusedTokens:
        grantOf('admin', 'audit') === undefined
          ? null
          : await this.#refused(caller, configuration, grantOf('admin', 'show')),
    };
  }

  /** @returns the findings for the metrics; none while the database does not answer */
  async findings(): Promise<readonly Finding[]> {
    const facts = this.#recentFacts.current();
    const late = (): Error => new Error('late');
    return withTimeLimit(METRICS_TIMEOUT_MS, facts, late).then(
      ({ installation }) => installation.findings,
      () => [],
    );
  }

  async #facts(): Promise<HealthFacts> {
    const { configuration, examined, backups, webhooks, observations, clock } = this.#deps;
    const examination = new FindingSearch(CHECK_TIMEOUT_MS);
    if (examined !== undefined) {
      await examination.lookFor(SERVER_FINDINGS, examined);
    }
    const [{ resolvers }, { lastExport }, receivers, uses] = await Promise.all([
      configuration.current(),
      backups(),
      webhooks.list(),
      observations.resolverUses(),
    ]);
    return {
      installation: {
        examinedAt: clock.now(),
        findings: examination.findings,
        lastBackupAt: lastExport,
        webhooks: receivers,
        resolvers: resolverHealth(resolvers, uses),
      },
      responses: await this.#responses(),
    };
  }

  async #responses(): Promise<Part<'responses'>> {
    const { clock, observations } = this.#deps;
    const now = clock.now().getTime();
    const wholeHour = (time: number): Date => new Date(time - (time % HOUR_MS));
    const since = [
      new Date(now - DAY_MS),
      wholeHour(now - 7 * DAY_MS),
      wholeHour(now - 30 * DAY_MS),
    ] as const;
    const numbers = await observations.responseNumbersSince(since);
    const period = (place: 0 | 1 | 2): ResponsePeriod => periodOf(since[place], numbers[place] ?? {});
    return { day: period(0), week: period(1), month: period(2) };
  }

  /** Reads the newest rows of the audit, in a search that is bounded as those of the audit page. */
  async #refused(
    caller: Caller,
    configuration: Configuration,
    shown: Grant | undefined,
  ): Promise<Health['refusedTokens']> {
    const rows = await this.#refusals(caller);
    if (rows === undefined) {
      return null;
    }
    const { tokens } = this.#deps;
    const refused: RefusedToken[] = [];
    for (const refusals of bySerial(rows).slice(0, MAX_REFUSED)) {
      const token = shown === undefined ? undefined : await tokens.findBySerial(refusals.serial);
      const isShown = token !== undefined && shown !== undefined && isVisible(token, shown);
      refused.push({
        ...refusals,
        ...(isShown
          ? viewOf(token, { configuration, grant: shown, now: this.#deps.clock.now() })
          : { owner: null, ownerRealm: null, isLocked: false }),
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
function bySerial(
  rows: readonly AuditRow[],
): readonly Pick<RefusedToken, 'serial' | 'refusedResponses' | 'lastAt'>[] {
  const found = new Map<string, Pick<RefusedToken, 'serial' | 'refusedResponses' | 'lastAt'>>();
  for (const { subject, at } of rows) {
    const before = found.get(subject);
    found.set(subject, {
      serial: subject,
      refusedResponses: (before?.refusedResponses ?? 0) + 1,
      lastAt: before === undefined || at > before.lastAt ? at : before.lastAt,
    });
  }
  found.delete('');
  return [...found.values()].sort((one, other) => (one.lastAt < other.lastAt ? 1 : -1));
}

function periodOf(since: Date, outcomes: ResponseOutcomes): ResponsePeriod {
  const { accepted = 0, expired = 0, declined = 0, reported = 0 } = outcomes;
  const all = Object.values(outcomes).reduce((sum, number) => sum + number, 0);
  return { since, accepted, expired, refused: all - accepted - expired - declined - reported };
}
