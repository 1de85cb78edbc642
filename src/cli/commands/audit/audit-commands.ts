import type { Command } from 'commander';
import type { AuditRow } from '../../../audit/audit-row.ts';
import type { ExportFormat } from '../../../audit/export-trail.ts';
import { assertKnownFilter } from '../../../audit/filter-values.ts';
import type { AuditFilter, AuditPeriod } from '../../../audit/filter-values.ts';
import { consequence, countText } from '../../../consequences/consequence.ts';
import { openExport } from './audit-export-file.ts';
import { addAuditVerifyCommand } from './audit-verify-command.ts';
import { CliFailure } from '../../cli-failure.ts';
import { actOnceConfirmed, withConfirmation } from '../../confirmed-command.ts';
import type { CommandContext } from '../../command-context.ts';
import { type OptionInstant, pastInstantOption, wholeNumberOption } from '../../option-values.ts';
import type { Column } from '../../output.ts';
import type { TextStyle } from '../../text-style.ts';
import { examples } from '../../examples.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 100_000;
const GREATEST_OFFSET = 1_000_000_000;
const SINCE = 'from this date or time on, in UTC, or so long ago: 30M, 1H, 2D, 1W';

const COLUMNS: readonly Column<AuditRow>[] = [
  { key: 'id', value: ({ id }) => id },
  {
    key: 'at',
    title: 'TIME',
    value: ({ at }) => at,
    text: ({ at }) => at.replace(/\d{3}Z$/, 'Z'),
    whole: true,
  },
  { key: 'actor', title: 'ACTOR', value: ({ actor }) => actor, rank: 5 },
  { key: 'action', title: 'ACTION', value: ({ action }) => action, rank: 3 },
  { key: 'subject', title: 'SUBJECT', value: ({ subject }) => subject, rank: 2 },
  { key: 'realm', title: 'REALM', value: ({ realm }) => realm, rank: 7 },
  { key: 'outcome', title: 'OUTCOME', value: ({ outcome }) => outcome, style: outcomeStyle, rank: 1 },
  { key: 'client', title: 'CLIENT', value: ({ client }) => client, rank: 6 },
  { key: 'requestid', title: 'REQUEST', value: ({ requestId }) => requestId, rank: 8 },
  { key: 'transaction', title: 'TRANSACTION', value: ({ transaction }) => transaction, rank: 4 },
  { key: 'writer', value: ({ writer }) => writer },
  { key: 'lane', value: ({ lane }) => lane },
  { key: 'seq', value: ({ seq }) => seq },
];

/** Responses and acts that were refused. */
const REFUSED = /^(?:wrong|exhausted|locked|closed|unverifiable|refused)/;

function outcomeStyle({ outcome }: AuditRow): TextStyle | undefined {
  return outcome === 'accepted' ? 'green' : REFUSED.test(outcome) ? 'red' : undefined;
}

interface PeriodOptions {
  readonly since?: OptionInstant | undefined;
  readonly until?: OptionInstant | undefined;
}

interface SearchOptions
  extends Omit<AuditFilter, 'subject' | 'requestId' | keyof AuditPeriod>, PeriodOptions {
  readonly serial?: string;
  readonly request?: string;
}

interface ExportCommandOptions extends PeriodOptions {
  readonly csv?: true;
  readonly output: string;
}

interface PruneOptions {
  readonly before: OptionInstant;
  readonly force?: true;
}

/** Adds `tankeeper audit …`: reads the audit trail, and verifies that it is complete and unchanged. */
export function addAuditCommands(program: Command, context: CommandContext): void {
  const audit = program
    .command('audit')
    .description('the audit trail: what administrators did, and each decision on a response');
  addSearch(audit, context);
  addAuditVerifyCommand(audit, context);
  addExport(audit, context);
  addPrune(audit, context);
}

