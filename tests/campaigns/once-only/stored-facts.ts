import type { HistoryClient } from './client.ts';
import { now } from './client.ts';
import type { Finding } from './checker.ts';
import type { HistoryRecord } from './operations.ts';

/** Runs one statement on the database under check. @returns its rows */
export type Ask = <Row extends object>(sql: string, values: readonly unknown[]) => Promise<readonly Row[]>;

interface AuditRow {
  readonly request_id: string;
  readonly action: string;
  readonly outcome: string;
  readonly transaction_id: string;
}

interface StoredToken {
  readonly serial: string;
  readonly active: boolean;
  readonly rollout: string;
  readonly fail_count: number;
  readonly counter: string;
  readonly challenges: readonly string[];
  readonly questions: Readonly<Record<string, string>>;
}

/** What the database knows of a history, after all requests have ended. */
export interface StoredFacts {
  /** The history with the decisions of the audit trail, and with the rows at its end. */
  readonly records: readonly HistoryRecord[];
  readonly findings: readonly Finding[];
}

/**
 * Adds to a history what the database holds: for each operation whether it was done, and how it was decided, by the audit
 * trail; and the rows of each token at the end. The checker then compares them with what the model permits.
 */
export async function withStoredFacts(history: readonly HistoryRecord[], ask: Ask): Promise<StoredFacts> {
  const serials = [...new Set(history.flatMap(({ args }) => ('serial' in args ? [args.serial ?? ''] : [])))];
  const audit = await ask<AuditRow>(
    `SELECT request_id, action, outcome, transaction_id FROM audit
     WHERE request_id <> '' AND (subject = ANY ($1::text[]) OR request_id = ANY ($2::text[]))`,
    [serials, history.map(({ request }) => request ?? '')],
  );
  const tokens = await ask<StoredToken>(TOKENS, [serials]);
  const byRequest = new Map<string, AuditRow[]>();
  for (const row of audit) {
    byRequest.set(row.request_id, [...(byRequest.get(row.request_id) ?? []), row]);
  }
  const questions = new Map(tokens.flatMap((token) => Object.entries(token.questions)));
  const known = history.map((record) =>
    decided(record, byRequest.get(record.request ?? '') ?? [], questions),
  );
  const asked = new Set(history.map(({ request }) => request));
  const isDecision = ({ action, outcome }: AuditRow): boolean =>
    (action === 'ocra/check_t' || action.startsWith('validate/')) && !outcome.startsWith('refused: ');
  return {
    records: [...known, ...serials.map((serial) => rowsOf(serial, tokens))],
    findings: [
      ...[...byRequest.values()]
        .filter((rows) => rows.filter(isDecision).length > 1)
        .map((rows): Finding => differs(`${rows.length} decisions on one request`, history, rows)),
      ...audit
        .filter((row) => isDecision(row) && !asked.has(row.request_id))
        .map((row) => differs('a decision on what nobody sent', history, [row])),
    ],
  };
}

const TOKENS = `
  SELECT serial, active, rollout, fail_count, counter::text AS counter,
    coalesce(array_agg(transaction_id || ' ' || wrong_count || ' ' || coalesce(closed_by, 'open'))
      FILTER (WHERE transaction_id IS NOT NULL), '{}') AS challenges,
    coalesce(json_object_agg(transaction_id, question) FILTER (WHERE transaction_id IS NOT NULL), '{}') AS questions
  FROM tokens LEFT JOIN challenges ON token_id = tokens.id
  WHERE serial = ANY ($1::text[]) GROUP BY tokens.id`;

/** @returns the record with its decision; without an answer, also whether it was done */
function decided(
  record: HistoryRecord,
  rows: readonly AuditRow[],
  questions: ReadonlyMap<string, string>,
): HistoryRecord {
  const { op, outcome } = record;
  const [row] = rows;
  if (op === 'answer') {
    // One that was refused for another reason was no decision.
    const made = rows.find(({ outcome: one }) => !one.startsWith('refused: '))?.outcome;
    // What is known of it is a remark, no other decision.
    const decision = made?.replace(/^(wrong|exhausted), .*$/, '$1') ?? null;
    return { ...record, decision };
  }
  if (outcome !== 'unknown' || !['request', 'phase 2'].includes(op)) {
    return record;
  }
  const transaction = row?.transaction_id ?? '';
  const question = questions.get(transaction);
  return question === undefined ? record : { ...record, decision: 'done', answer: { transaction, question } };
}

function rowsOf(serial: string, tokens: readonly StoredToken[]): HistoryRecord {
  const token = tokens.find((one) => one.serial === serial);
  const answer =
    token === undefined
      ? null
      : {
          active: token.active,
          rollout: token.rollout,
          failcount: token.fail_count,
          counter: token.counter,
          challenges: [...token.challenges].sort(),
        };
  const at = now();
  return {
    op: 'rows',
    args: { serial },
    client: 'database',
    invoked: at,
    completed: at,
    outcome: 'ok',
    answer,
  };
}

function differs(about: string, history: readonly HistoryRecord[], rows: readonly AuditRow[]): Finding {
  const requests = rows.map(({ request_id }) => request_id);
  return {
    kind: 'audit differs',
    about: `${about}: ${JSON.stringify(rows)}`,
    records: history.filter(({ request }) => requests.includes(request ?? '')),
  };
}

/** The number of repetitions of each right response, all at once. */
const TIMES = 2;
const AT_ONCE = 8;

/** Sends each right response of a history twice more; each of them must be refused, or be accepted once. */
export async function replay(client: HistoryClient, servers: readonly string[]): Promise<number> {
  const rights = client.records.filter(
    ({ op, args }) => op === 'answer' && typeof args.response === 'object',
  );
  const again = [...new Map(rights.map((record) => [JSON.stringify(record.args), record])).values()];
  const waiting = Array.from({ length: TIMES }, () => again).flat();
  const worker = async (_: unknown, index: number): Promise<void> => {
    for (let record = waiting.shift(); record !== undefined; record = waiting.shift()) {
      const { op, args } = record as HistoryRecord & { op: 'answer' };
      await client.perform({ op, args }, servers[(index + waiting.length) % servers.length] ?? '', 'replay');
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return again.length;
}
