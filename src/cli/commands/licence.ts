import type { Command } from 'commander';
import type { LicenceReport } from '../../monitoring/reports.ts';
import { consequence } from '../../consequences/consequence.ts';
import { type CommandContext, addCommand, addConfirmedCommand } from '../command-context.ts';
import type { Column, Output } from '../output.ts';
import { readSecretText } from '../files.ts';
import { safeText } from '../../kernel/text.ts';

/** Adds `tankeeper licence …`: the signed licence that /monitoring/license reports. */
export function addLicenceCommands(program: Command, context: CommandContext): void {
  const licence = program
    .command('licence')
    .description('the signed licence that /monitoring/license reports; no function depends on it');
  addCommand(
    licence,
    'install',
    'install a licence in the place of the one there is; one that would not count is refused',
    ['licence install licence.jws', '--json licence install licence.jws'],
  )
    .argument('<file>', 'the signed licence (a JWS in compact form), - for stdin')
    .action(async (file: string) => {
      const text = await readSecretText(context.dependencies.io, file, 'The licence');
      const report = await context.withServices(({ licences }, caller) => licences.install(caller, text));
      const output = context.output;
      output.say('The licence is installed:');
      print(output, report);
    });
  addCommand(licence, 'show', 'show the licence, and whether it counts', [
    'licence show',
    '--json licence show',
  ]).action(async () => {
    const report = await context.withServices(({ licences }) => licences.show());
    print(context.output, report);
  });
  addConfirmedCommand(licence, 'remove', 'remove the licence; support then comes from the community', [
    'licence remove',
    '--json licence remove',
  ]).action(async () => {
    await context.confirmed({
      foresee: async ({ licences }) => {
        const { kind } = await licences.show();
        return consequence(
          kind !== 'none',
          'licence.support',
          'support then comes from the community; the licence must be at hand to install it again',
        );
      },
      act: ({ licences }, caller) => licences.remove(caller),
      done: () => ['the licence is removed', { removed: true }],
    });
  });
}

function print(output: Output, report: LicenceReport): void {
  if (report.kind === 'none') {
    output.done('no licence is installed: support comes from the community', { installed: false });
    return;
  }
  const fields = Object.entries(report.licence?.fields ?? {});
  const columns = report.kind === 'valid' ? usageOf(report) : refusalOf(report);
  output.record(report, [
    { key: 'installed', value: () => true },
    ...columns,
    { key: 'licence', value: () => Object.fromEntries(fields) },
  ]);
  fields.forEach(([name, value]) => {
    output.say(safeText(`  ${name}: ${value}`));
  });
}

function usageOf({ licence, active }: Extract<LicenceReport, { kind: 'valid' }>): Column<unknown>[] {
  const { unit, licensed } = licence;
  return [
    { key: 'valid', title: 'VALID', value: () => true, style: () => 'green' },
    { key: 'unit', title: 'COUNTS', value: () => unit, text: () => `active ${unit}s` },
    { key: 'licensed', title: 'LICENSED', value: () => licensed },
    { key: 'active', title: 'ACTIVE', value: () => active },
    { key: 'left', title: 'LEFT', value: () => licensed - active },
  ];
}

function refusalOf({ explanation }: Extract<LicenceReport, { kind: 'invalid' }>): Column<unknown>[] {
  return [
    { key: 'valid', title: 'VALID', value: () => false, style: () => 'red' },
    { key: 'reason', title: 'REASON', value: () => explanation },
  ];
}
