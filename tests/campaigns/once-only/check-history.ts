import { checkHistory, describeFinding } from './checker.ts';
import { readHistory } from './history.ts';

/** `npm run history:check -- FILE…`: checks histories; ends with 1 for a finding. */
const files = process.argv.slice(2);
if (files.length === 0) {
  process.stderr.write('Usage: check-history.ts FILE…\n');
  process.exitCode = 2;
}
for (const file of files) {
  const { operations, acceptances, unknown, findings } = checkHistory(readHistory(file));
  process.stdout.write(
    `${file}: ${operations} operations checked (${acceptances} acceptances, ${unknown} of unknown outcome), ${findings.length} findings\n`,
  );
  findings.forEach((finding) => process.stdout.write(`${describeFinding(finding)}\n`));
  process.exitCode = findings.length > 0 ? 1 : process.exitCode;
}
