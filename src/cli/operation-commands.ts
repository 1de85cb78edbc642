import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { CliFailure, EXIT_CODES } from './cli-failure.ts';
import { type CommandContext, examples, withConfirmation } from './command-context.ts';
import type { Column, Output } from './output.ts';
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
  for (const operation of operations.filter(({ onlyServed }) => onlyServed !== true)) {
    addOperationCommand(group, context, operation);
  }
  return group;
}

/** A field of an input. What is required is a word of the command, unless it is a secret or says otherwise. */
interface Field {
  readonly name: string;
  readonly meta: z.core.GlobalMeta;
  readonly isWord: boolean;
  readonly isRequired: boolean;
}

/** What was typed: the words of a list, the pairs of an option, `true` for a flag. */
type Typed = string | readonly string[] | ReadonlyMap<string, string> | true | undefined;
type Given = Readonly<Record<string, Typed>>;

function addOperationCommand(group: Command, context: CommandContext, operation: Operation): void {
  const fields = takenBy(operation);
  const words = fields.filter(({ isWord }) => isWord);
  const [, ...verb] = operation.name.split(' ');
  const command = group
    .command(verb.join('-'))
    .description(operation.does)
    .addHelpText('after', examples(...exampleLines(operation, fields)));
  for (const { name, meta, isRequired } of words) {
    const word = `${dashed(name)}${meta.given === 'words' ? '...' : ''}`;
    command.argument(isRequired ? `<${word}>` : `[${word}]`, meta.description);
  }
  for (const field of fields.filter(({ isWord }) => !isWord)) {
    optionsOf(field).forEach((option) => command.addOption(option));
  }
  if (operation.asks !== undefined) {
    withConfirmation(command);
  }
  command.action(async () => {
    const typed = command.processedArgs as readonly Typed[];
    const given: Given = {
      ...command.opts<Given>(),
      ...Object.fromEntries(words.map(({ name }, place) => [camelCase(name), typed[place]])),
    };
    await act(context, operation, await readInput(context, operation, fields, given));
  });
}

function takenBy({ input }: Operation): readonly Field[] {
  return fieldsOf(input).map(([name, schema]) => {
    const meta = metaOf(schema);
    const isRequired = !schema.safeParse(undefined).success;
    return { name, meta, isRequired, isWord: isRequired && meta.secret !== true && meta.given !== 'option' };
  });
}

function optionsOf({ name, meta: { description, given, secret }, isRequired }: Field): readonly Option[] {
  const flag = `--${dashed(name)}`;
  if (secret === true) {
    const file = new Option(`${flag}-file <file>`, `a file that holds ${description}, - for stdin`);
    return isRequired ? [file] : [file, new Option(`--ask-${dashed(name)}`, `asks for ${description}`)];
  }
  if (given === 'pairs') {
    return [new Option(`${flag} <name=value>`, `${description}; may be repeated`).argParser(collectPair)];
  }
  const option = new Option(
    given === 'flag' ? flag : `${flag} <${given === 'words' ? 'list' : 'text'}>`,
    description,
  );
  return [isRequired ? option.makeOptionMandatory() : option];
}

/** @returns the pairs so far and one more, for an option that may be repeated */
function collectPair(text: string, previous?: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key.trim() === '') {
    throw new InvalidArgumentError('It must be NAME=VALUE.');
  }
  return new Map([...(previous ?? []), [key.trim(), value]]);
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
  return asText(given[camelCase(name)]);
}

/** @returns what was typed as a query string or a form would have it: a list with commas, see `list` */
function asText(typed: Typed): string | undefined {
  if (typed === undefined || typeof typed === 'string') {
    return typed;
  }
  if (typed === true) {
    return '1';
  }
  return 'join' in typed ? typed.join(',') : JSON.stringify(Object.fromEntries(typed));
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
    printRecord(to, value as Row, operation.output);
  }
}

/** Prints the facts of one thing, but those that are null, and a table for each of its lists whose columns have titles. */
function printRecord(to: Output, row: Row, schema: z.ZodType): void {
  const columns = columnsOf(schema);
  to.record(
    row,
    columns.flatMap(({ column, field }) =>
      isListOfObjects(field) || column.value(row) === null ? [] : [column],
    ),
  );
  for (const { column, field } of columns.filter((one) => isListOfObjects(one.field))) {
    const titled = listColumns(unwrapped(field));
    if (titled.length > 0) {
      to.say('');
      to.list((column.value(row) ?? []) as readonly Row[], titled, `${column.title ?? ''}: none`);
    }
  }
}

function unwrapped(field: z.ZodType): z.ZodType {
  return field instanceof z.ZodOptional || field instanceof z.ZodNullable
    ? unwrapped(field.unwrap() as z.ZodType)
    : field;
}

function isListOfObjects(field: z.ZodType): boolean {
  const list = unwrapped(field);
  return list instanceof z.ZodArray && list.element instanceof z.ZodObject;
}

type Row = Readonly<Record<string, Json>>;

/** The columns of a table are those with a title of their own. */
function listColumns(schema: z.ZodType): readonly Column<Row>[] {
  return columnsOf((schema as z.ZodArray<z.ZodObject>).element).flatMap(({ column, field }) => {
    const title = metaOf(field).column;
    return title === undefined ? [] : [{ ...column, title }];
  });
}

interface FieldColumn {
  readonly column: Column<Row>;
  readonly field: z.ZodType;
}

/** @param outer names of the objects around: the fields of objects in objects are columns like others */
function columnsOf(schema: z.ZodType, outer: readonly string[] = []): readonly FieldColumn[] {
  return fieldsOf(schema).flatMap(([name, field]): readonly FieldColumn[] => {
    const path = [...outer, snakeCase(name)];
    const inner = unwrapped(field);
    if (inner instanceof z.ZodObject) {
      return columnsOf(inner, path);
    }
    const key = path.join('_');
    const column = {
      key,
      title: capitalised(key.replaceAll('_', ' ')),
      value: (row: Row) => path.reduce<Json>((part, one) => (part as Row | null)?.[one] ?? null, row),
      ...(field instanceof z.ZodNumber && { align: 'right' as const }),
    };
    return [{ column, field }];
  });
}

/** @returns two calls, with examples of what is required */
function exampleLines({ name }: Operation, fields: readonly Field[]): readonly string[] {
  const required = fields
    .filter(({ isRequired, meta }) => isRequired && meta.secret !== true)
    .map(({ name: field, isWord, meta }) => {
      const given = String((meta.examples as readonly unknown[])[0]);
      const example = given.includes(' ') ? `'${given}'` : given;
      return isWord ? example : `--${dashed(field)} ${example}`;
    });
  const call = [name, ...required].join(' ');
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
