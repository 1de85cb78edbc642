import { type Command, Option } from 'commander';
import { z } from 'zod';
import { CliFailure, EXIT_CODES } from './cli-failure.ts';
import { type CommandContext, examples, withConfirmation } from './command-context.ts';
import type { Column } from './output.ts';
import { metaOf } from '../operations/input.ts';
import type { Operation, OperationGroup } from '../operations/operation.ts';
import { fieldsOf, type Json, shown, snakeCase } from '../operations/shown.ts';

/** Adds the commands of a group of operations. @returns the group, for commands that are no operations */
export function addOperationCommands(
  program: Command,
  context: CommandContext,
  { name, about, operations }: OperationGroup,
): Command {
  const group = program.command(name).description(about);
  for (const operation of operations) {
    addOperationCommand(group, context, operation);
  }
  return group;
}

/** A field of an input. What is required is a word of the command, unless it is a secret; the rest are options. */
interface Field {
  readonly name: string;
  readonly meta: z.core.GlobalMeta;
  readonly isWord: boolean;
  readonly isRequired: boolean;
}

type Given = Readonly<Record<string, string | readonly string[] | true | undefined>>;

function addOperationCommand(group: Command, context: CommandContext, operation: Operation): void {
  const fields = takenBy(operation);
  const words = fields.filter(({ isWord }) => isWord);
  const [, ...verb] = operation.name.split(' ');
  const command = group
    .command(verb.join('-'))
    .description(operation.does)
    .addHelpText('after', examples(...exampleLines(operation, words)));
  for (const { name, meta } of words) {
    command.argument(`<${dashed(name)}${meta.given === 'words' ? '...' : ''}>`, meta.description);
  }
  for (const field of fields.filter(({ isWord }) => !isWord)) {
    optionsOf(field).forEach((option) => command.addOption(option));
  }
  if (operation.asks !== undefined) {
    withConfirmation(command);
  }
  command.action(async (...args: unknown[]) => {
    const given = {
      ...command.opts<Given>(),
      ...Object.fromEntries(words.map(({ name }, place) => [camelCase(name), args[place] as string])),
    };
    await act(context, operation, await readInput(context, operation, fields, given));
  });
}

function takenBy({ input }: Operation): readonly Field[] {
  return fieldsOf(input).map(([name, schema]) => {
    const meta = metaOf(schema);
    const isRequired = !schema.safeParse(undefined).success;
    return { name, meta, isRequired, isWord: isRequired && meta.secret !== true };
  });
}

function optionsOf({ name, meta: { description, given, secret }, isRequired }: Field): readonly Option[] {
  const flag = `--${dashed(name)}`;
  if (secret === true) {
    const file = new Option(`${flag}-file <file>`, `a file that holds ${description}, - for stdin`);
    return isRequired ? [file] : [file, new Option(`--ask-${dashed(name)}`, `asks for ${description}`)];
  }
  return [new Option(given === 'flag' ? flag : `${flag} <${given ?? 'text'}>`, description)];
}

/** @throws CliFailure with the exit code of wrong usage */
async function readInput(
  context: CommandContext,
  operation: Operation,
  fields: readonly Field[],
  given: Given,
): Promise<unknown> {
  const texts: [string, string][] = [];
  for (const field of fields) {
    const text = await textOf(context, field, given);
    if (text !== undefined) {
      texts.push([field.name, text]);
    }
  }
  const read = operation.input.safeParse(Object.fromEntries(texts));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new CliFailure(`${dashed(String(issue?.path[0]))}: ${issue?.message}`, EXIT_CODES.usage);
  }
  return read.data;
}

async function textOf(
  context: CommandContext,
  { name, meta, isRequired }: Field,
  given: Given,
): Promise<string | undefined> {
  if (meta.secret === true) {
    const file = given[camelCase(`${name}_file`)] as string | undefined;
    if (file === undefined && !isRequired && given[camelCase(`ask_${name}`)] !== true) {
      return undefined;
    }
    const [title, option] = [capitalised(meta.description ?? name), `--${dashed(name)}-file`];
    return meta.given === 'known'
      ? context.knownSecret(title, option, file)
      : context.newSecret(title, option, file);
  }
  const value = given[camelCase(name)];
  return value === true ? '1' : typeof value === 'object' ? value.join(',') : value;
}

async function act(context: CommandContext, operation: Operation, input: unknown): Promise<void> {
  await context.confirmed({
    foresee: (services, caller) => operation.asks?.(services, caller, input) ?? Promise.resolve([]),
    act: (services, caller) => operation.run(services, caller, input),
    report: (output) => {
      const failure = operation.fails?.(output, input);
      if (failure !== undefined) {
        throw new CliFailure(failure);
      }
      print(context, operation, output, input);
    },
  });
}

function print(
  { output: to, isJson }: CommandContext,
  operation: Operation,
  output: unknown,
  input: unknown,
): void {
  const value = shown(operation.output, output);
  if (isJson) {
    to.json(value);
  } else if (operation.says !== undefined) {
    to.done(operation.says(output, input), {});
  } else if (value === true) {
    to.done('done', {});
  } else if (Array.isArray(value)) {
    to.list(value as readonly Row[], listColumns(operation.output), 'none');
  } else {
    to.record(value as Row, recordColumns(operation.output));
  }
}

type Row = Readonly<Record<string, Json>>;

/** The columns of a table are those with a title of their own. */
function listColumns(schema: z.ZodType): readonly Column<Row>[] {
  return columnsOf((schema as z.ZodArray<z.ZodObject>).element).flatMap(([column, field]) => {
    const title = field.meta()?.column;
    return title === undefined ? [] : [{ ...column, title }];
  });
}

function recordColumns(schema: z.ZodType): readonly Column<Row>[] {
  return columnsOf(schema).map(([column]) => column);
}

function columnsOf(schema: z.ZodType): readonly (readonly [Column<Row>, z.ZodType])[] {
  return fieldsOf(schema).map(([name, field]) => {
    const key = snakeCase(name);
    const title = capitalised(key.replaceAll('_', ' '));
    const column = {
      key,
      title,
      value: (row: Row) => row[key] ?? null,
      ...(field instanceof z.ZodNumber && { align: 'right' as const }),
    };
    return [column, field];
  });
}

/** @returns two calls, of the examples of the words */
function exampleLines({ name }: Operation, words: readonly Field[]): readonly string[] {
  const call = [name, ...words.map(({ meta }) => String((meta.examples as readonly unknown[])[0]))].join(' ');
  return [call, `--json ${call}`];
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `allow_http` as in `--allow-http`. */
function dashed(name: string): string {
  return name.replaceAll('_', '-');
}

/** `allow_http` as commander names the value of its option: `allowHttp`. */
function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
