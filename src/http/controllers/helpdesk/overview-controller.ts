import { z } from 'zod';
import { RESPONSE_REASONS } from '../../../challenges/challenge.ts';
import { RESOLVER_KINDS } from '../../../configuration/configuration.ts';
import type { LicenceReport } from '../../../monitoring/reports.ts';
import type {
  Overview,
  ResolverHealth,
  ResponseNumbers,
  ResponseOverview,
} from '../../../monitoring/overview.ts';

import type { OverviewService } from '../../../monitoring/overview-service.ts';
import { count, inEveryDialect, type Shown, timeOf, valueOf } from '../../answers.ts';
import { licenceSentence } from '../../dialects/monitoring-objects.ts';
import { unlessKnown } from '../../reply.ts';
import { ownAnswerAddress } from '../../../challenges/enrolment/enrolment-service.ts';
import { administratorEndpoint, type Endpoint, valueReading } from '../../endpoint-spec.ts';

const TIME = z.iso.datetime();
const REALM = z.string().describe('the realm, `/:no realm:/` for tokens in none');
const MILLISECONDS = z.number().nonnegative().nullable().describe('milliseconds; null without responses');

const NUMBERS = {
  total: count,
  active: count,
  inactive: count,
  assigned: count,
  unassigned: count,
  locked: count,
};
const RESPONSES = {
  outcomes: z
    .partialRecord(
      z.enum(RESPONSE_REASONS.map((reason) => reason.replace(' ', '_')) as [string, ...string[]]),
      count,
    )
    .describe('the numbers of those that there were'),
  p50_ms: MILLISECONDS,
  p95_ms: MILLISECONDS,
};

const OVERVIEW = z.strictObject({
  tokens: z
    .strictObject({
      realms: z.array(z.strictObject({ realm: REALM, ...NUMBERS })),
      summary: z.strictObject(NUMBERS).describe('all these realms; a token in several of them counts once'),
    })
    .nullable()
    .describe('null without the right `monitoring:tokens`'),
  active_users: z
    .strictObject({
      realms: z.array(z.strictObject({ realm: REALM, users: count })),
      total: count.describe('users with an active token, each once'),
    })
    .nullable()
    .describe('null without the right `monitoring:activeUsers`'),
  users: z
    .array(
      z.strictObject({
        resolver: z.string(),
        realms: z.array(z.string()).describe('the shown realms that use it'),
        users: count.nullable().describe('null: never counted with its present settings'),
        counted: TIME.nullable().describe('the time of the count; null: the number is the present one'),
      }),
    )
    .nullable()
    .describe('null without the right `monitoring:userinfo`'),
  licence: z
    .strictObject({
      state: z.enum(['none', 'valid', 'invalid']),
      explanation: z.string().nullable().describe('why it is invalid'),
      unit: z.enum(['user', 'token']).nullable(),
      licensed: count.nullable(),
      active: count.nullable(),
      ends: TIME.nullable().describe('the first instant at which it is no longer valid'),
    })
    .nullable()
    .describe('null without the right `monitoring:license`'),
  configuration: z
    .strictObject({
      in_sync: z.boolean().describe('this server uses the configuration of the database'),
      changed: TIME,
      values: count,
      realms: count,
      policies: count,
      resolvers: z.strictObject({ managed: count, passwd: count, sql: count, ldap: count }),
    })
    .nullable()
    .describe('null without the right `monitoring:config`'),
  storage_encryption: z
    .boolean()
    .nullable()
    .describe(
      'a new secret was found encrypted, a minute ago at most; false, too, while there is no key to encrypt with; null without the right `monitoring:storageEncryption`',
    ),
  resolvers: z
    .array(
      z.strictObject({
        resolver: z.string(),
        kind: z.enum(RESOLVER_KINDS),
        state: z.enum(['available', 'unavailable', 'unknown']).describe('at its last use by any server'),
        succeeded: TIME.nullable(),
        failed: TIME.nullable(),
      }),
    )
    .nullable()
    .describe('null without the right `system:read`'),
  responses: z
    .strictObject({
      since: TIME,
      ...RESPONSES,
      minutes: z.array(z.strictObject({ minute: TIME, ...RESPONSES })).describe('the last sixty'),
    })
    .nullable()
    .describe(
      'of the last hour, in all realms, with the time that verification took; null without the right `monitoring:metrics`',
    ),
});

type ShownOverview = Shown<typeof OVERVIEW>;

const SOME_TOKENS = { total: 3, active: 2, inactive: 1, assigned: 2, unassigned: 1, locked: 0 };
const SOME_RESPONSES = { outcomes: { accepted: 41, wrong: 2 }, p50_ms: 6.5, p95_ms: 18.2 };

