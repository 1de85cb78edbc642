import { z } from 'zod';
import type { MonitoringService } from '../../monitoring/monitoring-service.ts';
import { MONITORING_POST_PAGE } from '../deprecation.ts';
import type { MonitoringDialect } from '../dialects/dialect.ts';
import {
  type AdministratorCall,
  administratorEndpoint,
  type Endpoint,
  openEndpoint,
} from '../endpoint-spec.ts';
import { htmlPage } from '../html.ts';
import { htmlReply, type Reply } from '../reply.ts';

/** What /monitoring needs of the domain. */
export type MonitoringOperations = Pick<
  MonitoringService,
  'tokens' | 'userinfo' | 'activeUsers' | 'config' | 'license' | 'storageEncryption'
>;

const text = z.string().optional();
const byRealms = { realms: text };

/**
 * @param post whether POST, which is deprecated, is still answered
 * @returns the endpoints of /monitoring: counts and states, nothing is changed
 */
export function monitoringEndpoints(
  monitoring: MonitoringOperations,
  dialect: MonitoringDialect,
  post: 'on' | 'off',
): Endpoint[] {
  const endpoint = <Shape extends z.ZodRawShape>(
    name: keyof MonitoringOperations,
    shape: Shape,
    answer: (call: AdministratorCall<z.output<z.ZodObject<Shape>>>) => Promise<Reply>,
  ): Endpoint =>
    administratorEndpoint(
      {
        path: `/monitoring/${name}`,
        methods: post === 'on' ? ['GET', 'POST'] : ['GET'],
        family: 'linotp3',
        usage: `monitoring/${name}:`,
        changesState: false,
        repeated: dialect.repeated,
        parameters: z.object(shape),
      },
      answer,
    );
  return [
    endpoint('tokens', { ...byRealms, status: text }, async ({ caller, parameters, context }) =>
      dialect.tokenReport(await monitoring.tokens(caller, parameters), context),
    ),
    endpoint('userinfo', byRealms, async ({ caller, parameters, context }) =>
      dialect.userReport(await monitoring.userinfo(caller, parameters), context),
    ),
    endpoint('activeUsers', byRealms, async ({ caller, parameters, context }) =>
      dialect.activeUserReport(await monitoring.activeUsers(caller, parameters), context),
    ),
    endpoint('config', {}, async ({ caller, context }) =>
      dialect.configurationReport(await monitoring.config(caller), context),
    ),
    endpoint('license', {}, async ({ caller, context }) =>
      dialect.licenseReport(await monitoring.license(caller), context),
    ),
    endpoint('storageEncryption', {}, async ({ caller, context }) =>
      dialect.storageEncryption(await monitoring.storageEncryption(caller), context),
    ),
  ];
}

/** @returns the page that answers to a deprecated POST link to */
export function monitoringPostPage(): Endpoint {
  const page = htmlPage(
    'POST on /monitoring is deprecated',
    `<h1>POST on /monitoring is deprecated</h1>
<p>Since release 3.2 (15 July 2022) the endpoints of /monitoring are to be read by GET, as they change nothing.
POST still gives the same answers and will go away; once the day is set, answers carry it in the header Sunset.</p>
<p>What to do: send the same parameters by GET in the query string, for instance</p>
<pre>GET /monitoring/tokens?status=assigned&amp;realms=myrealm</pre>`,
  );
  return openEndpoint(
    {
      path: MONITORING_POST_PAGE,
      methods: ['GET'],
      family: 'linotp2',
      usage: '',
      changesState: false,
      parameters: z.object({}),
    },
    () => htmlReply(page),
  );
}
