import { type Command, InvalidArgumentError } from 'commander';
import { isServiceError } from '../../kernel/errors.ts';
import { maskPassword } from '../../kernel/text.ts';
import { withTimeLimit } from '../../kernel/bounded-work.ts';
import { CliFailure, describeFailure, fetchFaultReason } from '../cli-failure.ts';
import { type CommandContext, examples, operatorCaller } from '../command-context.ts';
import type { CliIo } from '../dependencies.ts';
import { wholeNumberOption } from '../option-values.ts';
import { readSecretText } from '../files.ts';
import {
  PLUGIN_STATES,
  PluginExit,
  pluginLine,
  pluginResult,
  type PluginState,
  measurementsOf,
  parseThresholdRange,
  READING_NAMES,
  type ReadingName,
  type Readings,
  type Thresholds,
} from './plugin.ts';
import type { Caller } from '../../policy/caller.ts';
import type { Services } from '../../services.ts';

interface CheckOptions {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly database?: true;
  readonly timeout: number;
  readonly warning: Thresholds;
  readonly critical: Thresholds;
}

const HELP = `
Exit codes: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN. One line with performance data, as monitoring plugins print it.
Values: ${READING_NAMES.join(', ')}.
A range without a name is one of licence_days. Ranges: 10, 10:, ~:10, 10:20, @10:20 (guidelines of the monitoring plugins).`;

/** A failure that says nothing about the server. */
const UNKNOWN_CODES = ['installation.missing', 'configuration.invalid', 'key.unavailable'] as const;

/** Adds `tankeeper check`. */
export function addCheckCommand(program: Command, context: CommandContext): void {
  const { io } = context.dependencies;
  const command = program
    .command('check')
    .description('check a server for Nagios or Icinga: one line, performance data, exit codes of plugins')
    .option('--url <url>', 'the server (default: that of this machine, by HOST and PORT)')
    .option(
      '--token-file <file>',
      'file with an API token of the rights monitoring:*; without it, readiness only',
    )
    .option('--database', 'check the database of this environment, past any server')
    .option('--timeout <seconds>', 'time for all of it', wholeNumberOption(1, 600), 10)
    .option('--warning <[name=]range>', 'values outside are a warning (repeatable)', collectThreshold, {})
    .option('--critical <[name=]range>', 'values outside are critical (repeatable)', collectThreshold, {})
    .addHelpText('after', HELP)
    .addHelpText(
      'after',
      examples(
        'check --url https://tan.example.com --token-file /etc/tankeeper/probe-token --warning 30: --critical 7:',
        'check --database --warning locked_tokens=100',
      ),
    )
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : new PluginExit('UNKNOWN');
    })
    .action(async (options: CheckOptions) => {
      const { state, line } = await check(context, options);
      io.stdout.write(`${line}\n`);
      if (PLUGIN_STATES[state] > 0) {
        throw new PluginExit(state);
      }
    });
  command.showHelpAfterError(false).configureOutput({
    ...command.configureOutput(),
    outputError: (text) => {
      io.stdout.write(`${pluginLine('UNKNOWN', text.replace(/^error: /, '').trim())}\n`);
    },
  });
}

async function check(
  context: CommandContext,
  options: CheckOptions,
): Promise<{ readonly state: PluginState; readonly line: string }> {
  const late = new CliFailure(`no answer within ${options.timeout} s`);
  try {
    const work = options.database === true ? checkDatabase(context) : checkServer(context, options);
    const readings = await withTimeLimit(options.timeout * 1000, work, () => late);
    const measurements = measurementsOf(readings, options.warning, options.critical);
    const what = options.database === true ? 'the database answers' : 'the server is ready';
    return pluginResult(what, measurements, readings.problems);
  } catch (error) {
    const isUnknown =
      error !== late &&
      (error instanceof CliFailure || UNKNOWN_CODES.some((code) => isServiceError(error, code)));
    const state = isUnknown ? 'UNKNOWN' : 'CRITICAL';
    return { state, line: pluginLine(state, describeFailure(error, { debug: false })) };
  }
}

