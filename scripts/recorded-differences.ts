import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Recorded rows whose difference is intended, for one reason. */
const difference = z.strictObject({
  /** The file of recordings or vectors, without its ending. */
  file: z.string(),
  /**
   * Patterns for the rows' names; `*` stands for any characters, `\*` for itself. The name of a vector is built from its
   * input and, in some files, from LinOTP's answer after `=>`. S is `empty`, `partial` or `full`.
   */
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

The reasons for which recorded rows differ, with the number of patterns where one does not suffice. The patterns are in
\`tests/exchanges/intended-differences.json\`: each row that differs must match one, each must match a row, and none that is
equal. [Compatibility](../compatibility.md) has all differences,
[Recorded exchanges](../../tests/exchanges/README.md) the replay.
`;

const SECTIONS: Readonly<Record<keyof Ledgers, string>> = {
  vectors: `## Computed vectors

\`npm test\` computes \`tests/vectors/linotp-*.jsonl\` again, the values of LinOTP 2.12.6. The 70 vectors of RFC 6287, Appendix C,
hold without exception.
`,
  ocra: `## Recorded /ocra exchanges

\`npm run test:compat\` compares status, content type and every byte of the body.
`,
  monitoring: `## Facts of /monitoring

\`npm test\` compares numbers, realms, statuses, error texts, and what each administrator sees.
`,
  monitoringHttp: `## Recorded /monitoring exchanges

\`npm run test:compat\` also compares the bytes.
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
    const lines = all[name].map(
      ({ reason, rows: { length } }) => `- ${reason}${length === 1 ? '' : ` (${length})`}\n`,
    );
    return `${SECTIONS[name]}\n${lines.join('')}`;
  });
  return [HEAD, ...sections].join('\n');
}
