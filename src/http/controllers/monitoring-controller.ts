import { z } from 'zod';
import type { MonitoringService } from '../../monitoring/monitoring-service.ts';
import { MONITORING_POST_PAGE } from '../endpoint.ts';
import {
  administratorEndpoint,
  type AdministratorSpec,
  type Endpoint,
  type EndpointSpec,
  openEndpoint,
} from '../endpoint-spec.ts';
import { htmlPage, htmlReply } from '../reply.ts';
import { optional } from '../request/parameters.ts';
import { type Answers, count, pageAnswer, valueOf } from '../answers.ts';
import { DOCUMENTED_CONFIGURATION, DOCUMENTED_LICENCE } from '../dialects/documented.ts';
import { LINOTP_CONFIGURATION, LINOTP_ENCRYPTION, LINOTP_LICENCE } from '../dialects/linotp3.ts';
import { ACTIVE_USER_OBJECTS, TOKEN_OBJECTS, USER_OBJECTS } from '../dialects/monitoring-objects.ts';

/** The last parts of the paths, which are LinOTP's. */
type MonitoringPath = 'tokens' | 'userinfo' | 'activeUsers' | 'config' | 'license' | 'storageEncryption';

const EMPTY_HEAD = z.array(z.string()).max(0).describe('names of columns: none');
const USER_ROW = z.tuple([z.string(), z.string(), count]).describe('realm, resolver, number of users');

/** @returns the answers with a table in the documented dialect, which repeats the facts of the objects as rows */
function table(row: z.ZodType, objects: z.ZodType): Answers {
  const result = { head: EMPTY_HEAD, data: z.array(row), value: objects };
  return { documented: { envelope: { result } }, linotp: valueOf(objects) };
}

/** The facts in which the endpoints differ. */
const FACTS: Readonly<Record<MonitoringPath, Pick<EndpointSpec<z.ZodRawShape>, 'summary' | 'answers'>>> = {
  tokens: {
    summary: 'number of tokens by realm and status',
    answers: table(
      z.tuple([z.string(), z.string(), count]).describe('realm or `Summary`, status, number'),
      TOKEN_OBJECTS,
    ),
  },
  userinfo: {
    summary: 'number of users by realm and resolver',
    answers: table(USER_ROW, USER_OBJECTS),
  },
  activeUsers: {
    summary: 'number of users with an active token',
    answers: table(USER_ROW, ACTIVE_USER_OBJECTS),
  },
  config: {
    summary: 'state and synchronisation of the configuration',
    answers: {
      documented: { envelope: { result: { head: EMPTY_HEAD, value: DOCUMENTED_CONFIGURATION } } },
      linotp: valueOf(LINOTP_CONFIGURATION),
    },
  },
  license: {
    summary: 'state of the licence',
    answers: { documented: valueOf(DOCUMENTED_LICENCE), linotp: valueOf(LINOTP_LICENCE) },
  },
  storageEncryption: {
    summary: 'state of the encryption of stored secrets',
    answers: {
      documented: valueOf(z.boolean().describe('true: a secret was stored, read and found encrypted')),
      linotp: valueOf(LINOTP_ENCRYPTION),
    },
  },
};

const REALMS = optional(
  'a comma list of realms, `/:no realm:/` for tokens in none, `*` for all; empty: all permitted',
  'customers,staff',
);
const STATUS = optional(
  'a comma list of `assigned`, `unassigned`, `active`, `inactive`; `&` combines two',
  'assigned,unassigned&inactive',
);

/**
 * @param post `on`: POST, which is deprecated, is still answered
 * @returns the endpoints of /monitoring; they change nothing
 */
export function monitoringEndpoints(monitoring: MonitoringService, post: 'on' | 'off'): Endpoint[] {
  const spec = <Shape extends z.ZodRawShape>(
    name: MonitoringPath,
    shape: Shape,
  ): AdministratorSpec<Shape> => ({
    path: `/monitoring/${name}`,
    ...(post === 'on' ? { methods: ['GET', 'POST'], isPostDeprecated: true } : { methods: ['GET'] }),
    ...FACTS[name],
    requires: `monitoring:${name}`,
    family: 'linotp3',
    usage: `monitoring/${name}:`,
    changesState: false,
    inDialect: { linotp: { repeated: 'first' } },
    parameters: z.object(shape),
  });
  return [
    administratorEndpoint(
      spec('tokens', { realms: REALMS, status: STATUS }),
      async ({ caller, parameters, context, dialect }) => {
        return dialect.monitoring.tokenReport(await monitoring.tokens(caller, parameters), context);
      },
    ),
    administratorEndpoint(
      spec('userinfo', { realms: REALMS }),
      async ({ caller, parameters, context, dialect }) =>
        dialect.monitoring.userReport(await monitoring.userinfo(caller, parameters), context),
    ),
    administratorEndpoint(
      spec('activeUsers', { realms: REALMS }),
      async ({ caller, parameters, context, dialect }) => {
        return dialect.monitoring.activeUserReport(await monitoring.activeUsers(caller, parameters), context);
      },
    ),
    administratorEndpoint(
      // The service requires the right: to do so before it compares would be to notice the change that it reports.
      { ...spec('config', {}), rights: [] },
      async ({ caller, context, dialect }) =>
        dialect.monitoring.configurationReport(await monitoring.config(caller), context),
    ),
    administratorEndpoint(spec('license', {}), async ({ caller, context, dialect }) =>
      dialect.monitoring.licenceReport(await monitoring.licence(caller), context),
    ),
    administratorEndpoint(spec('storageEncryption', {}), async ({ caller, context, dialect }) =>
      dialect.monitoring.storageEncryption(await monitoring.storageEncryption(caller), context),
    ),
  ];
}

/** @returns the page to which the answers to a deprecated POST link */
export function monitoringPostPage(): Endpoint {
  const page = htmlReply(
    Buffer.from(
      htmlPage(
        'POST on /monitoring is deprecated',
        `<h1>POST on /monitoring is deprecated</h1>
<p>Since release 3.2 (15 July 2022) the endpoints of /monitoring are to be read by GET, as they change nothing.
POST still gives the same answers and will go away; once the day is set, answers carry it in the header Sunset.</p>
<p>What to do: send the same parameters by GET in the query string, for instance</p>
<pre>GET /monitoring/tokens?status=assigned&amp;realms=myrealm</pre>`,
      ),
    ),
  );
  return openEndpoint(
    {
      path: MONITORING_POST_PAGE,
      methods: ['GET'],
      summary: 'the page on POST to `/monitoring`, which is deprecated',
      requires: 'nothing',
      answers: pageAnswer('the page'),
      changesState: false,
      parameters: z.object({}),
    },
    () => page,
  );
}
