import { Gauge, type Registry } from 'prom-client';
import type { InstallationState } from './installation-state.ts';
import { NO_REALM } from './monitoring-query.ts';

type Fill = (gauge: Gauge, state: InstallationState) => void;

interface GaugeSpec {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  /** Sets the values. A value that is not set has no series. */
  readonly fill: Fill;
}

const DATABASE_UP = {
  name: 'tankeeper_database_up',
  help: 'Whether the database answered this scrape within a second, with the tables of this program: 1 or 0. Without an answer, the installation has no values',
};

/**
 * Adds metrics of the installation, which all servers of a database share: to be combined by `max`, not by a sum.
 * @param read returns undefined where the database does not answer
 */
export function measureInstallation(
  registry: Registry,
  read: () => Promise<InstallationState | undefined>,
): void {
  const registers = [registry];
  new Gauge({
    ...DATABASE_UP,
    registers,
    async collect() {
      this.set((await read()) === undefined ? 0 : 1);
    },
  });
  for (const { fill, labelNames = [], ...spec } of SPECS) {
    new Gauge({
      ...spec,
      labelNames: [...labelNames],
      registers,
      async collect() {
        const state = await read();
        this.reset();
        if (labelNames.length === 0) {
          // A gauge without labels begins with 0.
          this.remove();
        }
        if (state !== undefined) {
          fill(this, state);
        }
      },
    });
  }
}

/**
 * Adds the findings of the health page.
 * @param read returns none where the database does not answer
 */
export function measureFindings(
  registry: Registry,
  read: () => Promise<readonly { readonly code: string; readonly severity: string }[]>,
): void {
  new Gauge({
    name: 'tankeeper_findings',
    help: 'Findings of the health page: those of `tankeeper doctor` that a server can tell',
    labelNames: ['code', 'severity'],
    registers: [registry],
    async collect() {
      const findings = await read();
      this.reset();
      for (const { code, severity } of findings) {
        this.inc({ code, severity });
      }
    },
  });
}

const forRealms =
  (amount: (row: RealmRow) => number): Fill =>
  (gauge, state) => {
    for (const row of realmRows(state)) {
      gauge.set({ realm: row.realm }, amount(row));
    }
  };

const seconds = (at: Date): number => at.getTime() / 1000;

const REALM_HELP = 'one series for each of the 100 largest, `(other)` for the others, `/:no realm:/`';

const SPECS: readonly GaugeSpec[] = [
  {
    name: 'tankeeper_database_answer_seconds',
    help: 'Time of the database for the metrics of the installation, at its last answer',
    fill: (gauge, { duration }) => {
      gauge.set(duration);
    },
  },
  {
    name: 'tankeeper_tokens',
    help: 'Tokens, each once',
    labelNames: ['active', 'assigned'],
    fill: (gauge, { counts }) => {
      for (const active of [true, false]) {
        for (const assigned of [true, false]) {
          const rows = counts.tokens.filter((row) => row.active === active && row.assigned === assigned);
          gauge.set({ active: String(active), assigned: String(assigned) }, sum(rows));
        }
      }
    },
  },
  {
    name: 'tankeeper_locked_tokens',
    help: 'Locked tokens, each once: their fail counter has reached its limit',
    fill: (gauge, { lockedTokens }) => {
      gauge.set(sum(lockedTokens));
    },
  },
  {
    name: 'tankeeper_active_users',
    help: 'Users who own an active token, each once',
    fill: (gauge, { counts }) => {
      gauge.set(counts.activeUsers.reduce((total, { users }) => total + users, 0));
    },
  },
  {
    name: 'tankeeper_realm_tokens',
    help: `Tokens of a realm: ${REALM_HELP}`,
    labelNames: ['realm'],
    fill: forRealms(({ tokens }) => tokens),
  },
  {
    name: 'tankeeper_realm_locked_tokens',
    help: `Locked tokens of a realm: ${REALM_HELP}`,
    labelNames: ['realm'],
    fill: forRealms(({ locked }) => locked),
  },
  {
    name: 'tankeeper_open_challenges',
    help: 'Challenges that take a response, counted up to a hundred thousand',
    fill: (gauge, { openChallenges }) => {
      gauge.set(openChallenges);
    },
  },
  {
    name: 'tankeeper_licence_valid',
    help: 'Whether the licence is valid: 1 or 0; no value without a licence that can be read',
    fill: (gauge, { licence }) => {
      if (licence !== undefined) {
        gauge.set(licence.isValid ? 1 : 0);
      }
    },
  },
  {
    name: 'tankeeper_licence_expiry_timestamp_seconds',
    help: 'End of the licence; no value without a licence that can be read',
    fill: (gauge, { licence }) => {
      if (licence !== undefined) {
        gauge.set(seconds(licence.endsAt));
      }
    },
  },
  {
    name: 'tankeeper_backup_last_export_timestamp_seconds',
    help: 'Time of the last `tankeeper export`; 0 before the first one',
    fill: (gauge, { lastBackup }) => {
      gauge.set(lastBackup === undefined ? 0 : seconds(lastBackup));
    },
  },
  {
    name: 'tankeeper_api_token_next_expiry_timestamp_seconds',
    help: 'End of the API token that ends next; no value where none does',
    fill: (gauge, { nextApiTokenEnd }) => {
      if (nextApiTokenEnd !== undefined) {
        gauge.set(seconds(nextApiTokenEnd));
      }
    },
  },
  {
    name: 'tankeeper_resolver_certificate_expiry_timestamp_seconds',
    help: 'End of the certificate in CACERTIFICATE of a resolver, of several the one that ends first; no value without one',
    labelNames: ['resolver'],
    fill: (gauge, { certificates }) => {
      for (const { resolver, endsAt } of certificates) {
        gauge.set({ resolver }, seconds(endsAt));
      }
    },
  },
];

