import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { CanaryAdministration, type PeopleDatabase } from './canary-administration.ts';
import { administerSystem } from './canary-system.ts';
import { CanaryClient } from './canary-client.ts';
import {
  addUsers,
  failCommands,
  makeApiToken,
  showAudit,
  typeAtPrompt,
  useCommands,
} from './canary-installation.ts';
import { CanaryInstallation, type CanaryServer, SERVERS } from './canary-installation.ts';
import { CanaryLife } from './canary-life.ts';
import { queryOnce } from '../../support/database/test-server.ts';

/** The servers' answers in each of the troubles: statuses with their numbers. */
type Troubles = Readonly<Record<string, Readonly<Record<number, number>>>>;

/** The extent of the story, for checks that it was enough. */
export interface CanaryStory {
  readonly installation: CanaryInstallation;
  readonly troubles: Troubles;
  readonly tables: readonly string[];
  /** The servers' exit codes: by SIGTERM, and by a signal at which Node can write a report of its memory. */
  readonly ends: readonly (number | null)[];
  /** A password was typed at a terminal. */
  readonly isTyped: boolean;
}

const LOOK_EVERY_MS = 1_000;
/** Paths whose requests change tokens. */
const ABOUT_TOKENS = /^\/(?:ocra|validate|admin\/(?:init|set|assign|resync))/;
/** A client address that no exemption from limits covers. */
const STRANGER = { 'x-forwarded-for': '203.0.113.7' };

/** Runs the whole life of tokens and administrators on both servers, then all of it again in each trouble. */
export async function tellCanaryStory(installation: CanaryInstallation): Promise<CanaryStory> {
  const servers: CanaryServer[] = [];
  for (const settings of SERVERS) {
    servers.push(await installation.serve(settings));
  }
  const bearer = await makeApiToken(installation);
  const people = await makePeople(installation);
  const clients = servers.map((server, index) => {
    const method = index === 0 ? 'POST' : 'GET';
    const client = new CanaryClient({ ...pick(server), evidence: installation.evidence, method });
    client.authenticate(bearer);
    return client;
  });
  await Promise.all(clients.slice(0, 1).map(makeRealms));
  const userPassword = await addUsers(installation);
  const watching = new AbortController();
  const watched = watch(installation, servers, watching.signal);
  await Promise.all([
    useCommands(installation),
    ...clients.map((client, index) =>
      liveOn(servers[index]?.name ?? '', client, { installation, people, userPassword }),
    ),
  ]);
  const troubles = await inTrouble(installation, clients);
  watching.abort();
  await watched;
  const isTyped = await typeAtPrompt(installation);
  await showAudit(installation);
  await Promise.all(clients.map((client) => client.send({ path: '/metrics', method: 'GET' })));
  const tables = await installation.addTables();
  return { installation, troubles, tables, isTyped, ends: await endAll(installation, servers) };
}

function pick({ name, port }: CanaryServer): { readonly name: string; readonly port: number } {
  return { name, port };
}

async function liveOn(
  name: string,
  client: CanaryClient,
  {
    installation,
    people,
    userPassword,
  }: { installation: CanaryInstallation; people: PeopleDatabase; userPassword: string },
): Promise<void> {
  const { marks, adminPassword } = installation;
  const administration = new CanaryAdministration(name, client, marks, adminPassword);
  await administration.logIn();
  const life = new CanaryLife(name, client, marks);
  life.userPassword = userPassword;
  await life.live();
  await administration.loadTokens();
  await administration.setResolvers(people);
  await administerSystem(name, client, marks);
  await administration.configure();
  await administration.misplace();
}

/** Makes realms, each with a resolver of the same name; in one of them the user's password precedes responses. */
async function makeRealms(client: CanaryClient): Promise<void> {
  for (const name of ['staff', 'passwords']) {
    await client.send({ path: '/system/setResolver', parameters: { name, type: 'managed' } });
    await client.send({ path: '/system/setRealm', parameters: { realm: name, resolvers: name } });
  }
  const policy = { name: 'pins', scope: 'authentication', action: 'otppin=1', realm: 'passwords', user: '*' };
  await client.send({ path: '/system/setPolicy', parameters: policy });
}

/** Makes users in a table, in the same database under another name. */
async function makePeople({ url, proxy }: CanaryInstallation): Promise<PeopleDatabase> {
  await queryOnce(url, 'CREATE TABLE people (id integer, login text, password text)');
  await queryOnce(url, `INSERT INTO people (id, login) VALUES (1, 'zoe')`);
  const { hostname, port, pathname, username } = new URL(proxy.url);
  return { server: hostname, port, database: pathname.slice(1), user: username };
}

/** Reads the processes repeatedly: data that one shows for a moment only is found, too. */
async function watch(
  installation: CanaryInstallation,
  servers: readonly CanaryServer[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await installation.addProcesses(servers);
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function inTrouble(
  installation: CanaryInstallation,
  clients: readonly CanaryClient[],
): Promise<Troubles> {
  const repeat = async (...given: Parameters<CanaryClient['repeat']>): Promise<Record<number, number>> => {
    const statuses = await Promise.all(clients.map((client) => client.repeat(...given)));
    const counts: Record<number, number> = {};
    for (const status of statuses.flat()) {
      counts[status] = (counts[status] ?? 0) + 1;
    }
    return counts;
  };
  const limits = await repeat('beyond the limits', { headers: STRANGER });
  const refusing = await withRefusingTables(installation, () => repeat('refused by the database'));
  const locked = await withLockedTables(installation, () =>
    repeat('locked', { only: ABOUT_TOKENS, every: 3 }),
  );
  await installation.proxy.cut();
  const [away] = await Promise.all([repeat('away'), failCommands(installation)]);
  await installation.proxy.restore();
  for (const client of clients) {
    while ((await client.send({ path: '/readyz', method: 'GET' })).status !== 200) {
      await sleep(100);
    }
  }
  return { limits, refusing, locked, away };
}

/** Makes each written row fail, with PostgreSQL quoting it in its error message. */
async function withRefusingTables<Value>(
  installation: CanaryInstallation,
  work: () => Promise<Value>,
): Promise<Value> {
  const { url } = installation;
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
  try {
    const value = await work();
    await failCommands(installation);
    return value;
  } finally {
    await alter('DROP CONSTRAINT canary');
  }
}

/** Makes statements wait until they time out. */
async function withLockedTables<Value>(
  { url }: CanaryInstallation,
  work: () => Promise<Value>,
): Promise<Value> {
  const holder = new pg.Client({ connectionString: url });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE tokens, challenges IN ACCESS EXCLUSIVE MODE');
  try {
    return await work();
  } finally {
    await holder.end();
  }
}

async function endAll(
  { evidence }: CanaryInstallation,
  servers: readonly CanaryServer[],
): Promise<readonly (number | null)[]> {
  const ends = await Promise.all(
    servers.map((server, index) => server.end(index === 0 ? 'SIGTERM' : 'SIGUSR2')),
  );
  for (const server of servers) {
    evidence.add(`log ${server.name}`, server.output);
  }
  return ends;
}
