import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import type { CliFailure } from '../../../../src/cli/cli-failure.ts';
import { CommandContext } from '../../../../src/cli/command-context.ts';
import { reportExamination } from '../../../../src/cli/commands/doctor.ts';
import { runProgram } from '../../../../src/cli/program.ts';
import { type DoctorReport, findingOf, type Severity } from '../../../../src/doctor/examination.ts';
import { startServerProcess } from '../../../support/servers/server-process.ts';
import { runCli } from '../../cli-process.ts';
import { fakeCli } from '../../fake-dependencies.ts';
import { temporaryFolder } from '../../../support/values/temporary-folder.ts';

const FINDINGS = [
  findingOf('note', 'realms.none', 'there is no realm', 'add one'),
  findingOf('warning', 'clock.differs', 'the clock is \u001b[31mwrong', 'set it'),
  findingOf('error', 'database.fsync', 'fsync is off', 'fsync = on'),
];
const CHECKS = [
  { name: 'database', state: 'done' },
  { name: 'realms', state: 'skipped' },
] as const;

/** Reports an examination. @returns the exit code and what is printed */
function reported(findings: DoctorReport['findings'], ...options: readonly string[]) {
  const { dependencies, io } = fakeCli();
  const program = new Command().option('--json').parse(options, { from: 'user' });
  try {
    reportExamination(new CommandContext(dependencies, program), { checks: CHECKS, findings });
  } catch (error) {
    const { exitCode, message } = error as CliFailure;
    return { code: exitCode, out: io.out(), err: message };
  }
  return { code: 0, out: io.out(), err: '' };
}

const upTo = (severity: Severity): DoctorReport['findings'] =>
  FINDINGS.slice(0, FINDINGS.findIndex((finding) => finding.severity === severity) + 1);

describe('tankeeper doctor', () => {
  it.each([
    [0, 'no finding', []],
    [0, 'notes', upTo('note')],
    [1, 'warnings', upTo('warning')],
    [2, 'errors', upTo('error')],
  ] as const)('ends with %i for %s', (code, _what, findings) => {
    expect(reported(findings).code).toBe(code);
  });

  it('prints each finding with its remedy, errors first, harmless for a terminal', () => {
    const { out, err } = reported(FINDINGS);
    // prettier-ignore
    expect(out).toBe(
      [
        'error    database.fsync', '         fsync is off', '         remedy: fsync = on', '',
        'warning  clock.differs',
        '         the clock is \\u001b[31mwrong', '         remedy: set it', '',
        'note     realms.none', '         there is no realm', '         remedy: add one', '',
        '1 checks, 1 more not possible: 1 error, 1 warning, 1 note', '',
      ].join('\n'),
    );
    expect(err).toBe('the installation has 1 error, 1 warning, 1 note');
  });

  it('is JSON for scripts', () => {
    const [note, warning, error] = FINDINGS;
    expect(JSON.parse(reported(FINDINGS, '--json').out)).toEqual({
      errors: 1,
      warnings: 1,
      notes: 1,
      findings: [error, warning, note],
      checks: CHECKS,
    });
  });

  it('says its exit codes with --help', async () => {
    const { dependencies, io } = fakeCli();
    expect(await runProgram(['doctor', '--help'], dependencies)).toBe(0);
    expect(io.out()).toContain('Exit codes: 0 no finding above a note, 1 warnings, 2 errors');
  });
});

describe('tankeeper doctor as a process', () => {
  const folder = temporaryFolder();

  it.each<[Readonly<Record<string, string>>, readonly string[]]>([
    [{ OIDC_ISSUER: 'https://login.example.com' }, ['OIDC_ISSUER also needs OIDC_CLIENT_ID']],
    [{ PORT: 'x', LOG_LEVEL: 'loud' }, ["PORT='x' is not allowed", "LOG_LEVEL='loud' is not allowed"]],
    [{ DATABASE_URL: 'postgres://u@h/d', DATABASE_PASSWORD_FILE: '/none' }, ['DATABASE_PASSWORD_FILE=']],
  ])('ends with 2, and JSON, for a configuration that cannot be read: %j', async (variables, texts) => {
    const { code, out, err } = await runCli(['--json', 'doctor'], { DATA_DIR: folder, ...variables });
    const { errors, findings } = JSON.parse(out) as { errors: number; findings: DoctorReport['findings'] };
    expect([code, errors]).toEqual([2, findings.length]);
    expect(findings.map((finding) => `${finding.severity} ${finding.code}`)).toEqual(
      texts.map(() => 'error variables.invalid'),
    );
    for (const text of texts) {
      expect(findings).toContainEqual(expect.objectContaining({ text: expect.stringContaining(text) }));
      expect(err).toContain(text);
    }
  });

  it('names a missing installation, and makes none', async () => {
    const missing = join(folder, 'missing');
    const { code, out } = await runCli(['doctor'], { DATA_DIR: missing });
    expect(code).toBe(2);
    expect(out).toContain('database.missing');
    expect(out).toContain('the folder does not exist');
    expect(existsSync(missing)).toBe(false);
  });

  it('examines an installation whose server runs, and the same without it', async () => {
    const environment = { DATA_DIR: join(folder, 'data'), TRUST_PROXY: 'loopback' };
    const server = await startServerProcess(environment);
    const during = await runCli(['--json', 'doctor'], environment);
    expect((await server.stop()).code).toBe(0);
    const after = await runCli(['--json', 'doctor'], environment);
    for (const { code, out, err } of [during, after]) {
      const { checks, findings } = JSON.parse(out) as DoctorReport;
      expect(findings.filter(({ severity }) => severity !== 'note')).toEqual([]);
      expect(checks.map(({ state }) => state)).toEqual(checks.map(() => 'done'));
      expect({ code, err }).toEqual({ code: 0, err: '' });
    }
  });
});
