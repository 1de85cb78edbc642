import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  addWebhook,
  askEveryEndpoint,
  logIn,
  misplace,
  type PeopleDatabase,
  useResolvers,
} from './canary-endpoints.ts';
import { CanaryClient } from './canary-client.ts';
import {
  addUsers,
  type CanaryInstallation,
  type CanaryServer,
  makeApiToken,
  SERVERS,
  showAudit,
  typeAtPrompt,
  useCommands,
  useOperations,
} from './canary-installation.ts';
import { CanaryLife } from './canary-life.ts';
import { queryOnce } from '../../support/database/test-server.ts';

/** The extent of the story, for checks that it was enough. */
export interface CanaryStory {
  readonly tables: readonly string[];
  /** The servers' exit codes: by SIGTERM, and by a signal at which Node can write a report of its memory. */
  readonly ends: readonly (number | null)[];
  /** A password was typed at a terminal. */
  readonly isTyped: boolean;
}

/** One server, and who lives on it. */
interface Side {
  readonly server: CanaryServer;
  readonly client: CanaryClient;
  readonly life: CanaryLife;
}

/** Runs the life of tokens and administrators on both servers; then asks every endpoint, also in each trouble. */
export async function tellCanaryStory(installation: CanaryInstallation): Promise<CanaryStory> {
  const { marks, evidence } = installation;
  const servers: CanaryServer[] = [];
  for (const settings of SERVERS) {
    servers.push(await installation.serve(settings));
  }
  const bearer = await makeApiToken(installation);
  const people = await makePeople(installation);
  const sides = servers.map((server, index): Side => {
    const { name, port } = server;
    const method = index === 0 ? 'POST' : 'GET';
    const client = new CanaryClient({ name, port, evidence, method, bearer });
    return { server, client, life: new CanaryLife(name, client, marks) };
  });
  for (const { client } of sides.slice(0, 1)) {
    await makeRealms(client);
  }
  const userPassword = await addUsers(installation);
  await Promise.all([
    useCommands(installation),
    ...sides.map((side) => liveOn(side, installation, people, userPassword)),
  ]);
  await askAll(installation, sides, '');
  await installation.addProcesses(servers);
  await inTrouble(installation, sides);
  const isTyped = await typeAtPrompt(installation);
  await showAudit(installation);
  await Promise.all(sides.map(({ client }) => client.send({ path: '/metrics', method: 'GET' })));
  const tables = await installation.addTables();
  const ends = await Promise.all(
    servers.map((server, index) => server.end(index === 0 ? 'SIGTERM' : 'SIGUSR2')),
  );
  for (const server of servers) {
    evidence.add(`log ${server.name}`, server.output);
  }
  return { tables, isTyped, ends };
}

async function liveOn(
  { server, client, life }: Side,
  { marks, adminPassword }: CanaryInstallation,
  people: PeopleDatabase,
  userPassword: string,
): Promise<void> {
  await logIn(client, marks, adminPassword);
  await life.live(userPassword);
  await useResolvers(server.name, client, marks, people);
  await addWebhook(`${server.name}-hook`, client, marks);
  await misplace(client, marks);
}

/** Makes realms, each with a resolver of the same name; in one of them the user's password precedes responses. */
async function makeRealms(client: CanaryClient): Promise<void> {
  for (const name of ['staff', 'passwords']) {
    await client.send({ path: '/system/setResolver', parameters: { name, type: 'managed' } });
    await client.send({ path: '/system/setRealm', parameters: { realm: name, resolvers: name } });
  }
  const policies = [
    { name: 'pins', scope: 'authentication', action: 'otppin=1', realm: 'passwords' },
    { name: 'self', scope: 'selfservice', action: 'show', realm: '*' },
    // Whatever policies the examples of schemas make, the administrator keeps the rights.
    ...['admin', 'system', 'monitoring', 'ocra'].map((scope) => ({
      name: scope,
      scope,
      action: '*',
      realm: '*',
    })),
  ];
  for (const policy of policies) {
    await client.send({ path: '/system/setPolicy', parameters: { ...policy, user: '*' } });
  }
}

/** Makes users in a table, in the same database under another name. */
async function makePeople({ url, proxy }: CanaryInstallation): Promise<PeopleDatabase> {
  await queryOnce(url, 'CREATE TABLE people (id integer, login text, password text)');
  await queryOnce(url, `INSERT INTO people (id, login) VALUES (1, 'zoe')`);
  const { hostname, port, pathname, username } = new URL(proxy.url);
  return { server: hostname, port, database: pathname.slice(1), user: username };
}

/** Makes what the schemas name as examples, and sends every secret that they mark, to both servers and by commands. */
async function askAll(
  installation: CanaryInstallation,
  sides: readonly Side[],
  trouble: string,
): Promise<void> {
  for (const [index, { client, life }] of sides.entries()) {
    client.trouble = trouble;
    for (const [path, parameters] of [
      ['/system/setRealm', { realm: 'customers', resolvers: 'staff' }],
      ['/system/setRealm', { realm: 'office', resolvers: 'staff' }],
      ['/admin/init', { serial: 'QR1', genkey: '1', user: 'alice', realm: 'customers' }],
    ] as const) {
      await client.send({ path, parameters });
    }
    await askEveryEndpoint(
      client,
      installation.marks,
      SERVERS[index]?.dialect ?? 'documented',
      trouble === '',
    );
    await life.goOn();
    await makeRealms(client);
  }
  await useOperations(installation);
}

async function inTrouble(installation: CanaryInstallation, sides: readonly Side[]): Promise<void> {
  await withRefusingTables(installation, () => askAll(installation, sides, 'refused by the database'));
  await withLockedTables(installation, () => Promise.all(sides.map(({ life }) => life.goOn('locked'))));
  await installation.proxy.cut();
  await askAll(installation, sides, 'away');
  await installation.proxy.restore();
  for (const { client } of sides) {
    while ((await client.send({ path: '/readyz', method: 'GET' })).status !== 200) {
      await sleep(100);
    }
    // An address that no exemption from limits covers.
    client.headers = { 'x-forwarded-for': '203.0.113.7' };
  }
  await askAll(installation, sides, 'beyond the limits');
}

/** Makes each written row fail, with PostgreSQL quoting it in its error message. */
async function withRefusingTables({ url }: CanaryInstallation, work: () => Promise<unknown>): Promise<void> {
  const tables = await queryOnce<{ name: string }>(
    url,
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace
       AND relname NOT IN ('rate_limits', 'people')`,
  );
  const alter = async (change: string): Promise<void> => {
    for (const { name } of tables) {
      await queryOnce(url, `ALTER TABLE ${name} ${change}`);
    }
  };
  await alter('ADD CONSTRAINT canary CHECK (false) NOT VALID');
  await work();
  await alter('DROP CONSTRAINT canary');
}

/** Makes statements wait until they time out. */
async function withLockedTables({ url }: CanaryInstallation, work: () => Promise<unknown>): Promise<void> {
  const holder = new pg.Client({ connectionString: url });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE tokens, challenges IN ACCESS EXCLUSIVE MODE');
  await work();
  await holder.end();
}
