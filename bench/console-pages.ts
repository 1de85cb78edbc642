import { join } from 'node:path';
import { parseArgs } from 'node:util';

import pg from 'pg';

import { closingOnce, openBenchCluster } from './bench-cluster.ts';
import { type BenchServer, startBenchServer } from './bench-server.ts';
import { HttpProbe } from './http-probe.ts';
import { benchCommand, publishResults, type ResultTable } from './result-page.ts';
import { range } from './sample-statistics.ts';
import { fillTokens } from './token-fill.ts';

/** `npm run bench:console -- --tokens 1000000`: see docs/benchmarks.md. */

const USERS = 300_000;
const REALMS = 20;
/** The rare tokens: locked, in a realm of their own whose serials are the last ones. */
const RARE = 30;
/** Rows of the audit trail, one a token at most, over two months. */
const AUDIT_ROWS = 1_000_000;
const MAX_MS = 1_000;

/** A request of the console. */
interface Kind {
  readonly name: string;
  readonly path: string;
  /** The administrator; default: one with every right. */
  readonly bound?: 'realm' | 'rare';
  /** True if the answer has this text: a quick answer that is wrong is worth nothing. */
  readonly has: string;
}

const TOKENS = '/admin/tokens?';
const AUDIT = '/audit/search?';
const KINDS: readonly Kind[] = [
  { name: 'tokens: all', path: TOKENS, has: '"serial":"QR000000001"' },
  { name: 'tokens: far back', path: `${TOKENS}cursor=QR000900000`, has: '"serial":"QR000900001"' },
  { name: 'tokens: the last ones', path: `${TOKENS}sortdir=desc`, has: 'ZZ000000030' },
  {
    name: 'tokens: backwards from far back, in a realm, with names',
    path: `${TOKENS}sortdir=desc&realm=realm7&cursor=QR000500000&names=1`,
    has: '"realm7"',
  },
  { name: 'tokens: a realm', path: `${TOKENS}realm=realm7`, has: '"realm7"' },
  { name: 'tokens: the rare realm', path: `${TOKENS}realm=rare`, has: 'ZZ000000001' },
  { name: 'tokens: inactive', path: `${TOKENS}status=inactive`, has: '"active":false' },
  {
    name: 'tokens: inactive and unassigned',
    path: `${TOKENS}status=inactive,unassigned`,
    has: '"owner":null',
  },
  { name: 'tokens: locked (rare)', path: `${TOKENS}status=locked`, has: 'ZZ000000001' },
  {
    name: 'tokens: locked in a realm with none',
    path: `${TOKENS}status=locked&realm=realm7`,
    has: '"tokens":[]',
  },
  { name: 'tokens: in no realm', path: `${TOKENS}realm=/:no%20realm:/`, has: '"realms":[]' },
  { name: 'tokens: serial', path: `${TOKENS}serial=qr0009999`, has: 'QR000999900' },
  {
    name: 'tokens: serial and inactive',
    path: `${TOKENS}serial=qr0009&status=inactive`,
    has: '"active":false',
  },
  { name: 'tokens: an owner', path: `${TOKENS}user=user77&userrealm=realm18`, has: '"tokens":[' },
  { name: 'tokens: bound to a realm', path: TOKENS, bound: 'realm', has: '"realm7"' },
  {
    name: 'tokens: bound, inactive',
    path: `${TOKENS}status=inactive`,
    bound: 'realm',
    has: '"active":false',
  },
  { name: 'tokens: bound, locked', path: `${TOKENS}status=locked`, bound: 'realm', has: '"tokens":[]' },
  { name: 'tokens: bound to the rare realm', path: TOKENS, bound: 'rare', has: 'ZZ000000001' },
  { name: 'search: serial', path: '/admin/search?text=qr00050', has: 'QR000500000' },
  { name: 'search: one letter', path: '/admin/search?text=q', has: 'QR000000001' },
  { name: 'search: a login', path: '/admin/search?text=user7777', has: '"user7777"' },
  { name: 'search: a beginning of all logins', path: '/admin/search?text=user', has: '"more":true' },
  { name: 'search: two names', path: '/admin/search?text=given77777%20surname', has: '"user77777"' },
  { name: 'search: bound to the rare realm', path: '/admin/search?text=q', bound: 'rare', has: '"hits":[]' },
  { name: 'search: nothing', path: '/admin/search?text=nothing-of-this-kind', has: '"hits":[]' },
  {
    name: 'people: a text in any field',
    path: '/admin/userlist?realm=realm7&search=user777',
    has: '"user777',
  },
  { name: 'person', path: '/admin/person?user=user77&realm=realm18', has: '"user":"user77"' },
  { name: 'token', path: '/admin/token?serial=QR000500000', has: '"QR000500000"' },
  { name: 'overview', path: '/admin/overview?', has: '"realm7"' },
  { name: 'overview: bound to a realm', path: '/admin/overview?', bound: 'realm', has: '"tokens"' },
  { name: 'rights', path: '/admin/rights?', has: '"admin"' },
  { name: 'audit: newest', path: AUDIT, has: '"ocra/check_t"' },
  { name: 'audit: a token', path: `${AUDIT}serial=QR000777777`, has: '"QR000777777"' },
  { name: 'audit: a transaction', path: `${AUDIT}transactionid=bench777777`, has: '"bench777777"' },
  { name: 'audit: wrong responses', path: `${AUDIT}outcome=wrong`, has: '"wrong"' },
  { name: 'audit: of a month ago', path: `${AUDIT}until=30D`, has: '"ocra/check_t"' },
  { name: 'audit: a client unknown', path: `${AUDIT}client=203.0.113.9`, has: '"rows":[]' },
  { name: 'audit: bound to the rare realm', path: AUDIT, bound: 'rare', has: '"rows":[]' },
  { name: 'policies', path: '/system/getPolicy?', has: '"realm-desk"' },
  { name: 'explanation', path: '/system/explainPolicy?administrator=realm-desk', has: '"realm7"' },
  { name: 'realms', path: '/system/getRealms?', has: '"realm7"' },
  { name: 'resolvers', path: '/system/getResolvers?', has: '"people7"' },
  { name: 'settings', path: '/system/settings?', has: '"key"' },
  { name: 'keys, not counted', path: '/system/keys?', has: '"keyid"' },
  { name: 'licence', path: '/system/licence?', has: 'status' },
  { name: 'webhooks', path: '/system/webhooks?', has: 'status' },
  { name: 'administrators', path: '/admin/administrators?', has: '"realm-desk"' },
  { name: 'sessions', path: '/admin/sessions?administrator=*', has: 'status' },
];

