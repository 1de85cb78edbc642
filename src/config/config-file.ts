import { readFileSync, statSync } from 'node:fs';
import type { LineCounter, ParsedNode, Scalar, YAMLMap } from 'yaml';
import { ServiceError } from '../kernel/errors.ts';
import { nearestName } from '../kernel/text.ts';
import { type Environment, readVariable, VARIABLES } from './variables.ts';

/** A value of a configuration file. */
interface FileValue {
  /** The text that the variable would have. */
  readonly value: string;
  /** `tankeeper.yaml:3:7: wireDialect`, for messages. */
  readonly place: string;
}

/** A configuration file that was read. */
export interface ConfigFile {
  /** By the name of the variable. */
  readonly values: ReadonlyMap<string, FileValue>;
  /** Everything that is wrong with its form and its keys, each with file, line and column. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/** Bytes. A file with every variable and comments has a tenth of it. */
const MAX_BYTES = 64 * 1024;
/** The beginning of a list or a map within a line. */
const OPENING = /[[{]|[-?] (?=[-?] )/g;
const MAX_OPENINGS = 500;
const NAMES_BY_KEY = new Map(VARIABLES.map(({ name }) => [fileKeyOf(name), name]));

type Yaml = typeof import('yaml');

/** @returns the value of TANKEEPER_CONFIG; undefined: there is no file */
export function configFileVariable(environment: Environment = process.env): string | undefined {
  return readVariable(environment, 'TANKEEPER_CONFIG');
}

/**
 * Reads a YAML 1.2 file with one map of keys. Tags, anchors and aliases are refused, so nothing in it is expanded.
 * @throws ServiceError 'configuration.invalid' when it cannot be read at all
 */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  const text = textOf(path);
  // The parser descends into each: thousands exhaust the memory.
  if ((text.match(OPENING)?.length ?? 0) > MAX_OPENINGS) {
    throw invalid(`The configuration file ${path} is nested too deeply.`);
  }
  // Not loaded without a file.
  const yaml = await import('yaml');
  const values = new Map<string, FileValue>();
  const faults: string[] = [];
  const lines = new yaml.LineCounter();
  const at = (offset: number): string => placeOf(path, lines, offset);
  const document = yaml.parseDocument(text, { lineCounter: lines, schema: 'core', prettyErrors: false });
  for (const error of [...document.errors, ...document.warnings]) {
    faults.push(`${at(error.pos[0])}: ${error.message}`);
  }
  if (yaml.isMap(document.contents)) {
    readMap(yaml, document.contents, { at, values, faults });
  } else if (document.contents !== null) {
    faults.push(`${at(0)}: the file must be a map: one KEY: VALUE in each line`);
  }
  return { values, faults, warnings: warningsOf(path, values) };
}

interface FileReading {
  /** @returns `file:line:column` of an offset */
  readonly at: (offset: number) => string;
  readonly values: Map<string, FileValue>;
  readonly faults: string[];
}

function readMap(yaml: Yaml, map: YAMLMap.Parsed, { at, values, faults }: FileReading): void {
  for (const { key: keyNode, value: node } of map.items) {
    const key = yaml.isScalar(keyNode) ? String(keyNode.value) : '';
    const place = at(keyNode.range[0]);
    const name = NAMES_BY_KEY.get(key);
    const value = textOfNode(yaml, node);
    if (name === undefined) {
      faults.push(`${place}: ${unknownKey(key)}`);
    } else if (value === undefined) {
      faults.push(
        `${place}: ${key} must be a text, a number or a list of these, without tag, anchor or alias`,
      );
    } else if (value !== '') {
      values.set(name, { value, place: `${place}: ${key}` });
    }
  }
}

/** @returns the text of the variable, empty for an unset one; undefined for a node that is none */
function textOfNode(yaml: Yaml, node: ParsedNode | null): string | undefined {
  if (node === null) {
    return '';
  }
  if (yaml.isAlias(node) || node.anchor !== undefined || node.tag !== undefined) {
    return undefined;
  }
  if (yaml.isSeq(node)) {
    const items = node.items.map((item) =>
      yaml.isScalar(item) ? textOfNode(yaml, item as ParsedNode) : undefined,
    );
    return items.includes(undefined) ? undefined : items.join(',');
  }
  return yaml.isScalar(node) ? textOfScalar(node) : undefined;
}

function textOfScalar({ value, source }: Scalar.Parsed): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
      return value ? 'on' : 'off';
    case 'number':
      // As it was written: 1e3 is no number of connections.
      return source;
    default:
      return value === null ? '' : undefined;
  }
}

function unknownKey(key: string): string {
  const ofVariable = VARIABLES.find(({ name }) => name === key);
  const nearest = ofVariable === undefined ? nearestName(key, NAMES_BY_KEY.keys()) : fileKeyOf(key);
  return `unknown key ${shownKey(key)}${nearest === undefined ? '' : `: did you mean ${nearest}?`}`;
}

/** @returns the part that looks like a name: without `: ` the rest is a value, which may hold a password */
function shownKey(key: string): string {
  const [name = ''] = /^[\w.-]{0,100}/.exec(key) ?? [];
  return name === key ? name : `${name}…: a key ends with a colon and a blank`;
}

function textOf(path: string): string {
  let bytes: Buffer;
  try {
    const found = statSync(path);
    // A pipe may never end.
    if (!found.isFile() && !found.isDirectory()) {
      throw invalid(`The configuration file ${path} is no regular file.`);
    }
    if (found.size > MAX_BYTES) {
      throw invalid(`The configuration file ${path} is longer than ${MAX_BYTES} bytes.`);
    }
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof ServiceError) {
      throw error;
    }
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw invalid(
      `The configuration file ${path} cannot be read (${code}): give another one by --config or TANKEEPER_CONFIG, or none.`,
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid(`The configuration file ${path} is not UTF-8 text.`);
  }
}

/** @returns a warning where others may read a secret */
function warningsOf(path: string, values: ReadonlyMap<string, FileValue>): readonly string[] {
  const secret = VARIABLES.find(({ name, mask }) => {
    const value = values.get(name)?.value;
    return value !== undefined && mask(value) !== value;
  });
  const isOpen = (statSync(path).mode & 0o077) !== 0;
  return secret !== undefined && isOpen
    ? [`${path} holds a password (${fileKeyOf(secret.name)}) and others may read it: chmod 600 ${path}`]
    : [];
}

function placeOf(path: string, lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${path}:${line}:${col}`;
}

function invalid(message: string): ServiceError {
  return new ServiceError('configuration.invalid', message);
}

/**
 * @param variable `WIRE_DIALECT`
 * @returns its key in a configuration file: `wireDialect`
 */
export function fileKeyOf(variable: string): string {
  return variable.toLowerCase().replace(/_(.)/g, (_match, letter: string) => letter.toUpperCase());
}
