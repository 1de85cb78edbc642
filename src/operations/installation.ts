import { z } from 'zod';
import { RESPONSE_REASONS } from '../challenges/challenge.ts';
import { RESOLVER_KINDS } from '../configuration/configuration.ts';
import { SEVERITIES } from '../doctor/finding.ts';
import { operation, type OperationGroup } from './operation.ts';

const count = z.int().nonnegative();
const time = z.date().nullable();
const realm = z
  .string()
  .meta({ column: 'REALM', description: 'the realm, `/:no realm:/` for tokens in none' });

const NUMBERS = {
  total: count.meta({ column: 'TOTAL' }),
  active: count.meta({ column: 'ACTIVE' }),
  inactive: count.meta({ column: 'INACTIVE' }),
  assigned: count.meta({ column: 'ASSIGNED' }),
  unassigned: count.meta({ column: 'UNASSIGNED' }),
  locked: count.meta({ column: 'LOCKED' }),
};

const milliseconds = z.number().nonnegative().nullable().describe('milliseconds; null without responses');
const RESPONSES = {
  outcomes: z.partialRecord(z.enum(RESPONSE_REASONS), count).describe('the numbers of those that there were'),
  p50: milliseconds,
  p95: milliseconds,
};

const HEALTH_OF_RESOLVER = z.object({
  resolver: z.string().meta({ column: 'RESOLVER' }),
  kind: z.enum(RESOLVER_KINDS).meta({ column: 'KIND' }),
  state: z
    .enum(['available', 'unavailable', 'unknown'])
    .meta({ column: 'STATE', description: 'at its last use by any server' }),
  succeededAt: time.meta({ column: 'SUCCEEDED' }),
  failedAt: time.meta({ column: 'FAILED' }),
});

const overview = operation({
  name: 'installation overview',
  does: 'the state of the installation at a glance; each part takes a right of its own',
  right: [],
  changes: false,
  input: {},
  output: z.object({
    tokens: z
      .object({
        realms: z.array(z.object({ realm, ...NUMBERS })).meta({ column: 'Tokens' }),
        summary: z.object(NUMBERS).describe('all these realms; a token in several of them counts once'),
      })
      .nullable()
      .describe('null without the right `monitoring:tokens`'),
    activeUsers: z
      .object({
        realms: z
          .array(z.object({ realm, users: count.meta({ column: 'ACTIVE USERS' }) }))
          .meta({ column: 'Active users' }),
        total: count.describe('users with an active token, each once'),
      })
      .nullable()
      .describe('null without the right `monitoring:activeUsers`'),
    users: z
      .array(
        z.object({
          resolver: z.string().meta({ column: 'RESOLVER' }),
          realms: z.array(z.string()).meta({ column: 'REALMS', description: 'the shown realms that use it' }),
          users: count
            .nullable()
            .meta({ column: 'USERS', description: 'null: never counted with its present settings' }),
          countedAt: time.describe('the time of the count; null: the number is the present one'),
        }),
      )
      .nullable()
      .meta({ column: 'Users', description: 'null without the right `monitoring:userinfo`' }),
    licence: z
      .object({
        state: z.enum(['none', 'valid', 'invalid']),
        reason: z.enum(['unreadable', 'expired', 'exceeded']).nullable().describe('why it is invalid'),
        unit: z.enum(['user', 'token']).nullable(),
        licensed: count.nullable(),
        active: count.nullable(),
        endsAt: time.describe('the first instant at which it is no longer valid'),
      })
      .nullable()
      .describe('null without the right `monitoring:license`'),
    configuration: z
      .object({
        sync: z.boolean().describe('this server uses the configuration of the database'),
        changedAt: z.date(),
        values: count,
        realms: count,
        policies: count,
        resolvers: z.object({ managed: count, passwd: count, sql: count, ldap: count }),
      })
      .nullable()
      .describe('null without the right `monitoring:config`'),
    storageEncryption: z
      .boolean()
      .nullable()
      .describe(
        'a new secret was found encrypted, a minute ago at most; false, too, while there is no key to encrypt with; null without the right `monitoring:storageEncryption`',
      ),
    resolvers: z
      .array(HEALTH_OF_RESOLVER)
      .nullable()
      .meta({ column: 'Resolvers', description: 'null without the right `system:read`' }),
    responses: z
      .object({
        since: z.date(),
        ...RESPONSES,
        minutes: z.array(z.object({ minute: z.date(), ...RESPONSES })).describe('the last sixty'),
      })
      .nullable()
      .describe(
        'of the last hour, in all realms, with the time that verification took; null without the right `monitoring:metrics`',
      ),
  }),
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
        resolvers: z.array(HEALTH_OF_RESOLVER).meta({ column: 'Resolvers' }),
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

const DONE = z.boolean().describe('true: done');

const firstSteps = operation({
  name: 'installation first-steps',
  does: 'what an installation needs before its first use, and what of it is done',
  right: 'system:read',
  changes: false,
  input: {},
  output: z.object({
    resolver: DONE,
    user: DONE.describe('true: a managed resolver has a user, or a resolver reads them elsewhere'),
    emptyResolver: z
      .string()
      .nullable()
      .describe('a managed resolver for the first user; null: there is none, or a user'),
    realm: DONE,
    answerAddress: DONE.describe('true: a policy names the address of responses (`qrtanurl`)'),
    proposedAddress: z
      .string()
      .nullable()
      .describe('the address of this server by `PUBLIC_URL`; null: not known'),
    token: DONE,
    secondFactor: DONE.describe('true: an administrator has one'),
    backup: DONE.describe('true: the audit records an export, or the setting `BackupElsewhere` is True'),
  }),
  run: (services) => services.overview.firstSteps(),
});

export const INSTALLATION: OperationGroup = {
  name: 'installation',
  about: 'the state of the installation',
  operations: [overview, health, firstSteps],
};
