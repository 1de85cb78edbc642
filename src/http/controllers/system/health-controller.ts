import { z } from 'zod';
import type { Health, RefusedToken, ResponsePeriod } from '../../../doctor/health-service.ts';
import { SEVERITIES } from '../../../doctor/finding.ts';
import type { Services } from '../../../services.ts';
import { count, type Shown, timeOf } from '../../answers.ts';
import { type Endpoint, valueReading } from '../../endpoint-spec.ts';

const TIME = z.iso.datetime();

const PERIOD = z.strictObject({
  since: TIME,
  accepted: count,
  refused: count.describe('wrong ones, and those to locked, closed or unknown challenges'),
  expired: count,
});

const REFUSED = z.strictObject({
  serial: z.string(),
  owner: z
    .strictObject({ user: z.string(), resolver: z.string(), realm: z.string().nullable() })
    .nullable()
    .describe('null: nobody, or the caller may not see it'),
  locked: z.boolean().describe('true: locked by now'),
  refusals: count,
  last: z.string().describe('UTC, to the microsecond'),
});

const HEALTH = z.strictObject({
  installation: z
    .strictObject({
      examined: TIME,
      findings: z.array(
        z.strictObject({
          severity: z.enum(SEVERITIES),
          code: z.string(),
          text: z.string(),
          remedy: z.string(),
        }),
      ),
      last_backup: TIME.nullable().describe('the last `tankeeper export` that the audit records'),
      webhooks: z.array(
        z.strictObject({
          name: z.string(),
          enabled: z.boolean(),
          waiting: count,
          given_up: count,
          last_success_at: TIME.nullable(),
          last_failure_at: TIME.nullable(),
          last_failure: z.string(),
        }),
      ),
      resolvers: z.array(
        z.strictObject({
          resolver: z.string(),
          state: z.enum(['available', 'unavailable', 'unknown']).describe('at its last use by any server'),
          succeeded: TIME.nullable(),
          failed: TIME.nullable(),
        }),
      ),
    })
    .nullable()
    .describe('null without the right `system:read` in all realms'),
  responses: z
    .strictObject({ day: PERIOD, week: PERIOD, month: PERIOD })
    .nullable()
    .describe(
      'of the last 24 hours, 7 and 30 days; null without the right `monitoring:metrics` in all realms',
    ),
  refused: z
    .array(REFUSED)
    .nullable()
    .describe(
      'tokens with wrong or locked responses in the last 24 hours, in the realms of the right `admin:audit`, the newest first, ten at most; null without it, and while too many search the audit',
    ),
});

export function healthEndpoint({ health }: Pick<Services, 'health'>): Endpoint {
  return valueReading(
    {
      path: '/system/health',
      summary:
        'findings of `tankeeper doctor` that a server can tell, the last backup, webhooks, resolvers, responses of 30 days and refused tokens; each part takes a right of its own',
      requires: 'credential',
      requiresFor: () => [['system:read', 'monitoring:metrics', 'admin:audit']],
      value: HEALTH,
      parameters: {},
    },
    async ({ caller }) => shownHealth(await health.read(caller)),
  );
}

function shownHealth({ installation, responses, refused }: Health): Shown<typeof HEALTH> {
  return {
    installation: installation && shownInstallation(installation),
    responses: responses && {
      day: shownPeriod(responses.day),
      week: shownPeriod(responses.week),
      month: shownPeriod(responses.month),
    },
    refused: refused?.map(shownToken) ?? null,
  };
}

function shownInstallation(
  installation: NonNullable<Health['installation']>,
): NonNullable<Shown<typeof HEALTH>['installation']> {
  const { examinedAt, findings, lastBackup, webhooks, resolvers } = installation;
  return {
    examined: examinedAt.toISOString(),
    findings: findings.map(({ severity, code, text, remedy }) => ({ severity, code, text, remedy })),
    last_backup: timeOf(lastBackup),
    webhooks: webhooks.map((webhook) => ({
      name: webhook.name,
      enabled: webhook.enabled,
      waiting: webhook.waiting,
      given_up: webhook.givenUp,
      last_success_at: timeOf(webhook.lastSuccessAt),
      last_failure_at: timeOf(webhook.lastFailureAt),
      last_failure: webhook.lastFailure,
    })),
    resolvers: resolvers.map(({ resolver, state, succeededAt, failedAt }) => ({
      resolver,
      state,
      succeeded: timeOf(succeededAt),
      failed: timeOf(failedAt),
    })),
  };
}

function shownPeriod({ since, outcomes }: ResponsePeriod): Shown<typeof PERIOD> {
  const { accepted = 0, expired = 0, declined = 0, reported = 0 } = outcomes;
  const all = Object.values(outcomes).reduce((sum, number) => sum + number, 0);
  return {
    since: since.toISOString(),
    accepted,
    expired,
    refused: all - accepted - expired - declined - reported,
  };
}

function shownToken({ serial, token, refusals, lastAt }: RefusedToken): Shown<typeof REFUSED> {
  const { owner = null, ownerRealm = null, isLocked = false } = token ?? {};
  return {
    serial,
    owner: owner && { user: owner.login, resolver: owner.resolver, realm: ownerRealm },
    locked: isLocked,
    refusals,
    last: lastAt,
  };
}
