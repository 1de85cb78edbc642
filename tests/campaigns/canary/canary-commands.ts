import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CANARY_PIN_SUITE, type CanaryInstallation } from './canary-installation.ts';
import { container, ocraPackage } from '../../support/values/pskc-documents.ts';

/** The program of util-linux that runs a command at a terminal. */
const TERMINAL = 'script';
const PROGRAM = fileURLToPath(new URL('../../../bin/tankeeper.js', import.meta.url));

/** @returns a new API token with all rights */
export async function makeApiToken(installation: CanaryInstallation): Promise<string> {
  const parameters = ['api-token', 'add', 'admin', 'portal', '*', '--json'];
  const { token } = JSON.parse(await installation.run(parameters)) as { token: string };
  return installation.marks.note('API token', 'of the portal', token);
}

/** Adds users of the resolvers `staff` and `passwords`. @returns the password of the latter */
export async function addUsers(installation: CanaryInstallation): Promise<string> {
  const password = installation.marks.text('password', 'of a user');
  const file = ['--password-file', installation.secretFile(password)];
  await Promise.all([
    installation.run(['user', 'add', 'anna', 'staff']),
    ...['documented-bert', 'linotp-bert'].map((user) =>
      installation.run(['user', 'add', user, 'passwords', ...file]),
    ),
  ]);
  return password;
}

/** Runs the commands that take, make or show secrets, and those that show stored data. */
export async function useCommands(installation: CanaryInstallation): Promise<void> {
  const { marks } = installation;
  const key = marks.bytes('token key', 'of a command', 32);
  const pins = [
    '--pin-file',
    installation.secretFile(marks.text('token PIN', 'of a command')),
    '--ocra-pin-file',
    installation.secretFile(marks.text('OCRA PIN', 'of a command')),
  ];
  const keyFile = installation.secretFile(key.toString('hex'));
  const suite = ['--suite', CANARY_PIN_SUITE];
  await installation.run(['token', 'init', '--serial', 'CLI1', '--otpkey-file', keyFile, ...suite, ...pins]);
  const made = await installation.run(['token', 'init', '--serial', 'CLI2', '--generate', '--json']);
  marks.noteHex('token key', 'made by a command', (JSON.parse(made) as { otpkey: string }).otpkey);
  const file = container({ packages: ocraPackage('CLI3', CANARY_PIN_SUITE, key) });
  const broken = installation.secretFile(file.replace('<PlainValue>', '<PlainValue '));
  await installation.run(
    ['import', 'pskc', broken, '--password-file', '-'],
    marks.text('key file password', 'wrong'),
  );
  await installation.run(['import', 'pskc', installation.secretFile(file)]);
  const responses = ['otp1', 'otp2'].flatMap((name) => [
    `--${name}-file`,
    installation.secretFile(marks.word('wrong response', name)),
  ]);
  await installation.run(['token', 'resync', 'CLI1', '--challenge1', 'A', '--challenge2', 'B', ...responses]);
  const secret = installation.secretFile(marks.text('resolver password', 'of a command'));
  const sql = ['--set', 'Server=127.0.0.1', '--set', 'Port=1', '--set', 'Driver=postgresql'];
  await installation.run([
    'resolver',
    'add',
    'cli',
    '--kind',
    'sql',
    '--force',
    ...sql,
    '--secret-file',
    secret,
  ]);
  await installation.run(['keys', 'add']);
  await installation.run(['config']);
}

/** Runs commands that need the database, in its present state. */
export async function failCommands(installation: CanaryInstallation): Promise<void> {
  const { marks } = installation;
  const password = marks.text('password', 'of a command that fails');
  await Promise.all([
    installation.run(['admin', 'add', 'carl', '--password-file', '-'], password),
    installation.run(['user', 'password', 'anna', 'staff', '--password-file', '-'], password),
  ]);
}

/** Runs the commands that show the audit trail, to people and to programs. */
export async function showAudit(installation: CanaryInstallation): Promise<void> {
  await installation.run(['audit', 'search', '--json', '--limit', '1000']);
  await installation.run(['audit', 'export', '--output', '-']);
}

/**
 * Types a password at a terminal, at two prompts.
 * @returns false if the machine has no program `script` to make a terminal
 */
export async function typeAtPrompt(installation: CanaryInstallation): Promise<boolean> {
  const password = installation.marks.word('password', 'at a prompt');
  const { environment, folder } = installation.surroundings;
  const command = `'${process.execPath}' '${PROGRAM}' admin add dora`;
  const child = spawn(TERMINAL, ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...environment },
  });
  let shown = '';
  let typed = 0;
  child.stdout.on('data', (piece: Buffer) => {
    shown += piece.toString('utf8');
    if ((shown.match(/The password( again)?: /g) ?? []).length > typed) {
      typed += 1;
      child.stdin.write(`${password}\r`);
    }
  });
  const failed = once(child, 'error').then(() => false);
  const ended = await Promise.race([once(child, 'close').then(() => true), failed]);
  installation.evidence.add('command at a terminal', shown);
  return ended && shown.includes('dora');
}
