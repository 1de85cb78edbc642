import type { Command } from 'commander';
import type { Random } from '../kernel/clock.ts';
import type { Caller } from '../policy/caller.ts';
import type { Services } from '../services.ts';
import type { CliDependencies } from './dependencies.ts';
import { unlessAborted } from '../kernel/stop-request.ts';
import { Output } from './output.ts';
import { readSecret } from './secret-input.ts';
import { withServerAndRealm } from './unavailable-resolver.ts';
import { withNearestName } from './unknown-name.ts';

/** The services, the output and the prompts of a command. */
export class CommandContext {
  readonly dependencies: CliDependencies;

  constructor(dependencies: CliDependencies) {
    this.dependencies = dependencies;
  }

  /** Runs `work` with the services, as the operator, and closes them in any case, also after Ctrl-C. */
  async withServices<T>(work: (services: Services, caller: Caller) => Promise<T>): Promise<T> {
    const services = await this.dependencies.openServices();
    const caller = operatorCaller(this.dependencies);
    try {
      return await unlessAborted(work(services, caller), services.interrupted);
    } catch (error) {
      throw await withNearestName(await withServerAndRealm(error, services), services);
    } finally {
      await services.close();
    }
  }

  /** @returns the output of this command, by its option `--json` */
  output(command: Command): Output {
    const { json } = command.optsWithGlobals<{ json?: true }>();
    return new Output(this.dependencies.io, { json: json === true });
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