function checkDatabase(context: CommandContext): Promise<Readings> {
  const { dependencies } = context;
  return context.withServices((services) =>
    readInstallation(services, operatorCaller(dependencies), dependencies.clock.now()),
  );
}

async function checkServer(
  context: CommandContext,
  { tokenFile, timeout, ...options }: CheckOptions,
): Promise<Readings> {
  const url = options.url ?? (await context.baseUrl());
  const { io, fetch, clock } = context.dependencies;
  assertServerUrl(url);
  const token = tokenFile === undefined ? undefined : await readApiToken(io, tokenFile);
  try {
    const { readServer } = await import('./server-readings.ts');
    return await readServer(fetch, {
      url: url.replace(/\/+$/, ''),
      token,
      signal: AbortSignal.timeout(timeout * 1000),
      now: clock.now().getTime(),
    });
  } catch (error) {
    const text = `no answer from ${url}: ${fetchFaultReason(error)}`;
    return { values: {}, problems: [{ state: 'CRITICAL', text }] };
  }
}

/** @throws CliFailure; the URL is shown in the line, and must hold no password */
function assertServerUrl(url: string): void {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new CliFailure(`--url is no URL of http or https: ${maskPassword(url)}`);
  }
  const { username, password, search, hash } = new URL(url);
  if ([username, password, search, hash].some((part) => part !== '')) {
    throw new CliFailure('--url must have no user, password, query or fragment: give --token-file');
  }
}

/** @throws CliFailure for a text that cannot be a header: the error of `fetch` would show it */
async function readApiToken(io: CliIo, file: string): Promise<string> {
  const token = (await readSecretText(io, file, 'The API token')).trim();
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new CliFailure(`${file} must hold one API token and nothing else`);
  }
  return token;
}

/** Reads `name=range`, or a range of the days of the licence. */
function collectThreshold(text: string, thresholds: Thresholds): Thresholds {
  const [, name = 'licence_days', range = ''] = /^(?:([a-z_]+)=)?(.*)$/s.exec(text) ?? [];
  if (!isReadingName(name)) {
    throw new InvalidArgumentError(`There is no value '${name}'. There are: ${READING_NAMES.join(', ')}.`);
  }
  return { ...thresholds, [name]: parseThresholdRange(range) };
}

function isReadingName(name: string): name is ReadingName {
  return (READING_NAMES as readonly string[]).includes(name);
}

const DAY_MS = 86_400_000;

/** Reads the installation itself, past any server. */
async function readInstallation(
  services: Pick<Services, 'installation' | 'monitoring' | 'housekeeping'>,
  caller: Caller,
  now: Date,
): Promise<Readings> {
  const state = await services.installation.read();
  if (state === undefined) {
    const text = 'the database does not answer within a second';
    return { values: {}, problems: [{ state: 'CRITICAL', text }] };
  }
  const [isEncrypted, due] = await Promise.all([
    services.monitoring.storageEncryption(caller),
    services.housekeeping.due(caller),
  ]);
  const { counts, licence, lastBackup } = state;
  const sum = (rows: readonly { readonly tokens: number }[]): number =>
    rows.reduce((total, { tokens }) => total + tokens, 0);
  return {
    values: {
      database: state.duration,
      ...(licence && { licence_days: (licence.endsAt.getTime() - now.getTime()) / DAY_MS }),
      tokens: sum(counts.tokens),
      active_tokens: sum(counts.tokens.filter(({ active }) => active)),
      locked_tokens: sum(state.lockedTokens),
      active_users: counts.activeUsers.reduce((total, { users }) => total + users, 0),
      open_challenges: state.openChallenges,
      housekeeping_backlog: due.reduce((total, { rows }) => total + rows, 0),
      ...(lastBackup && { backup_age: Math.max(0, (now.getTime() - lastBackup.getTime()) / 1000) }),
    },
    problems: [
      ...(isEncrypted ? [] : [{ state: 'CRITICAL', text: 'secrets are stored without encryption' } as const]),
      ...(licence?.isValid === false
        ? [{ state: 'CRITICAL', text: 'the licence is not valid' } as const]
        : []),
    ],
  };
}
