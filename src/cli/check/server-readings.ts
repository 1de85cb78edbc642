import { z } from 'zod';
import { parseJsonOrUndefined } from '../../kernel/text.ts';
import type { Fetch } from '../dependencies.ts';
import type { Problem, ReadingName, Readings } from './plugin.ts';

/** A server to check. */
interface CheckedServer {
  /** Without a slash at its end. */
  readonly url: string;
  /** An API token with the rights `monitoring:*`; undefined: only its readiness is checked. */
  readonly token: string | undefined;
  readonly signal: AbortSignal;
  /** The time, in milliseconds since 1970. */
  readonly now: number;
}

type ReadingValues = Partial<Record<ReadingName, number>>;

const DAY = 86_400;
const encryptionAnswer = z.object({
  result: z.object({
    status: z.literal(true),
    // By the dialect.
    value: z.union([
      z.boolean(),
      z.object({ encryption: z.boolean() }).transform(({ encryption }) => encryption),
    ]),
  }),
});

/** The answer to everything until the start is over. */
const startingAnswer = z.object({ status: z.literal('starting') });

/**
 * Asks a server for its readiness and, with a token, for its metrics and the encryption of its storage.
 * @throws the error of `fetch` where the server does not answer
 */
export async function readServer(fetch: Fetch, server: CheckedServer): Promise<Readings> {
  const begun = performance.now();
  const { status, text: readiness } = await get(fetch, server, '/readyz');
  const response = (performance.now() - begun) / 1000;
  if (status === 503) {
    const isStarting = startingAnswer.safeParse(parseJsonOrUndefined(readiness)).success;
    const text = isStarting
      ? 'the server is starting'
      : 'the server is not ready: its database does not serve it, as its log says';
    return { values: { response }, problems: [{ state: 'CRITICAL', text }] };
  }
  if (status !== 200) {
    const text = `no tankeeper answers there: /readyz has status ${status}`;
    return { values: { response }, problems: [{ state: 'CRITICAL', text }] };
  }
  if (server.token === undefined) {
    return { values: { response }, problems: [] };
  }
  const [metrics, encryption] = await Promise.all([
    readMetrics(fetch, server),
    checkEncryption(fetch, server),
  ]);
  return {
    values: { response, ...metrics.values },
    problems: [...metrics.problems, ...encryption],
  };
}

async function readMetrics(fetch: Fetch, server: CheckedServer): Promise<Readings> {
  const { status, text } = await get(fetch, server, '/metrics');
  const metrics = new Metrics(text);
  if (status !== 200 || metrics.sum('tankeeper_database_up') === undefined) {
    const refused = `the API token may not read /metrics (status ${status}): it needs the right monitoring:metrics, for all realms`;
    return { values: {}, problems: [{ state: 'UNKNOWN', text: refused }] };
  }
  return { values: valuesOf(metrics, server.now / 1000), problems: problemsOf(metrics) };
}

/** @param now in seconds since 1970 */
function valuesOf(metrics: Metrics, now: number): ReadingValues {
  const sinceOf = (name: string): number | undefined => {
    const at = metrics.sum(name);
    return at === undefined || at === 0 ? undefined : Math.max(0, now - at);
  };
  const expiry = metrics.sum('tankeeper_licence_expiry_timestamp_seconds');
  const found: Readonly<Record<string, number | undefined>> = {
    database: metrics.sum('tankeeper_database_answer_seconds'),
    licence_days: expiry === undefined ? undefined : (expiry - now) / DAY,
    tokens: metrics.sum('tankeeper_tokens'),
    active_tokens: metrics.sum('tankeeper_tokens', 'active="true"'),
    locked_tokens: metrics.sum('tankeeper_locked_tokens'),
    active_users: metrics.sum('tankeeper_active_users'),
    open_challenges: metrics.sum('tankeeper_open_challenges'),
    housekeeping_age: sinceOf('tankeeper_housekeeping_last_round_timestamp_seconds'),
    housekeeping_backlog: metrics.sum('tankeeper_housekeeping_backlog_rows'),
    backup_age: sinceOf('tankeeper_backup_last_export_timestamp_seconds'),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

function problemsOf(metrics: Metrics): readonly Problem[] {
  const down = metrics.labelsOf('tankeeper_resolver_up', 'resolver', 0);
  return [
    ...(metrics.sum('tankeeper_database_up') === 0
      ? [{ state: 'CRITICAL', text: 'the database does not answer within a second' } as const]
      : []),
    ...(metrics.sum('tankeeper_licence_valid') === 0
      ? [{ state: 'CRITICAL', text: 'the licence is not valid' } as const]
      : []),
    ...down.map((name) => ({ state: 'WARNING', text: `the resolver '${name}' is down` }) as const),
  ];
}

async function checkEncryption(fetch: Fetch, server: CheckedServer): Promise<readonly Problem[]> {
  const { status, text } = await get(fetch, server, '/monitoring/storageEncryption');
  const answer = encryptionAnswer.safeParse(parseJsonOrUndefined(text));
  if (!answer.success) {
    const why = `the encryption of the storage could not be checked (status ${status}): the API token needs the right monitoring:storageEncryption`;
    return [{ state: 'UNKNOWN', text: why }];
  }
  return answer.data.result.value
    ? []
    : [{ state: 'CRITICAL', text: 'secrets are stored without encryption' }];
}

async function get(
  fetch: Fetch,
  { url, token, signal }: CheckedServer,
  path: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${url}${path}`, {
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    redirect: 'manual',
    signal,
  });
  return { status: response.status, text: await response.text() };
}

/** Metrics in Prometheus' text format. */
class Metrics {
  readonly #lines: readonly string[];

  constructor(text: string) {
    this.#lines = text.split('\n').filter((line) => line.startsWith('tankeeper_'));
  }

  /** @returns the sum over all series whose labels contain `label`; undefined: there is none */
  sum(name: string, label = ''): number | undefined {
    const values = this.#series(name)
      .filter(({ labels }) => labels.includes(label))
      .map(({ value }) => value);
    return values.length === 0 ? undefined : values.reduce((total, value) => total + value, 0);
  }

  /** @returns the values of a label of the series that have this value */
  labelsOf(name: string, label: string, value: number): readonly string[] {
    return this.#series(name)
      .filter((series) => series.value === value)
      .map(({ labels }) => new RegExp(`${label}="([^"]*)"`).exec(labels)?.[1] ?? '');
  }

  #series(name: string): readonly { readonly labels: string; readonly value: number }[] {
    return this.#lines.flatMap((line) => {
      const rest = line.slice(name.length);
      return line.startsWith(name) && /^[{ ]/.test(rest)
        ? [
            {
              labels: rest.slice(0, rest.lastIndexOf(' ')),
              value: Number(rest.slice(rest.lastIndexOf(' ') + 1)),
            },
          ]
        : [];
    });
  }
}