const EXAMPLE: ShownOverview = {
  tokens: { realms: [{ realm: 'customers', ...SOME_TOKENS }], summary: SOME_TOKENS },
  active_users: { realms: [{ realm: 'customers', users: 2 }], total: 2 },
  users: [{ resolver: 'directory', realms: ['customers'], users: 120, counted: '2026-11-20T11:58:00.000Z' }],
  licence: {
    state: 'none',
    explanation: null,
    unit: null,
    licensed: null,
    active: null,
    ends: null,
  },
  configuration: null,
  storage_encryption: true,
  resolvers: null,
  responses: {
    since: '2026-11-20T11:01:00.000Z',
    ...SOME_RESPONSES,
    minutes: [{ minute: '2026-11-20T11:01:00.000Z', ...SOME_RESPONSES }],
  },
};

export function overviewEndpoints(
  overview: OverviewService,
  config: { readonly publicUrl?: string | undefined },
): Endpoint[] {
  return [overviewEndpoint(overview), firstStepsEndpoint(overview, config)];
}

function overviewEndpoint(overview: OverviewService): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/overview',
      methods: ['GET', 'POST'],
      summary: 'the state of the installation at a glance; each part takes a right of its own',
      requires: 'credential',
      answers: inEveryDialect({
        others: [
          { status: 304, meaning: 'nothing has changed since the answer with the tag in `If-None-Match`' },
        ],
        ...valueOf(OVERVIEW, { example: { value: EXAMPLE } }),
      }),
      answerHeaders: {
        ETag: 'the version of the answer: sent in `If-None-Match`, it is answered with 304 until there is another',
      },
      changesState: false,
      parameters: z.object({}),
    },
    async ({ caller, context, dialect, ifNoneMatch }) => {
      const read = await overview.read(caller, { isAskedAgain: ifNoneMatch !== undefined });
      return unlessKnown(dialect.administration.value(shownOverview(read), context), ifNoneMatch);
    },
  );
}

const DONE = z.boolean().describe('true: done');

function firstStepsEndpoint(
  overview: OverviewService,
  { publicUrl }: { readonly publicUrl?: string | undefined },
): Endpoint {
  return valueReading(
    {
      path: '/system/firststeps',
      summary: 'what an installation needs before its first use, and what of it is done',
      value: z.strictObject({
        resolver: DONE,
        realm: DONE,
        address: DONE.describe('true: a policy names the address of responses (`qrtanurl`)'),
        proposed: z
          .string()
          .nullable()
          .describe('the address of this server by `PUBLIC_URL`; null: not known'),
        token: DONE,
        second_factor: DONE.describe('true: an administrator has one'),
        backup: DONE.describe('true: the audit records an export'),
      }),
      parameters: {},
    },
    async () => {
      const { secondFactor, ...steps } = await overview.firstSteps();
      return { ...steps, second_factor: secondFactor, proposed: ownAnswerAddress(publicUrl) };
    },
  );
}

function shownOverview(overview: Overview): ShownOverview {
  const { tokens, activeUsers, users, licence, configuration, storageEncryption } = overview;
  return {
    tokens,
    active_users: activeUsers,
    users:
      users?.map(({ resolver, realms, users: number, countedAt }) => ({
        resolver,
        realms,
        users: number,
        counted: timeOf(countedAt),
      })) ?? null,
    licence: licence && shownLicence(licence),
    configuration: configuration && {
      in_sync: configuration.sync,
      changed: configuration.changedAt.toISOString(),
      values: configuration.values,
      realms: configuration.realms,
      policies: configuration.policies,
      resolvers: configuration.resolvers,
    },
    storage_encryption: storageEncryption,
    resolvers: overview.resolvers?.map(shownResolver) ?? null,
    responses: overview.responses && shownResponses(overview.responses),
  };
}

function shownLicence(report: LicenceReport): ShownOverview['licence'] {
  const licence = report.kind === 'none' ? undefined : report.licence;
  return {
    state: report.kind,
    explanation: report.kind === 'invalid' ? licenceSentence(report, 'en') : null,
    unit: licence?.unit ?? null,
    licensed: licence?.licensed ?? null,
    active: 'active' in report ? report.active : null,
    ends: timeOf(licence?.endsAt ?? null),
  };
}

function shownResolver({
  resolver,
  kind,
  state,
  succeededAt,
  failedAt,
}: ResolverHealth): NonNullable<ShownOverview['resolvers']>[number] {
  return { resolver, kind, state, succeeded: timeOf(succeededAt), failed: timeOf(failedAt) };
}

function shownResponses({ since, minutes, ...all }: ResponseOverview): ShownOverview['responses'] {
  return {
    since: since.toISOString(),
    ...shownNumbers(all),
    minutes: minutes.map(({ minute, ...numbers }) => ({
      minute: minute.toISOString(),
      ...shownNumbers(numbers),
    })),
  };
}

function shownNumbers({ outcomes, p50, p95 }: ResponseNumbers): Shown<z.ZodObject<typeof RESPONSES>> {
  return {
    outcomes: Object.fromEntries(
      Object.entries(outcomes).map(([outcome, number]) => [outcome.replace(' ', '_'), number]),
    ),
    p50_ms: p50,
    p95_ms: p95,
  };
}