function sum(rows: readonly { readonly tokens: number }[]): number {
  return rows.reduce((total, { tokens }) => total + tokens, 0);
}

/** The most realms with series of their own. */
const MAX_REALMS = 100;
/** The label of the other realms together. No realm has this name, as a name has no parentheses. */
const OTHER_REALMS = '(other)';

interface RealmRow {
  readonly realm: string;
  readonly tokens: number;
  readonly locked: number;
}

/**
 * @returns rows of the hundred realms with most tokens, of the tokens in no realm, and of the sum of the other realms if
 *   there are more
 */
function realmRows({
  counts,
  lockedTokens,
  realms,
}: Pick<InstallationState, 'counts' | 'lockedTokens' | 'realms'>): readonly RealmRow[] {
  const tokens = sums(counts.tokens);
  const locked = sums(lockedTokens);
  const rowOf = (realm: string): RealmRow => ({
    realm,
    tokens: tokens.get(realm) ?? 0,
    locked: locked.get(realm) ?? 0,
  });
  const rows = realms.map(rowOf).sort((one, other) => other.tokens - one.tokens);
  const rest = rows.slice(MAX_REALMS);
  const others = rest.reduce(
    (total, row) => ({ ...total, tokens: total.tokens + row.tokens, locked: total.locked + row.locked }),
    { realm: OTHER_REALMS, tokens: 0, locked: 0 },
  );
  return [...rows.slice(0, MAX_REALMS), rowOf(NO_REALM), ...(rest.length > 0 ? [others] : [])];
}

/** The label `realm` of a series; a quotation mark in a value is escaped. */
const REALM_LABEL = /^(\w+)\{(?:[^"]*"(?:[^"\\]|\\.)*",)*realm="((?:[^"\\]|\\.)*)"[,}]/;

/**
 * @param text metrics in Prometheus' text format
 * @returns the series of these realms, with their descriptions; none that is of several realms or of none
 */
export function seriesOfRealms(text: string, realms: readonly string[]): string {
  const lines = text.split('\n');
  const kept = new Map<string, string[]>();
  for (const line of lines) {
    const [, metric = '', realm = ''] = REALM_LABEL.exec(line) ?? [];
    if (realms.includes(realm)) {
      kept.set(metric, [...(kept.get(metric) ?? []), line]);
    }
  }
  return [...kept]
    .flatMap(([metric, series]) => [
      ...lines.filter((line) => line.startsWith(`# HELP ${metric} `) || line.startsWith(`# TYPE ${metric} `)),
      ...series,
    ])
    .map((line) => `${line}\n`)
    .join('');
}

function sums(
  rows: readonly { readonly realms: readonly string[]; readonly tokens: number }[],
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { realms, tokens } of rows) {
    for (const realm of realms.length === 0 ? [NO_REALM] : realms) {
      found.set(realm, (found.get(realm) ?? 0) + tokens);
    }
  }
  return found;
}
