import { ServiceError } from '../kernel/errors.ts';

/** A node of a parsed pattern. */
export type PatternNode =
  | { readonly kind: 'character'; readonly accepts: (character: string) => boolean }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly branches: readonly PatternNode[] }
  | {
      readonly kind: 'repeat';
      readonly part: PatternNode;
      /** `*`: none or more, `+`: one or more, `?`: none or one. */
      readonly how: '*' | '+' | '?';
    };

const MAX_LENGTH = 200;
const MAX_DEPTH = 20;
const CLASSES: Readonly<Record<string, RegExp>> = { d: /[0-9]/, w: /[A-Za-z0-9_]/, s: /\s/ };

/** The position in the pattern. */
interface PatternReader {
  readonly characters: readonly string[];
  at: number;
  depth: number;
}

/**
 * Parses the part of regular expressions that can be matched in linear time and serves for names: characters, `.`, `*`,
 * `+`, `?`, `[a-z]`, `[^a-z]`, `(a|b)`, `\d`, `\w`, `\s`, `\.`, and `^`, `$` at the ends, where they change nothing: a
 * pattern always matches the whole name.
 * @throws ServiceError 'policy.invalid' with the pattern and the reason
 */
export function readPattern(source: string): PatternNode {
  if (source.length > MAX_LENGTH) {
    throw invalid(`a pattern has at most ${MAX_LENGTH} characters`);
  }
  const inner = source.replace(/^\^/, '').replace(/(?<!\\)\$$/, '');
  const reader: PatternReader = { characters: Array.from(inner), at: 0, depth: 0 };
  try {
    const node = readChoice(reader);
    if (peek(reader) !== undefined) {
      throw invalid("')' without '('");
    }
    return node;
  } catch (error) {
    throw error instanceof ServiceError ? invalid(`${error.message} in '${source}'`) : error;
  }
}

function readChoice(reader: PatternReader): PatternNode {
  const branches = [readSequence(reader)];
  while (peek(reader) === '|') {
    nextCharacter(reader);
    branches.push(readSequence(reader));
  }
  const [only] = branches;
  return branches.length === 1 && only !== undefined ? only : { kind: 'choice', branches };
}

function readSequence(reader: PatternReader): PatternNode {
  const parts: PatternNode[] = [];
  for (let next = peek(reader); next !== undefined && next !== '|' && next !== ')'; next = peek(reader)) {
    parts.push(readRepeat(reader));
  }
  return { kind: 'sequence', parts };
}

function readRepeat(reader: PatternReader): PatternNode {
  const part = readPart(reader);
  const how = peek(reader);
  if (how !== '*' && how !== '+' && how !== '?') {
    return part;
  }
  nextCharacter(reader);
  return { kind: 'repeat', part, how };
}

function readPart(reader: PatternReader): PatternNode {
  const character = nextCharacter(reader);
  switch (character) {
    case '.':
      return characterNode(() => true);
    case '(':
      return readGroup(reader);
    case '[':
      return readClass(reader);
    case '\\':
      return characterNode(readEscape(reader));
    default:
      assertPlain(character);
      return characterNode((other) => other === character);
  }
}

function assertPlain(character = ''): void {
  if (['*', '+', '?'].includes(character)) {
    throw invalid(`'${character}' has nothing to repeat (any text is '.*')`);
  }
  if (['{', '}', ']', '^', '$'].includes(character)) {
    throw invalid(`'${character}' is not allowed here; the character itself is written '\\${character}'`);
  }
}

function readGroup(reader: PatternReader): PatternNode {
  reader.depth += 1;
  if (reader.depth > MAX_DEPTH) {
    throw invalid(`more than ${MAX_DEPTH} nested groups`);
  }
  if (peek(reader) === '?') {
    nextCharacter(reader);
    if (peek(reader) !== ':') {
      throw invalid("'(?' is not allowed");
    }
    nextCharacter(reader);
  }
  const node = readChoice(reader);
  if (peek(reader) !== ')') {
    throw invalid("'(' without ')'");
  }
  nextCharacter(reader);
  reader.depth -= 1;
  return node;
}

function readClass(reader: PatternReader): PatternNode {
  const isNegated = peek(reader) === '^';
  if (isNegated) {
    nextCharacter(reader);
  }
  const members: ((character: string) => boolean)[] = [];
  while (peek(reader) !== ']') {
    members.push(readMember(reader));
  }
  nextCharacter(reader);
  if (members.length === 0) {
    throw invalid("'[]' is empty");
  }
  return characterNode((character) => members.some((accepts) => accepts(character)) !== isNegated);
}

function readMember(reader: PatternReader): (character: string) => boolean {
  const first = nextCharacter(reader);
  if (first === undefined) {
    throw invalid("'[' without ']'");
  }
  if (first === '\\') {
    return readEscape(reader);
  }
  if (peek(reader) !== '-' || reader.characters[reader.at + 1] === ']') {
    return (character) => character === first;
  }
  nextCharacter(reader);
  return readRange(first, nextCharacter(reader) ?? '');
}

function readRange(first: string, last: string): (character: string) => boolean {
  const [from, to] = [codeOf(first), codeOf(last)];
  if (last === '\\' || from > to) {
    throw invalid(`'${first}-${last}' is no range`);
  }
  return (character) => from <= codeOf(character) && codeOf(character) <= to;
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? -1;
}

function readEscape(reader: PatternReader): (character: string) => boolean {
  const character = nextCharacter(reader) ?? '';
  const members = CLASSES[character];
  if (members !== undefined) {
    return (other) => members.test(other);
  }
  if (!/^[^\p{L}\p{N}]$/u.test(character)) {
    throw invalid(`'\\${character}' is not allowed`);
  }
  return (other) => other === character;
}

function characterNode(accepts: (character: string) => boolean): PatternNode {
  return { kind: 'character', accepts };
}

function peek({ characters, at }: PatternReader): string | undefined {
  return characters[at];
}

function nextCharacter(reader: PatternReader): string | undefined {
  const character = reader.characters[reader.at];
  reader.at += 1;
  return character;
}

function invalid(reason: string): ServiceError {
  return new ServiceError('policy.invalid', reason);
}
