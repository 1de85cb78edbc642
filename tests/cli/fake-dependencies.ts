import type { Caller } from '../../src/policy/caller.ts';
import type { Services } from '../../src/services.ts';
import type { CliDependencies } from '../../src/cli/dependencies.ts';
import { loadConfig } from '../../src/config/config.ts';
import { runProgram } from '../../src/cli/program.ts';
import { type FakeIo, fakeIo } from './fake-io.ts';

/** One call of a service: `tokens.enable` and what it was given after the caller. */
export type Call = readonly [string, ...unknown[]];

export interface FakeCli {
  readonly dependencies: CliDependencies;
  readonly io: FakeIo;
  readonly calls: Call[];
  readonly callers: Caller[];
  /** The number of times that services were opened, and closed. */
  readonly opened: { count: number; closed: number };
}

/** The answers of services by `noun.method`; an Error is thrown. */
export type Answers = Readonly<Record<string, unknown>>;

/** @returns dependencies that record what a command does */
export function fakeCli(
  answers: Answers = {},
  { io = fakeIo(), ...overrides }: { io?: FakeIo } & Partial<Omit<CliDependencies, 'io'>> = {},
): FakeCli {
  const calls: Call[] = [];
  const callers: Caller[] = [];
  const opened = { count: 0, closed: 0 };
  const services = recordingServices(answers, calls, callers);
  const dependencies: CliDependencies = {
    openServices: () => {
      opened.count += 1;
      const close = (): Promise<void> => {
        opened.closed += 1;
        return Promise.resolve();
      };
      return Promise.resolve(Object.assign(services, { close }));
    },
    loadConfiguration: () => Promise.resolve(loadConfig({})),
    fetch: () => Promise.reject(new Error('not in this test')),
    clock: { now: () => new Date('2026-11-20T12:00:00Z') },
    random: { bytes: (size) => Buffer.alloc(size, 1), below: () => 0 },
    version: '1.2.3',
    osUser: 'root',
    homeFolder: '/nonexistent',
    ...overrides,
    io,
  };
  return { dependencies, io, calls, callers, opened };
}

/** The end of a command, and what it has asked services for. */
interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly prompts: readonly string[];
  readonly calls: readonly Call[];
}

/** Runs a command with services that answer as told. */
export async function runFake(
  line: string | readonly string[],
  answers: Answers = {},
  io = fakeIo(),
): Promise<Ran> {
  const { dependencies, calls } = fakeCli(answers, { io });
  const code = await runProgram(typeof line === 'string' ? line.split(' ') : line, dependencies);
  return { code, out: io.out(), err: io.err(), prompts: io.prompts, calls };
}

/** No services: these are no promise, and nobody has interrupted them. */
const ABSENT = ['then', 'interrupted'];

/** @returns services that record each call and answer as told */
export function recordingServices(answers: Answers, calls: Call[], callers: Caller[]): Services {
  const noun = (name: string): unknown =>
    new Proxy(
      {},
      {
        get:
          (_target, method) =>
          (...all: readonly unknown[]) => {
            const call = `${name}.${String(method)}`;
            const given = all.filter((one) => !isCaller(one));
            // It asks nobody.
            if (call === 'settings.unreadReason') {
              return answers[call];
            }
            // Reads only; without an answer, an act has no consequences.
            if (name === 'consequences') {
              return Promise.resolve(answers[call] ?? []);
            }
            calls.push([call, ...given]);
            callers.push(...all.filter(isCaller));
            const answer = answers[call];
            return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
          },
      },
    );
  return new Proxy({} as Services, {
    get: (own, name): unknown =>
      name in own || ABSENT.includes(String(name)) ? Reflect.get(own, name) : noun(String(name)),
  });
}

function isCaller(value: unknown): value is Caller {
  return typeof value === 'object' && value !== null && 'principal' in value;
}
