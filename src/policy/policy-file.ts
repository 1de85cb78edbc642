import type { ServiceError } from '../kernel/errors.ts';
import { keepForeignPolicy, type KeptPolicy, MAX_FIELD_LENGTH, readActive, turnedOff } from './policy.ts';
import { attempt, invalidPolicy, type Policy } from './stored-policy.ts';

/*
 * Policies as a text file, for people and for LinOTP: a section `[name]` each, with a line `field = value` for each
 * field. A value may stand in quotation marks, in three of them also with line ends.
 */

const FIELDS = ['scope', 'action', 'realm', 'user', 'client', 'time', 'active'] as const;
const MAX_POLICIES = 1_000;
const MAX_NAME = 255;
const TRIPLES = ['"""', "'''"] as const;

/** @returns the file. A policy that no file can hold, as its name or text has unusual signs, is named in a comment */
export function writePolicyFile(policies: readonly Policy[]): string {
  return policies
    .map(
      (policy) => section(policy) ?? `# Left out, as a file cannot hold it: ${JSON.stringify(policy.name)}\n`,
    )
    .join('\n');
}

function section(policy: Policy): string | undefined {
  const head = `[${policy.name}]\n`;
  const lines = FIELDS.map((field) => {
    const value = field === 'active' ? (policy.active ? 'True' : 'False') : policy[field];
    const form = formsOf(value).find((one) =>
      readsAs(`${head}${field} = ${one}\n`, policy.name, field, value),
    );
    return form === undefined ? undefined : `${field} = ${form}\n`;
  });
  return lines.includes(undefined) ? undefined : head + lines.join('');
}

/** @returns the forms of a value in a file, the likeliest first; not every one can be read back */
function formsOf(value: string): readonly string[] {
  const quoted = ['"', "'", ...TRIPLES].map((mark) => `${mark}${value}${mark}`);
  return /^[^\s,#'"][^,#'"]*$/.test(value) ? [value, ...quoted] : [...quoted, value];
}

function readsAs(text: string, name: string, field: string, value: string): boolean {
  const [read, ...others] = attempt(() => sectionsOf(text)).value ?? [];
  return others.length === 0 && read?.name === name && read.fields.get(field) === value;
}

/**
 * Reads a file of `writePolicyFile` or of LinOTP, also one that people have changed.
 * @returns its policies, as they can be kept
 * @throws ServiceError 'policy.invalid' that names the line, and never quotes it: it may be a wrong file
 */
export function readPolicyFile(text: string): readonly KeptPolicy[] {
  const policies = sectionsOf(text).map(policyOf);
  if (policies.length === 0) {
    throw invalidPolicy('The file has no policy: it has a section such as [name] for each');
  }
  const names = new Set<string>();
  for (const { policy } of policies) {
    if (names.has(policy.name)) {
      throw invalidPolicy(`The file has the policy '${policy.name}' twice`);
    }
    names.add(policy.name);
  }
  return policies;
}

function policyOf({ name, line, fields }: Section): KeptPolicy {
  const text = (field: string): string => fields.get(field) ?? '';
  const missing = ['scope', 'action'].find((field) => !fields.has(field));
  if (missing !== undefined) {
    throw atLine(line, `the policy has no ${missing}`);
  }
  if (!['', name].includes(text('name'))) {
    throw atLine(line, 'the policy has another name in its section than in its field name');
  }
  const known: readonly string[] = ['name', ...FIELDS];
  const unknown = [...fields.keys()].find((field) => !known.includes(field) && text(field) !== '');
  const texts = Object.fromEntries(FIELDS.map((field) => [field, text(field)])) as Record<
    Exclude<(typeof FIELDS)[number], 'active'>,
    string
  >;
  const stored = { ...texts, name, active: readActive(text('active')) ?? true };
  return unknown === undefined
    ? keepForeignPolicy(stored)
    : turnedOff(stored, `A policy has no field '${unknown.slice(0, 50)}'`);
}

interface Section {
  readonly name: string;
  /** The number of its first line. */
  readonly line: number;
  /** Values by their names in lower case. */
  readonly fields: Map<string, string>;
}

function sectionsOf(text: string): readonly Section[] {
  const sections: Section[] = [];
  const lines = new Lines(text);
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    const content = line.trimStart();
    if (content === '' || content.startsWith('#') || content.startsWith(';')) {
      continue;
    }
    if (content.startsWith('[')) {
      sections.push({ name: sectionName(content, lines.number), line: lines.number, fields: new Map() });
    } else {
      addField(sections.at(-1), content, lines);
    }
    if (sections.length > MAX_POLICIES) {
      throw invalidPolicy(`A file has at most ${MAX_POLICIES} policies`);
    }
  }
  return sections;
}

