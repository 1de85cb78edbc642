import type { Command } from 'commander';
import { OUT_OF_STEP_REASON, type TransactionEvent } from '../../challenges/transaction-history.ts';
import type { TransactionHistory } from '../../challenges/transaction-service.ts';
import { addCommand, type CommandContext } from '../command-context.ts';
import type { Column, JsonValue } from '../output.ts';

const EVENT_COLUMNS: readonly Column<TransactionEvent>[] = [
  { key: 'at', title: 'TIME', value: ({ at }) => at, text: ({ at }) => at.replace(/\d{3}Z$/, 'Z') },
  { key: 'event', title: 'EVENT', value: ({ event }) => event },
  { key: 'reason', title: 'REASON', value: ({ reason }) => reason },
  { key: 'action', title: 'ACTION', value: ({ action }) => action },
  { key: 'actor', title: 'ACTOR', value: ({ actor }) => actor },
  { key: 'client', title: 'CLIENT', value: ({ client }) => client },
  { key: 'requestid', title: 'REQUEST', value: ({ requestId }) => requestId },
  { key: 'derived', value: ({ derived }) => derived },
];

const COLUMNS: readonly Column<TransactionHistory>[] = [
  { key: 'transactionid', title: 'Transaction', value: ({ transactionId }) => transactionId },
  { key: 'serial', title: 'Serial', value: ({ serial }) => serial },
  { key: 'realms', title: 'Realms', value: ({ realms }) => realms },
  { key: 'state', title: 'State', value: ({ state }) => state },
  { key: 'stored', title: 'Challenge stored', value: ({ isStored }) => isStored },
  { key: 'data', title: 'Display data', value: ({ data }) => data },
  { key: 'events', value: ({ events }) => events.map(eventValue) },
  { key: 'more', value: ({ more }) => more },
];

/** Adds `tankeeper transaction …`. */
export function addTransactionCommands(program: Command, context: CommandContext): void {
  const transaction = program
    .command('transaction')
    .description('transactions: challenges and the responses to them');
  addCommand(transaction, 'show', 'show what happened to a transaction, from its challenge and the audit', [
    'transaction show 0123456789ab',
    '--json transaction show 0123456789ab',
  ])
    .argument('<id>', 'the transaction id')
    .action(async (id: string) => {
      const history = await context.withServices(({ transactions }, caller) =>
        transactions.history(caller, id),
      );
      const output = context.output;
      output.record(history, COLUMNS);
      if (!context.isJson) {
        output.say('');
        output.list(history.events, EVENT_COLUMNS, 'no events');
        if (history.events.some(({ reason }) => reason === OUT_OF_STEP_REASON)) {
          output.say(`remedy: tankeeper token resync ${history.serial}, with two consecutive responses`);
        }
        if (history.more > 0) {
          output.say(
            `and ${history.more} more: tankeeper audit search --transaction ${history.transactionId}`,
          );
        }
      }
    });
}

function eventValue(event: TransactionEvent): JsonValue {
  return Object.fromEntries(EVENT_COLUMNS.map(({ key, value }) => [key, value(event)]));
}
