import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';
import { ServiceError } from '../kernel/errors.ts';

/** Characters of a pattern. */
const MAX_LENGTH = 200;
/** Characters of a name; longer ones do not match. */
const MAX_NAME_LENGTH = 1024;
const ESCAPES_AND_CLASSES = /\\.|\[\^?(?:\\.|[^\\\]])*\]/gsu;
/** RE2 takes some of these as plain characters, and others as a count or as a place that no name has. */
const MISPLACED = /[{}\]]|(?!^)\^|\$(?!$)/;

/**
 * Reads a regular expression of an administrator, in the syntax of RE2: a match takes time in proportion to pattern and
 * name, so that none blocks the server. A dot is any character. Counted repetition is refused: it makes long patterns of
 * short texts, and a list of users is divided at its comma.
 * @returns a function that is true if the whole name matches, case-sensitively; false for names longer than 1024
 *   characters
 * @throws ServiceError 'policy.invalid' with the pattern and the reason
 */
export function readPattern(source: string): (name: string) => boolean {
  if (source.length > MAX_LENGTH) {
    throw invalid(`a pattern has at most ${MAX_LENGTH} characters`, source);
  }
  const [sign] = MISPLACED.exec(source.replace(ESCAPES_AND_CLASSES, '.')) ?? [];
  if (sign !== undefined) {
    throw invalid(`'${sign}' is not allowed here; the character itself is written '\\${sign}'`, source);
  }
  const pattern = compile(source);
  return (name) => name.length <= MAX_NAME_LENGTH && pattern.matches(name);
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source, RE2JS.DOTALL);
  } catch (error) {
    throw error instanceof RE2JSException ? invalid(reasonOf(error), source) : error;
  }
}

function reasonOf(error: RE2JSException): string {
  if (!(error instanceof RE2JSSyntaxException)) {
    return error.message;
  }
  const [what, where] = [error.getDescription(), error.getPattern() ?? ''];
  if (what.startsWith('missing argument')) {
    return `'${where}' has nothing to repeat (any text is '.*')`;
  }
  // The library writes DOTALL into the pattern.
  return where === '' || where.startsWith('(?s)') ? what : `${what} '${where}'`;
}

function invalid(reason: string, source: string): ServiceError {
  return new ServiceError('policy.invalid', `${reason} in '${source}'`);
}
