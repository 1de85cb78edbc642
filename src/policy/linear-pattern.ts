import { type PatternNode, readPattern } from './pattern-syntax.ts';

/** An instruction of the automaton (K. Thompson, 1968); targets are indices of instructions. */
type Instruction =
  | { readonly op: 'character'; readonly accepts: (character: string) => boolean; readonly next: number }
  | { readonly op: 'fork'; readonly next: readonly number[] }
  | { readonly op: 'match' };

/** The result of a run. */
export interface PatternRun {
  readonly matched: boolean;
  /** The number of instructions visited, as a measure of the work. */
  readonly steps: number;
}

/** Characters; longer names do not match. */
const MAX_NAME_LENGTH = 1024;

/**
 * A regular expression of an administrator that cannot block the server: an automaton in all its states at once. The
 * work is at most instructions times characters for any pattern. Therefore it has no back references, look-around and
 * counted repetition, see `readPattern`; docs/adr/0019-own-patterns.md compares it with a library.
 */
export class LinearPattern {
  readonly #program: readonly Instruction[];
  readonly #start: number;

  /** @throws ServiceError 'policy.invalid' with the reason */
  constructor(source: string) {
    const program: Instruction[] = [{ op: 'match' }];
    this.#start = append(program, readPattern(source), 0);
    this.#program = program;
  }

  /** @returns the number of instructions */
  get size(): number {
    return this.#program.length;
  }

  /** @returns true if the whole name matches, case-sensitively; false for names longer than 1024 characters */
  matches(name: string): boolean {
    return this.run(name).matched;
  }

  /** @returns true if the whole name matches, with the work */
  run(name: string): PatternRun {
    if (name.length > MAX_NAME_LENGTH) {
      return { matched: false, steps: 0 };
    }
    let steps = 0;
    let states = this.#reach([this.#start]);
    for (const character of name) {
      steps += states.size;
      const next: number[] = [];
      for (const state of states) {
        const instruction = this.#program[state];
        if (instruction?.op === 'character' && instruction.accepts(character)) {
          next.push(instruction.next);
        }
      }
      states = this.#reach(next);
    }
    return { matched: states.has(0), steps: steps + states.size };
  }

  /** @returns the states reached from these without a character */
  #reach(from: readonly number[]): Set<number> {
    const reached = new Set<number>();
    const open = [...from];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (reached.has(state)) {
        continue;
      }
      reached.add(state);
      const instruction = this.#program[state];
      if (instruction?.op === 'fork') {
        open.push(...instruction.next);
      }
    }
    return reached;
  }
}

/**
 * Adds the instructions of a node, which continue with `next`.
 * @returns the index of its first instruction
 */
function append(program: Instruction[], node: PatternNode, next: number): number {
  switch (node.kind) {
    case 'character':
      return add(program, { op: 'character', accepts: node.accepts, next });
    case 'sequence':
      return node.parts.reduceRight((following, part) => append(program, part, following), next);
    case 'choice':
      return add(program, { op: 'fork', next: node.branches.map((branch) => append(program, branch, next)) });
    case 'repeat':
      return appendRepeat(program, node, next);
  }
}

function appendRepeat(
  program: Instruction[],
  { part, how }: Extract<PatternNode, { kind: 'repeat' }>,
  next: number,
): number {
  if (how === '?') {
    return add(program, { op: 'fork', next: [append(program, part, next), next] });
  }
  const targets: number[] = [next];
  const fork = add(program, { op: 'fork', next: targets });
  const body = append(program, part, fork);
  targets.push(body);
  return how === '*' ? fork : body;
}

function add(program: Instruction[], instruction: Instruction): number {
  return program.push(instruction) - 1;
}
