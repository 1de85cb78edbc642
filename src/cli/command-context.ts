import type { AddHelpTextContext, Command } from 'commander';
import { CliFailure, EXIT_CODES, withListCommand, withServer } from './cli-failure.ts';
import type { CliDependencies } from './dependencies.ts';
import { Output } from './output.ts';
import { readSecret } from './files.ts';
import type { Config } from '../config/config.ts';
import type { Consequence } from '../consequences/consequence.ts';
import type { Random } from '../kernel/clock.ts';
import { unlessAborted } from '../kernel/stop-request.ts';
import { safeText } from '../kernel/text.ts';
import type { Caller } from '../policy/caller.ts';
import type { Services } from '../services.ts';

/** An act that may have consequences. */
interface ConfirmedAct<Result> {
  /** The consequences; none: the act needs no question. */
  readonly foresee: (services: Services, caller: Caller) => Promise<readonly Consequence[]>;
  readonly act: (services: Services, caller: Caller) => Promise<Result>;
  /** Reports the completed act. */
  readonly report?: (result: Result) => void;
}

/** The running command: its configuration, services, output and prompts. */
export class CommandContext {
  readonly dependencies: CliDependencies;
  #command: Command;
  #loading: Promise<Config> | undefined;

  constructor(dependencies: CliDependencies, program: Command) {
    this.dependencies = dependencies;
    this.#command = program;
    program.hook('preAction', (_program, command) => {
      this.#command = command;
    });
  }

  /** The command prints JSON, by the option `--json`. */
  get isJson(): boolean {
    return this.#command.optsWithGlobals<{ json?: true }>().json === true;
  }

  get output(): Output {
    return new Output(this.dependencies.io, { json: this.isJson });
  }

  /** Read once. @throws ServiceError 'configuration.invalid' */
  configuration(): Promise<Config> {
    return (this.#loading ??= this.dependencies.loadConfiguration());
  }

  /** @returns the URL of the server of this machine, by HOST and PORT, without a slash at its end */
  async baseUrl(): Promise<string> {
    const config = await this.configuration();
    const { baseUrlOf } = await import('../config/config.ts');
    return baseUrlOf(config, config.port);
  }

  /** Runs `work` with the services, as the operator, and closes them in any case, also after Ctrl-C. */
  async withServices<T>(work: (services: Services, caller: Caller) => Promise<T>): Promise<T> {
    const services = await this.dependencies.openServices(await this.configuration());
    const caller = operatorCaller(this.dependencies);
    try {
      return await unlessAborted(work(services, caller), services.interrupted);
    } catch (error) {
      throw withListCommand(withServer(error));
    } finally {
      await services.close();
    }
  }

  /**
   * Says what follows from an act and asks, then acts. `--yes` answers the question; `--dry-run` only says what follows.
   * @throws CliFailure where the answer is no; with the exit code of wrong usage where there is no terminal to ask at
   */
  async confirmed<Result>({ foresee, act, report }: ConfirmedAct<Result>): Promise<void> {
    const { yes, dryRun } = this.#command.opts<{ yes?: true; dryRun?: true }>();
    const outcome = await this.withServices(async (services, caller) => {
      // Scripts that confirm do not wait for what nobody reads.
      const consequences = yes === true && dryRun !== true ? [] : await foresee(services, caller);
      if (dryRun === true) {
        const text = consequences.length === 0 ? 'nothing else follows' : clauses(consequences);
        this.output.done(`${text}; nothing was changed`, {
          dry_run: true,
          consequences: consequences.map(({ code, text }) => ({ code, text })),
        });
        return undefined;
      }
      if (consequences.length > 0) {
        await this.confirmOrFail(clauses(consequences), '--yes confirms it');
      }
      return { result: await act(services, caller) };
    });
    if (outcome !== undefined) {
      report?.(outcome.result);
    }
  }

  /**
   * Asks whether to go on.
   * @param what the consequences, a clause
   * @param how the option that answers for scripts
   * @throws CliFailure where the answer is no; with the exit code of wrong usage where there is no terminal to ask at
   */
  async confirmOrFail(what: string, how: string): Promise<void> {
    const { io } = this.dependencies;
    if (!io.isInteractive) {
      throw new CliFailure(
        `${what}. Nothing was changed: without a terminal to ask at, ${how}`,
        EXIT_CODES.usage,
      );
    }
    const answer = await io.readLine(`${safeText(what)}. Go on? [y/N] `);
    if (!/^y(?:es)?$/i.test(answer.trim())) {
      throw new CliFailure('nothing was changed');
    }
  }

  /** Prompts for a new secret, twice, or reads it from the file of `option`. */
  newSecret(name: string, option: string, file: string | undefined): Promise<string> {
    return readSecret(this.dependencies.io, { name, option, file, isNew: true });
  }

  /** As `newSecret`; an empty one removes nothing. */
  newPin(name: string, option: string, file: string | undefined): Promise<string> {
    const hint = 'To have none, leave it out; token remove-pin removes the one that a token has';
    return readSecret(this.dependencies.io, { name, option, file, isNew: true, hint });
  }

  /** Prompts for an existing secret, once, or reads it from the file of `option`. */
  knownSecret(name: string, option: string, file: string | undefined): Promise<string> {
    return readSecret(this.dependencies.io, { name, option, file, isNew: false });
  }
}

/** @returns the caller for commands; the audit shows `operator:` and the name of the account */
export function operatorCaller({ osUser, random }: { osUser: string; random: Random }): Caller {
  return {
    principal: { administrator: `operator:${osUser}`, rights: ['*'], operator: true, client: '' },
    requestId: `cli-${random.bytes(8).toString('hex')}`,
  };
}

/** Adds a command to a group. @param lines examples for the end of its help, as of `examples` */
export function addCommand(
  group: Command,
  name: string,
  description: string,
  lines: readonly string[],
): Command {
  return group
    .command(name)
    .description(description)
    .addHelpText('after', examples(...lines));
}

/** As `addCommand`, with the options of `confirmed`: `--yes` and `--dry-run`. */
export function addConfirmedCommand(...declaration: Parameters<typeof addCommand>): Command {
  return withConfirmation(addCommand(...declaration));
}

/** Adds `--yes` and `--dry-run`. */
export function withConfirmation(command: Command): Command {
  return command
    .option('--yes', 'go on without a question, for scripts')
    .option('--dry-run', 'say what follows, and change nothing');
}

function clauses(consequences: readonly Consequence[]): string {
  return consequences.map(({ text }) => text).join('; ');
}

/**
 * Examples for the end of a command's help, to be given to `addHelpText('after', …)`.
 * @param lines without the program's name; a test parses each of them
 */
export function examples(...lines: readonly string[]): (context: AddHelpTextContext) => string {
  return ({ command }) => {
    // Commander styles its own headings only.
    const title = command.createHelp().styleTitle('Examples:');
    return ['', title, ...lines.map((line) => `  tankeeper ${line}`)].join('\n');
  };
}