const { values: flags } = parseArgs({
  options: {
    tokens: { type: 'string', default: '1000000' },
    requests: { type: 'string', default: '20' },
  },
});
process.exitCode = (await run(Number(flags.tokens), Number(flags.requests))) ? 0 : 1;

async function run(tokens: number, requests: number): Promise<boolean> {
  const cluster = await openBenchCluster(process.env.BENCH_DATABASE_URL, false);
  let server: BenchServer | undefined;
  const close = closingOnce(async () => {
    await server?.stop();
    await cluster.close();
  });
  try {
    const url = await cluster.createDatabase('console');
    await fill(url, tokens);
    server = await startBenchServer(url, join(cluster.folder, 'server'), {
      rights: '*',
      environment: { LIMIT_CLIENT_REQUESTS: '1000000' },
    });
    const probes = await probesOf(server);
    const rows: { readonly kind: Kind; readonly times: readonly number[] }[] = [];
    for (const kind of KINDS) {
      rows.push({ kind, times: await times(probes[kind.bound ?? 'all'], kind, requests) });
    }
    const isKept = rows.every((row) => Math.max(...row.times) <= MAX_MS);
    await publishResults({
      name: 'console',
      title: 'Pages of the console',
      command: benchCommand('bench:console'),
      measures:
        'Response times of what the console asks for: [Benchmarks](../benchmarks.md#pages-of-the-console).',
      software: `PostgreSQL ${cluster.version}`,
      sections: [
        `${tokens} tokens, ${USERS} managed users, ${REALMS} realms, ${AUDIT_ROWS} rows of the audit, ${requests} requests of each kind, one at a time.`,
        timesTable(rows),
        `- ${isKept ? 'PASS' : 'FAIL'}: no request takes more than ${MAX_MS} ms`,
      ],
    });
    return isKept;
  } finally {
    await close();
  }
}