function sectionName(content: string, line: number): string {
  const end = content.indexOf(']');
  const name = content.slice(1, Math.max(end, 1)).trim();
  const rest = content.slice(end + 1).trim();
  const isRest = rest !== '' && !rest.startsWith('#') && !rest.startsWith(';');
  if (end === -1 || isRest || name === '' || name.startsWith('[') || name.length > MAX_NAME) {
    throw atLine(line, `it is no section: [name], with 1 to ${MAX_NAME} characters`);
  }
  return name;
}

function addField(section: Section | undefined, content: string, lines: Lines): void {
  const { number } = lines;
  const sign = content.search(/[=:]/);
  const name = content.slice(0, Math.max(sign, 0)).trim().toLowerCase();
  if (section === undefined || name === '') {
    throw atLine(number, 'it is no section, field or comment of a policy');
  }
  if (section.fields.has(name)) {
    throw atLine(number, 'the policy has this field already');
  }
  const value = readValue(content.slice(sign + 1).trimStart(), lines);
  // Also of a policy that is inactive for a fault: every server reads it at each change of the configuration.
  if (value.length > MAX_FIELD_LENGTH) {
    throw atLine(number, `the field has more than ${MAX_FIELD_LENGTH} characters`);
  }
  section.fields.set(name, value);
}

/** A bare `None` is what LinOTP writes for a field that was left out. */
function readValue(text: string, lines: Lines): string {
  const triple = TRIPLES.find((mark) => text.startsWith(mark));
  if (triple !== undefined) {
    return readLines(text.slice(triple.length), triple, lines);
  }
  const plain = text.trimEnd();
  const [, inDouble, inSingle] = /^(?:"([^"]*)"|'([^']*)')\s*(?:#.*)?$/.exec(plain) ?? [];
  return inDouble ?? inSingle ?? (plain === 'None' ? '' : plain);
}

/** Takes further lines up to the one with the end mark. */
function readLines(begin: string, mark: string, lines: Lines): string {
  const { number } = lines;
  const before: string[] = [];
  let last: string | undefined = begin;
  while (last?.includes(mark) === false) {
    before.push(last);
    last = lines.more();
  }
  if (last === undefined) {
    throw atLine(number, `the quotation mark ${mark} is not closed`);
  }
  const end = last.indexOf(mark);
  const rest = last.slice(end + mark.length).trim();
  if (rest !== '' && !rest.startsWith('#')) {
    throw atLine(lines.number, `there is text behind the closing ${mark}`);
  }
  return before.join('') + last.slice(0, end);
}

/** The lines of a text, each with its end apart. */
class Lines {
  /** Lines and their ends, in turns. */
  readonly #parts: readonly string[];
  #position = -2;

  constructor(text: string) {
    this.#parts = text.replace(/^\uFEFF/, '').split(/(\r\n|\n|\r)/);
  }

  /** The number of the current line, from 1. */
  get number(): number {
    return this.#position / 2 + 1;
  }

  /** @returns the next line without its end; undefined: there is none */
  next(): string | undefined {
    this.#position += 2;
    return this.#parts[this.#position];
  }

  /** @returns the end of the current line and the next one; undefined: there is none */
  more(): string | undefined {
    const end = this.#parts[this.#position + 1] ?? '';
    const line = this.next();
    return line === undefined ? undefined : end + line;
  }
}

function atLine(line: number, reason: string): ServiceError {
  return invalidPolicy(`Line ${line} of the file: ${reason}`);
}
