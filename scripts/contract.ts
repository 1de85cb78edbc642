import type { Command } from 'commander';

import type { JsonSchema } from '../src/http/description/envelopes.ts';
import type { OpenApiDocument } from '../src/http/description/openapi-document.ts';

/**
 * The parts of each path, command or metric by name: what each is, in JSON's types or values (`integer or null`), and
 * `, required` where every caller is asked for it, or every answer has it.
 */
export type Parts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What a version promises (docs/stability.md), as far as it is declared. */
export interface Contract {
  readonly version: string;
  readonly asked: Parts;
  readonly given: Parts;
}

interface Declared {
  readonly version: string;
  readonly description: OpenApiDocument;
  readonly program: Command;
  readonly variables: readonly { readonly name: string }[];
  readonly metrics: readonly {
    readonly name: string;
    readonly type: string;
    readonly labels: readonly string[];
  }[];
}

type PathItem = OpenApiDocument['paths'][string];
type Named = [string, string];

export function contractOf({ version, description, program, variables, metrics }: Declared): Contract {
  const schemas = new Schemas(description);
  const atPaths = (partsOf: (item: PathItem) => Named[]): [string, Record<string, string>][] =>
    Object.entries(description.paths).map(([path, item]) => [path, Object.fromEntries(partsOf(item))]);
  return {
    version,
    asked: Object.fromEntries([
      ...atPaths((item) => askedAt(item, schemas)),
      ...commandParts(program),
      ['variables', Object.fromEntries(variables.map(({ name }) => [name, 'text']))],
    ]),
    given: Object.fromEntries([
      ...atPaths((item) => givenAt(item, schemas)),
      ...metrics.map(({ name, type, labels }): [string, Record<string, string>] => [
        name,
        { value: type, ...Object.fromEntries(labels.map((label) => [label, 'label'])) },
      ]),
    ]),
  };
}

function partText(types: readonly string[], required: boolean): string {
  return `${[...new Set(types)].sort().join(' or ')}${required ? ', required' : ''}`;
}

/** Methods, ways to authenticate, and parameters, which are read alike from the query string and from the body. */
function askedAt(item: PathItem, schemas: Schemas): Named[] {
  const asked = Object.entries(item).flatMap(([method, { security, parameters, requestBody }]) => {
    const ways = security.map((way) => Object.keys(way).join(' and '));
    const [body] = Object.values(requestBody?.content ?? {});
    return [
      ...(ways.length === 0 ? ['anybody'] : ways).map((way): Named => [`${method} by ${way}`, 'request']),
      ...parameters
        .filter((one) => 'name' in one)
        .map(({ name, required = false, schema }): Named => [
          name,
          partText(schemas.types([schema], true), required),
        ]),
      ...schemas.fields([schemaOf(body)], true),
    ];
  });
  // Parameters in a query string are not described as a whole: those of a body tell.
  const [body] = Object.values(item.post?.requestBody?.content ?? {});
  return schemas.isOpen(schemaOf(body)) ? [...asked, ['other parameters', 'ignored']] : asked;
}

function givenAt(item: PathItem, schemas: Schemas): Named[] {
  return Object.values(item).flatMap(({ responses: { 200: success } }) =>
    success !== undefined && 'content' in success
      ? schemas.fields([schemaOf(success.content['application/json'])], false)
      : [],
  );
}

function schemaOf(media: object = {}): JsonSchema {
  return (media as { readonly schema?: JsonSchema }).schema ?? {};
}

function commandParts(command: Command, above = 'tankeeper'): [string, Record<string, string>][] {
  return command.commands.flatMap((one): [string, Record<string, string>][] => {
    const words = `${above} ${one.name()}`;
    const options = one.options.flatMap(({ short, long, required, optional, mandatory }) =>
      [short, long]
        .filter((flag) => flag !== undefined)
        .map((flag) => [flag, partText([required || optional ? 'value' : 'switch'], mandatory)]),
    );
    const places = one.registeredArguments.map(({ required }, place) => [
      `argument ${place + 1}`,
      partText(['value'], required),
    ]);
    return [[words, Object.fromEntries([...options, ...places])], ...commandParts(one, words)];
  });
}

/** As far as JsonSchema is used by zod for what the interface has. */
interface Form {
  readonly $ref?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
}

class Schemas {
  readonly #named: Readonly<Record<string, JsonSchema>>;

  constructor({ components }: OpenApiDocument) {
    this.#named = components.schemas;
  }

  /** Values are told apart where they are asked: what is answered may get new ones. */
  types(schemas: readonly JsonSchema[], asked: boolean): string[] {
    return this.#forms(schemas).flatMap(({ type = 'any', const: constant, enum: values }) => {
      const literals = values ?? (constant === undefined ? [] : [constant]);
      return asked && literals.length > 0 ? literals.map((value) => JSON.stringify(value)) : type;
    });
  }

  /** @returns the fields of objects in one of these forms, at any depth: `a.b`, `a.[].b`, `a.*` */
  fields(schemas: readonly JsonSchema[], asked: boolean, above = ''): Named[] {
    const forms = this.#forms(schemas);
    const children = forms.flatMap(childrenOf);
    const objects = forms.filter(({ properties }) => properties !== undefined);
    return [...new Set(children.map(([name]) => name))].flatMap((name) => {
      const below = children.filter(([one]) => one === name).map(([, schema]) => schema);
      const required = objects.length > 0 && objects.every((one) => one.required?.includes(name));
      return [
        [above + name, partText(this.types(below, asked), required)],
        ...this.fields(below, asked, `${above}${name}.`),
      ];
    });
  }

  /** @returns true if it allows fields that it does not name */
  isOpen(schema: JsonSchema): boolean {
    return this.#forms([schema]).some(({ additionalProperties }) => additionalProperties !== false);
  }

  /** @returns what a value may be, without references; failures have one form everywhere */
  #forms(schemas: readonly JsonSchema[]): readonly Form[] {
    return schemas.flatMap((schema) => {
      const form: Form = schema;
      if (form.$ref === '#/components/schemas/Failure') {
        return [];
      }
      return form.$ref === undefined
        ? form.anyOf === undefined
          ? [form]
          : this.#forms(form.anyOf)
        : this.#forms([this.#named[form.$ref.replace(/^.*\//, '')] ?? {}]);
    });
  }
}

function childrenOf({
  properties = {},
  additionalProperties,
  items,
  prefixItems = [],
}: Form): [string, JsonSchema][] {
  const others = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  return [
    ...Object.entries(properties),
    ...others.map((one): [string, JsonSchema] => ['*', one]),
    ...[...prefixItems, ...(items === undefined ? [] : [items])].map((one): [string, JsonSchema] => [
      '[]',
      one,
    ]),
  ];
}