/** Adds, to the usual tokens, rare ones that come last by serial. */
async function fill(url: string, tokens: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await fillTokens(client, { tokens, users: USERS, realms: REALMS });
    await client.query(`
      INSERT INTO realms (name) VALUES ('rare');
      INSERT INTO tokens (serial, type, active, realm_set_id, fail_count, ocra_suite, seed)
      SELECT 'ZZ' || lpad(n::text, 9, '0'), 'ocra2', true, intern_realm_set(ARRAY[r.id]), 10, 'OCRA-1:HOTP-SHA256-8:C-QA64',
        decode(repeat('5a', 64), 'hex')
      FROM generate_series(1, ${RARE}) AS n, realms r WHERE r.name = 'rare'`);
    // By no writer of a server, without digests: searches do not verify.
    await client.query(`
      INSERT INTO audit (id, at, actor, action, subject, realm, outcome, client, request_id, transaction_id, writer, lane,
        seq, prev_hash, hash, signature)
      SELECT n, now() - (${AUDIT_ROWS} - n) * interval '60 days' / ${AUDIT_ROWS}, '', 'ocra/check_t',
        'QR' || lpad(n::text, 9, '0'), 'realm' || 1 + n % ${REALMS},
        CASE WHEN n % 50 = 0 THEN 'wrong' ELSE 'accepted' END, '192.0.2.' || n % 250, md5(n::text), 'bench' || n,
        0, 0, n, '', '', ''
      FROM generate_series(1, ${AUDIT_ROWS}) AS n;
      ANALYZE`);
  } finally {
    await client.end();
  }
}

/** @returns clients with every right, and with those of one realm */
async function probesOf(server: BenchServer): Promise<Readonly<Record<'all' | 'realm' | 'rare', HttpProbe>>> {
  const policy = (name: string, user: string, realm: string): Promise<void> =>
    server.run([
      'policy',
      'set',
      name,
      '--scope',
      'admin',
      '--action',
      '*',
      '--user',
      user,
      '--realm',
      realm,
    ]);
  await policy('all', 'admin', '*');
  await policy('realm', 'realm-desk', 'realm7');
  await policy('rare', 'rare-desk', 'rare');
  return {
    all: new HttpProbe(server.baseUrl, server.apiToken),
    realm: new HttpProbe(server.baseUrl, await server.addAdministrator('realm-desk')),
    rare: new HttpProbe(server.baseUrl, await server.addAdministrator('rare-desk')),
  };
}

async function times(probe: HttpProbe, kind: Kind, requests: number): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let request = 0; request < requests; request += 1) {
    const { milliseconds, body } = await probe.ask(kind.path);
    if (!JSON.stringify(JSON.parse(body)).includes(kind.has)) {
      throw new Error(`${kind.name} was answered ${body.slice(0, 1_000)}`);
    }
    taken.push(milliseconds);
  }
  return taken;
}

function timesTable(
  rows: readonly { readonly kind: Kind; readonly times: readonly number[] }[],
): ResultTable {
  const kinds = rows.map(({ kind, times: all }) => {
    const sorted = [...all].sort((one, other) => one - other);
    const [page = '', request = ''] = kind.name.split(': ');
    return { page, request, middle: sorted[Math.floor(sorted.length / 2)] ?? 0, most: sorted.at(-1) ?? 0 };
  });
  return {
    head: ['page', 'medians, ms', 'slowest, ms', 'of the request'],
    rows: [...new Set(kinds.map(({ page }) => page))].map((page) => {
      const own = kinds.filter((kind) => kind.page === page);
      const most = Math.max(...own.map((kind) => kind.most));
      const medians = [...new Set(range(own.map(({ middle }) => middle)).map((value) => value.toFixed(1)))];
      return [
        page,
        medians.join('–'),
        most.toFixed(1),
        own.find((kind) => kind.most === most)?.request ?? '',
      ];
    }),
  };
}
