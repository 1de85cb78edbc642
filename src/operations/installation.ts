import { z } from 'zod';
import { SEVERITIES } from '../doctor/finding.ts';
import { FIRST_STEPS, OVERVIEW, RESOLVER_HEALTH } from '../monitoring/overview.ts';
import { operation, type OperationGroup } from './operation.ts';

const count = z.int().nonnegative();
const time = z.date().nullable();

const overview = operation({
  name: 'installation overview',
  does: 'the state of the installation at a glance; each part takes a right of its own',
  right: [],
  changes: false,
  input: {},
  output: OVERVIEW,
  run: (services, caller) => services.overview.read(caller),
});

const PERIOD = z.object({
  since: z.date(),
  accepted: count,
  refused: count.describe('wrong ones, and those to locked, closed or unknown challenges'),
  expired: count,
});

const health = operation({
  name: 'installation health',
  does: 'findings of `tankeeper doctor` that a server can tell, the last backup, webhooks, resolvers, responses of 30 days and refused tokens; each part takes a right of its own',
  right: [['system:read', 'monitoring:metrics', 'admin:audit']],
  changes: false,
  input: {},
  output: z.object({
    installation: z
      .object({
        examinedAt: z.date(),
        findings: z
          .array(
            z.object({
              severity: z.enum(SEVERITIES).meta({ column: 'SEVERITY' }),
              code: z.string().meta({ column: 'CODE' }),
              text: z.string().meta({ column: 'FINDING' }),
              remedy: z.string(),
            }),
          )
          .meta({ column: 'Findings' }),
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
          owner: z
            .object({ login: z.string().meta({ column: 'USER' }), resolver: z.string() })
            .nullable()
            .describe('null: nobody, or the caller may not see it'),
          ownerRealm: z.string().nullable(),
          isLocked: z.boolean().describe('true: locked by now'),
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
  }),
  run: (services, caller) => services.health.read(caller),
});

const firstSteps = operation({
  name: 'installation first-steps',
  does: 'what an installation needs before its first use, and what of it is done',
  right: 'system:read',
  changes: false,
  input: {},
  output: FIRST_STEPS,
  run: (services) => services.overview.firstSteps(),
});

export const INSTALLATION: OperationGroup = {
  name: 'installation',
  about: 'the state of the installation',
  operations: [overview, health, firstSteps],
};
