import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { markdownTable } from './markdown-table.ts';

/** Recorded rows whose difference is intended, for one reason. */
const difference = z.strictObject({
  /** The file of recordings or vectors, without its ending. */
  file: z.string(),
  /** Patterns for the rows' names; `*` stands for any characters, `\*` for itself. */
  rows: z.array(z.string()).min(1),
  reason: z.string(),
});

const ledgers = z.strictObject({
  vectors: z.array(difference),
  ocra: z.array(difference),
  monitoring: z.array(difference),
  monitoringHttp: z.array(difference),
});

/** The intended differences from LinOTP, by the test that holds each ledger. */
export type Ledgers = z.infer<typeof ledgers>;

const FILE = join(import.meta.dirname, '../tests/exchanges/intended-differences.json');

const HEAD = `# Recorded differences from LinOTP

<!-- Written by \`npm run docs:reference\` from tests/exchanges/intended-differences.json. -->

Tests compute or send every recorded row again. Each row that differs must match a line. Each line must match at least
one row, and no row that is equal. In a pattern, \`*\` stands for any characters, \`\\*\` for itself.
[Recorded exchanges](../../tests/exchanges/README.md) describes the files and the masked values,
[Compatibility](../compatibility.md) all intended differences.
`;

const SECTIONS: Readonly<Record<keyof Ledgers, string>> = {
  vectors: `## Computed vectors

\`npm test\` computes \`tests/vectors/linotp-*.jsonl\` again, the values of LinOTP 2.12.6. It builds the name of a row from
the input and, in some files, from LinOTP's answer after \`=>\`. S is \`empty\`, \`partial\` or \`full\`. All 70 vectors of RFC
6287, Appendix C, hold without exception.
`,
  ocra: `## Recorded /ocra exchanges

\`npm run test:compat\` sends the requests of \`tests/exchanges/ocra-2.12.6.jsonl\`, which include a few of /admin and
/system, and compares status, content type and every byte of the body. It prints how many answers are identical, differ
on purpose, or differ.
`,
  monitoring: `## Facts of /monitoring

\`npm test\` repeats each request of \`tests/exchanges/monitoring-3.4.4.jsonl\` that is not about HTTP alone and compares
the facts: numbers, realms, statuses, error texts, and what each administrator sees.
`,
  monitoringHttp: `## Recorded /monitoring exchanges

\`npm run test:compat\` also sends these requests and compares the bytes. The table lists differences over HTTP alone.
`,
};

/** @returns the ledgers of the tests */
export function readLedgers(): Ledgers {
  return ledgers.parse(JSON.parse(readFileSync(FILE, 'utf8')));
}

/** @returns the text of docs/reference/recorded-differences.md */
export function recordedDifferencesPage(): string {
  const all = readLedgers();
  const sections = (Object.keys(SECTIONS) as (keyof Ledgers)[]).map((name) => {
    const rows = all[name].flatMap((entry) => entry.rows.map((row) => [entry.file, row, entry.reason]));
    const cells = rows.map(([file = '', row = '', reason = '']) => [`\`${file}\``, `\`${row}\``, reason]);
    return `${SECTIONS[name]}\n${markdownTable(['file', 'row', 'reason'], cells)}`;
  });
  return [HEAD, ...sections].join('\n');
}
