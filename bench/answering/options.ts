import { parseArgs } from 'node:util';

/** The options of `npm run bench`. */
export interface BenchOptions {
  readonly rounds: number;
  /** Measured seconds of each run. */
  readonly seconds: number;
  readonly connections: readonly number[];
  /** Groups of measures; undefined: all. */
  readonly only: readonly string[] | undefined;
  /** Further variables of the servers. */
  readonly environment: Readonly<Record<string, string>>;
  /** URL of a PostgreSQL on which databases may be created; undefined: an embedded one. */
  readonly database: string | undefined;
  /** `host:port` of a PgBouncer that the servers go through. */
  readonly pgbouncer: string | undefined;
  /** Numbers of server processes; undefined: not asked for. */
  readonly servers: readonly number[] | undefined;
}

/** Reads the command line. @throws when a number or a variable is malformed */
export function readOptions(): BenchOptions {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '1,32,64' },
      only: { type: 'string' },
      env: { type: 'string', multiple: true, default: [] },
      database: { type: 'string' },
      pgbouncer: { type: 'string' },
      servers: { type: 'string' },
    },
  });
  return {
    rounds: positive(values.rounds),
    seconds: positive(values.seconds),
    connections: list(values.connections),
    only: values.only?.split(','),
    environment: Object.fromEntries(values.env.map(variable)),
    database: values.database ?? process.env.BENCH_DATABASE_URL ?? process.env.DATABASE_URL,
    pgbouncer: values.pgbouncer,
    servers: values.servers === undefined ? undefined : list(values.servers),
  };
}

function list(text: string): readonly number[] {
  return text.split(',').map(positive);
}

function positive(text: string): number {
  const number = Number(text);
  if (!(number > 0)) {
    throw new Error(`${text} is not a number above 0`);
  }
  return number;
}

function variable(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([A-Z0-9_]+)=(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new Error(`--env wants NAME=VALUE, not ${text}`);
  }
  return [name, value];
}