function addSearch(audit: Command, context: CommandContext): void {
  audit
    .command('search')
    .addHelpText(
      'after',
      examples('audit search --outcome wrong --since 2026-11-01', 'audit search --serial LSGO1 --limit 20'),
    )
    .description('show rows, newest first; all that is given must match')
    .option('--serial <serial>', 'of this token, or whatever else the act was about')
    .option('--actor <name>', 'by this administrator; operator:NAME for commands')
    .option('--action <action>', 'such as ocra/check_t or admin/init')
    .option('--realm <realm>', 'about what is in this realm')
    .option('--outcome <outcome>', 'such as accepted, wrong or created')
    .option('--client <address>', 'from this address')
    .option('--request <id>', 'under this request, as the log names it')
    .option('--transaction <id>', 'about this transaction')
    .option('--since <when>', SINCE, pastInstantOption(context.dependencies.clock))
    .option('--until <when>', 'before this date or time', pastInstantOption(context.dependencies.clock))
    .option(
      '--offset <rows>',
      'without so many of the newest, for the next page',
      wholeNumberOption(0, GREATEST_OFFSET),
    )
    .option('--limit <rows>', 'so many at most', wholeNumberOption(1, MAX_LIMIT), DEFAULT_LIMIT)
    .action(async ({ serial, request, since, until, ...others }: SearchOptions, command: Command) => {
      const filter: AuditFilter = {
        ...others,
        ...(serial !== undefined && { subject: serial }),
        ...(request !== undefined && { requestId: request }),
      };
      assertKnownFilter(filter);
      const rows = await context.withServices((services, caller) =>
        services.audit.search(caller, { ...filter, ...periodOf({ since, until }) }),
      );
      context.output(command).list(rows, COLUMNS, 'nothing matches');
    });
}

function periodOf({ since, until }: PeriodOptions): AuditPeriod {
  return {
    ...(since !== undefined && { since: since() }),
    ...(until !== undefined && { until: until() }),
  };
}

function addExport(audit: Command, context: CommandContext): void {
  audit
    .command('export')
    .addHelpText(
      'after',
      examples(
        'audit export --output audit.jsonl',
        'audit export --csv --since 2026-11-01 --output november.csv',
      ),
    )
    .description('write the trail as JSON lines that can be verified at another place, or as CSV')
    .requiredOption('--output <file>', 'a file that is not there yet, - for standard output')
    .option('--csv', 'for spreadsheets; cannot be verified')
    .option('--since <when>', SINCE, pastInstantOption(context.dependencies.clock))
    .option('--until <when>', 'before this date or time', pastInstantOption(context.dependencies.clock))
    .action(async ({ csv, output, since, until }: ExportCommandOptions, command: Command) => {
      const format: ExportFormat = csv === true ? 'csv' : 'jsonl';
      const rows = await context.withServices(async (services, caller) => {
        const target = await openExport(context.dependencies.io, output);
        try {
          return await services.audit.export(caller, { format, ...periodOf({ since, until }) }, (text) =>
            target.write(text),
          );
        } finally {
          await target.close();
        }
      });
      if (output !== '-') {
        context.output(command).done(`rows exported: ${rows}`, { rows });
      }
    });
}

function addPrune(audit: Command, context: CommandContext): void {
  withConfirmation(audit.command('prune'))
    .addHelpText(
      'after',
      examples('audit prune --before 2026-01-01', 'audit prune --before 2026-01-01 --force'),
    )
    .description('take away whole months that are over; the trail verifies afterwards as it did before')
    .requiredOption(
      '--before <date>',
      'the month of this date and all later ones are kept',
      pastInstantOption(context.dependencies.clock),
    )
    .option('--force', 'also where the trail does not verify')
    .action(async (options: PruneOptions, command: Command) => {
      const { force } = options;
      // Once, for the question and the act, and only after the time of the database is known.
      let date: Date | undefined;
      const before = (): Date => (date ??= options.before());
      const outcome = await actOnceConfirmed(context, command, {
        foresee: async (services, caller) => {
          if (before() > context.dependencies.clock.now()) {
            throw new CliFailure('only months that are over can be pruned');
          }
          const months = await services.audit.monthsBefore(caller, before());
          return consequence(
            months > 0,
            'audit.months',
            `${countText(months, 'month')} of the audit ${months === 1 ? 'is' : 'are'} gone for good, but for exports`,
          );
        },
        act: (services, caller) => services.audit.prune(caller, { before: before(), force: force === true }),
      });
      if (outcome === undefined) {
        return;
      }
      const { rows, months, records } = outcome.result;
      const isNothing = rows === 0 && months.length === 0 && records === 0;
      const sentence = isNothing
        ? 'there was nothing to prune'
        : ['pruned', months.join(', ')].join(' ').trim();
      context.output(command).done(`${sentence} (${rows} rows, ${records} records of the journal)`, {
        rows,
        months,
        records,
      });
    });
}
