import { z } from 'zod';
import { withTimeLimit } from '../kernel/bounded-work.ts';
import { isServiceError } from '../kernel/errors.ts';
import { maskPassword } from '../kernel/text.ts';

/** `error`: the service fails or may lose data; `warning`: to be corrected soon. */
export const SEVERITIES = ['error', 'warning'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** A fact about the installation that an operator should correct. Holds no secret. */
export const FINDING = z.object({
  severity: z.enum(SEVERITIES).meta({ column: 'SEVERITY' }),
  // `database.settings`: scripts rely on it.
  code: z.string().meta({ column: 'CODE' }),
  // The fact, in a sentence for people.
  text: z.string().meta({ column: 'FINDING' }),
  // The command or the setting that corrects it.
  remedy: z.string(),
});

export type Finding = Readonly<z.output<typeof FINDING>>;

/** A finding as it is declared, once for the command, the health page and the metrics. */
interface FindingSpec<Subject> {
  readonly severity: Severity;
  /** @returns a sentence for each case; none: all is well */
  readonly find: (subject: Subject) => Promise<readonly string[]> | readonly string[];
  readonly remedy: string;
}

/** By their codes, in the order in which they are looked for. */
export type Findings<Subject> = Readonly<Record<string, FindingSpec<Subject>>>;

/** Looks for findings. Each has a time limit; a fault becomes a finding itself, and the others go on. */
export class FindingSearch {
  readonly findings: Finding[] = [];
  readonly #timeoutMs: number;

  /** @param timeoutMs milliseconds for each finding */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Looks for one after the other: the examination is no load for a database that serves. */
  async lookFor<Subject>(specs: Findings<Subject>, subject: Subject): Promise<void> {
    for (const [code, spec] of Object.entries(specs)) {
      try {
        const late = (): Error => new Error(`it took more than ${this.#timeoutMs / 1000} s`);
        const texts = await withTimeLimit(this.#timeoutMs, start(spec, subject), late);
        for (const text of texts) {
          this.add({ code, ...spec }, text);
        }
      } catch (error) {
        this.add(INCOMPLETE, `${code} was not examined: ${reasonOf(error)}`);
      }
    }
  }

  add({ code, severity, remedy }: Omit<Finding, 'text'>, text: string): void {
    this.findings.push({ code, severity, text: maskUrls(text), remedy });
  }
}

const INCOMPLETE = {
  code: 'doctor.incomplete',
  severity: 'warning',
  remedy: 'correct the reason, then run `tankeeper doctor` again',
} as const;

/** Turns an exception before the first wait into a rejection. */
async function start<Subject>({ find }: FindingSpec<Subject>, subject: Subject): Promise<readonly string[]> {
  return find(subject);
}

/** @returns one line for people; of an error with an SQL statement, the database's own message */
export function reasonOf(error: unknown): string {
  if (isServiceError(error)) {
    return error.detail === undefined ? error.message : `${error.message} (${error.detail})`;
  }
  const message = error instanceof Error ? error.message : String(error);
  return (message.split(' - ').at(-1) ?? message).split('\n')[0] ?? '';
}

/** Masks the passwords of URLs: a message may quote what was configured. */
function maskUrls(text: string): string {
  return text.replace(/[a-z][a-z0-9+.-]*:\/\/[^\s'"]+/gi, maskPassword);
}
