import type { Command } from 'commander';
import { actOnceConfirmed, withConfirmation } from '../../confirmed-command.ts';
import type { CommandContext } from '../../command-context.ts';
import { parseList } from '../../option-values.ts';
import { addTokenInitCommand } from './token-init-command.ts';
import { addTokenListCommands } from './token-list-commands.ts';
import { addTokenResyncCommand } from './token-resync-command.ts';
import { addRemovePinCommand, addTokenSetCommand } from './token-set-command.ts';
import { CliFailure, EXIT_CODES } from '../../cli-failure.ts';
import { examples } from '../../examples.ts';

const HARMLESS_CHANGES = [
  { verb: 'enable', done: 'enabled', description: 'switch tokens on' },
  { verb: 'reset', done: 'reset', description: 'set the fail counters of tokens to 0, which unlocks them' },
] as const;

const WITHDRAWALS = [
  { verb: 'disable', done: 'disabled', description: 'switch tokens off', foresee: 'ofTokenWithdrawal' },
  {
    verb: 'unassign',
    done: 'unassigned',
    description: 'take tokens from their owners',
    foresee: 'ofTokenWithdrawal',
  },
  {
    verb: 'remove',
    done: 'removed',
    description: 'remove tokens with their challenges',
    foresee: 'ofTokenRemoval',
  },
] as const;

/** Adds `tankeeper token …`. */
export function addTokenCommands(program: Command, context: CommandContext): void {
  const token = program.command('token').description('tokens; secrets are shown only where they are made');
  addTokenListCommands(token, context);
  addTokenInitCommand(token, context);
  addTokenSetCommand(token, context);
  addRemovePinCommand(token, context);
  addTokenResyncCommand(token, context);
  for (const { verb, done, description } of HARMLESS_CHANGES) {
    token
      .command(verb)
      .addHelpText('after', examples(`token ${verb} LSGO1`, `token ${verb} LSGO1 LSGO2`))
      .description(description)
      .argument('<serial...>')
      .action(async (serials: readonly string[], _options: object, command: Command) => {
        await context.withServices(async ({ tokens }, caller) => {
          for (const serial of serials) {
            await tokens[verb](caller, { serial });
          }
        });
        context.output(command).done(serials.map((serial) => `${serial} is ${done}`).join('\n'), { serials });
      });
  }
  addWithdrawals(token, context);
  addAssign(token, context);
  addRealms(token, context);
}

function addWithdrawals(token: Command, context: CommandContext): void {
  for (const { verb, done, description, foresee } of WITHDRAWALS) {
    withConfirmation(token.command(verb))
      .addHelpText('after', examples(`token ${verb} LSGO1`, `token ${verb} LSGO1 LSGO2 --yes`))
      .description(description)
      .argument('<serial...>')
      .action(async (serials: readonly string[], _options: object, command: Command) => {
        const outcome = await actOnceConfirmed(context, command, {
          foresee: ({ consequences }) => consequences[foresee](serials),
          act: async ({ tokens }, caller) => {
            for (const serial of serials) {
              await tokens[verb](caller, { serial });
            }
          },
        });
        if (outcome !== undefined) {
          context
            .output(command)
            .done(serials.map((serial) => `${serial} is ${done}`).join('\n'), { serials });
        }
      });
  }
}

function addAssign(token: Command, context: CommandContext): void {
  token
    .command('assign')
    .addHelpText('after', examples('token assign LSGO1 anna', 'token assign LSGO1 anna --realm office'))
    .description("give a token to a user; it comes into the user's realm")
    .argument('<serial>')
    .argument('<user>', 'LOGIN or LOGIN@REALM')
    .option('--realm <name>', "the user's realm; else what follows the @, or the default realm")
    .action(async (serial: string, user: string, { realm }: { realm?: string }, command: Command) => {
      await context.withServices(({ tokens }, caller) => tokens.assign(caller, { serial, user, realm }));
      context.output(command).done(`${serial} belongs to ${user} now`, { serial, user });
    });
}

function addRealms(token: Command, context: CommandContext): void {
  withConfirmation(token.command('realms'))
    .addHelpText('after', examples('token realms LSGO1 office,partners', 'token realms LSGO1 --none'))
    .description('set the realms that a token is in')
    .argument('<serial>')
    .argument('[realms]', 'comma separated')
    .option('--none', 'no realm')
    .action(async (serial: string, list: string | undefined, { none }: { none?: true }, command: Command) => {
      const realms = parseList(list ?? '');
      if ((realms.length === 0) !== (none === true)) {
        throw new CliFailure('give either REALMS or --none', EXIT_CODES.usage);
      }
      const outcome = await actOnceConfirmed(context, command, {
        foresee: ({ consequences }) => consequences.ofTokenRealms({ serial, realms }),
        act: ({ tokens }, caller) => tokens.setRealms(caller, { serial, realms }),
      });
      if (outcome !== undefined) {
        const where = none === true ? 'no realm' : realms.join(', ');
        context.output(command).done(`${serial} is in ${where} now`, { serial, realms });
      }
    });
}
