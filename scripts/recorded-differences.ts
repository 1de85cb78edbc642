import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { markdownTable } from './markdown-table.ts';

/** What tankeeper does where LinOTP does not. */
const KINDS = {
  once: 'accepts a response once, and for no other text; a wrong one changes no other transaction',
  rights: 'asks for password and rights, bounded by realm, time and client of the policy',
  secret: 'keeps secrets, paths and ids out of answers',
  strict:
    'refuses or leaves out what LinOTP takes or ignores, such as a suite with unknown parts, a token without a key',
  rfc: 'follows RFC 6287: lengths of responses and sessions, padding, the whole HMAC',
  fault: 'answers where LinOTP fails, counts wrongly or shows an error of Python',
  http: 'sends error statuses of 400 to 599, takes HTTP Basic everywhere, redirects nowhere',
} as const;

/** Recorded rows whose difference is intended, for one reason. */
const difference = z.strictObject({
  /** The file of recordings or vectors, without its ending. */
  file: z.string(),
  /**
   * Patterns for the rows' names; `*` stands for any characters, `\*` for itself. The name of a vector is built from its
   * input and, in some files, from LinOTP's answer after `=>`. S is `empty`, `partial` or `full`.
   */
  rows: z.array(z.string()).min(1),
  kind: z.enum(Object.keys(KINDS) as (keyof typeof KINDS)[]),
  reason: z.string(),
});

const ledgers = z.strictObject({
  vectors: z.array(difference),
  ocra: z.array(difference),
  monitoring: z.array(difference),
  monitoringHttp: z.array(difference),
  otp: z.array(difference),
});

/** The intended differences from LinOTP, by the test that holds each ledger. */
export type Ledgers = z.infer<typeof ledgers>;

const FILE = join(import.meta.dirname, '../tests/exchanges/intended-differences.json');

const HEAD = `# Recorded differences from LinOTP

<!-- Written by \`npm run docs:reference\` from tests/exchanges/intended-differences.json. -->

The numbers of patterns for recorded rows that differ. \`tests/exchanges/intended-differences.json\` has each pattern with its
reason: each row that differs must match one, each must match a row, and none that is equal.
[Compatibility](../compatibility.md) has all differences, [Recorded exchanges](../../tests/exchanges/README.md) the replay.

- **vectors:** \`npm test\` computes \`tests/vectors/linotp-*.jsonl\` again, the values of LinOTP 2.12.6. The 70 vectors of RFC 6287,
  Appendix C, hold without exception.
- **/ocra:** \`npm run test:compat\` compares status, content type and every byte of the body.
- **/monitoring:** \`npm test\` compares numbers, realms, statuses, error texts, and what each administrator sees; **HTTP:**
  \`npm run test:compat\` also compares the bytes.
- **HOTP, TOTP:** \`npm run test:compat\` compares status, result and detail as JSON.

## Kinds

`;

const COLUMNS: Readonly<Record<keyof Ledgers, string>> = {
  vectors: 'vectors',
  ocra: '/ocra',
  monitoring: '/monitoring',
  monitoringHttp: 'HTTP',
  otp: 'HOTP, TOTP',
};

/** @returns the ledgers of the tests */
export function readLedgers(): Ledgers {
  return ledgers.parse(JSON.parse(readFileSync(FILE, 'utf8')));
}

/** @returns the text of docs/reference/recorded-differences.md */
export function recordedDifferencesPage(): string {
  const ledger = readLedgers();
  const columns = Object.keys(COLUMNS) as (keyof Ledgers)[];
  const rows = Object.entries(KINDS).map(([kind, meaning]) => [
    meaning,
    ...columns.map((column) => {
      const patterns = ledger[column].filter((entry) => entry.kind === kind).flatMap((entry) => entry.rows);
      return `${patterns.length}`;
    }),
  ]);
  return HEAD + markdownTable(['tankeeper', ...Object.values(COLUMNS)], rows);
}
