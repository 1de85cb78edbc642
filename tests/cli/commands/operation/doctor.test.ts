import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import type { CliFailure } from '../../../../src/cli/cli-failure.ts';
import { CommandContext } from '../../../../src/cli/command-context.ts';
import { reportFindings } from '../../../../src/cli/commands/doctor.ts';
import type { Finding } from '../../../../src/doctor/finding.ts';
import { startServerProcess } from '../../../support/servers/server-process.ts';
import { runCli } from '../../cli-process.ts';
import { fakeCli } from '../../fake-dependencies.ts';
import { temporaryFolder } from '../../../support/values/temporary-folder.ts';

const FINDINGS: readonly Finding[] = [
  { severity: 'warning', code: 'clock.differs', text: 'the clock is \u001b[31mwrong', remedy: 'set it' },
  { severity: 'error', code: 'database.settings', text: 'fsync is off', remedy: 'fsync = on' },
];

/** Reports findings. @returns the exit code and what is printed */
function reported(findings: readonly Finding[], ...options: readonly string[]) {
  const { dependencies, io } = fakeCli();
  const program = new Command().option('--json').parse(options, { from: 'user' });
  try {
    reportFindings(new CommandContext(dependencies, program), findings);
  } catch (error) {
    const { exitCode, message } = error as CliFailure;
    return { code: exitCode, out: io.out(), err: message };
  }
  return { code: 0, out: io.out(), err: '' };
}

describe('tankeeper doctor', () => {
  it.each([
    [0, []],
    [1, FINDINGS.slice(0, 1)],
    [2, FINDINGS],
  ] as const)('ends with %i for %j', (code, findings) => {
    expect(reported(findings).code).toBe(code);
  });

  it('prints each finding with its remedy, errors first, harmless for a terminal', () => {
    const { out, err } = reported(FINDINGS);
    // prettier-ignore
    expect(out).toBe(
      [
        'error    database.settings', '         fsync is off', '         remedy: fsync = on', '',
        'warning  clock.differs',
        '         the clock is \\u001b[31mwrong', '         remedy: set it', '',
        '1 error, 1 warning', '',
      ].join('\n'),
    );
    expect(err).toBe('the installation has 1 error, 1 warning');
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
    const { errors, findings } = JSON.parse(out) as { errors: number; findings: readonly Finding[] };
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
    expect(out).toContain('database.unavailable');
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
      expect(JSON.parse(out)).toEqual({ errors: 0, warnings: 0, findings: [] });
      expect({ code, err }).toEqual({ code: 0, err: '' });
    }
  });
});
