import { withTimeLimit } from '../kernel/bounded-work.ts';
import { isServiceError } from '../kernel/errors.ts';
import { maskPassword } from '../kernel/text.ts';

/** `error`: the service fails or may lose data; `warning`: to be corrected soon; `note`: worth knowing. */
export const SEVERITIES = ['error', 'warning', 'note'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** A fact about the installation that an operator should know or correct. Holds no secret. */
export interface Finding {
  /** The name of the check and of the fact: `database.fsync`. Scripts rely on it. */
  readonly code: string;
  readonly severity: Severity;
  /** The fact, in a sentence for people. */
  readonly text: string;
  /** The command or the setting that corrects it. */
  readonly remedy: string;
}

/** @returns a finding; reads as a sentence at its call: `found('error', 'database.fsync', …)` */
export function findingOf(severity: Severity, code: string, text: string, remedy: string): Finding {
  return { code, severity, text, remedy };
}

interface CheckResult {
  readonly name: string;
  /** `failed`: it ended by a fault or by the time limit; `skipped`: an earlier finding prevents it. */
  readonly state: 'done' | 'failed' | 'skipped';
}

export interface DoctorReport {
  /** In the order of the checks. */
  readonly checks: readonly CheckResult[];
  /** In the order of the checks, not by severity. */
  readonly findings: readonly Finding[];
}

/** The findings of a check, and its result for later checks. */
export interface Checked<Value> {
  readonly findings: readonly Finding[];
  /** Undefined: checks that need it are skipped. */
  readonly value: Value | undefined;
}

/** A check that no other one needs. */
export interface Check {
  readonly name: string;
  readonly find: () => Promise<readonly Finding[]> | readonly Finding[];
}

/** Runs checks. Each one has a time limit. A fault of a check becomes a finding, and the others go on. */
export class Examination {
  readonly #timeoutMs: number;
  readonly #results: (CheckResult & { readonly findings: readonly Finding[] })[] = [];

  /** @param options.timeoutMs milliseconds for each check */
  constructor({ timeoutMs }: { readonly timeoutMs: number }) {
    this.#timeoutMs = timeoutMs;
  }

  get report(): DoctorReport {
    return {
      checks: this.#results.map(({ name, state }) => ({ name, state })),
      findings: this.#results.flatMap(({ findings }) => findings.map(maskFinding)),
    };
  }

  /** Runs a check on which others depend. @returns its value; undefined if it has none, or has failed */
  async runFirst<Value>(
    name: string,
    work: () => Promise<Checked<Value>>,
    timeoutMs = this.#timeoutMs,
  ): Promise<Value | undefined> {
    try {
      const { findings, value } = await withTimeLimit(timeoutMs, start(work), () => new OverdueCheck());
      this.#results.push({ name, state: 'done', findings });
      return value;
    } catch (error) {
      this.#results.push({ name, state: 'failed', findings: [faultFinding(name, error, timeoutMs)] });
      return undefined;
    }
  }

  /** Runs checks one after the other: the examination is no load for a database that serves. */
  async run(checks: readonly Check[]): Promise<void> {
    for (const { name, find } of checks) {
      await this.runFirst(name, async () => ({ findings: await find(), value: undefined }));
    }
  }

  /** Records that checks are not possible, and why. */
  skip(names: readonly string[], reason: string): void {
    if (names.length === 0) {
      return;
    }
    const text = `not examined, as ${reason}: ${names.join(', ')}`;
    const remedy = 'correct what is found above, then run `tankeeper doctor` again';
    names.forEach((name, index) => {
      const findings = index === 0 ? [findingOf('note', 'doctor.skipped', text, remedy)] : [];
      this.#results.push({ name, state: 'skipped', findings });
    });
  }
}

/** The end of a check that took too long. */
class OverdueCheck extends Error {
  override readonly name = 'OverdueCheck';
}

/** Turns an exception before the first wait into a rejection. */
async function start<Value>(work: () => Promise<Value>): Promise<Value> {
  return work();
}

function faultFinding(name: string, error: unknown, timeoutMs: number): Finding {
  if (error instanceof OverdueCheck) {
    return findingOf(
      'warning',
      `${name}.overdue`,
      `the check did not end within ${timeoutMs / 1000} s`,
      'run `tankeeper doctor` again while the machine and the database have less work',
    );
  }
  return findingOf(
    'warning',
    `${name}.failed`,
    `the check failed: ${reasonOf(error)}`,
    'correct the reason, then run `tankeeper doctor` again',
  );
}

/** @returns one line for people; of an error with an SQL statement, the database's own message */
function reasonOf(error: unknown): string {
  if (isServiceError(error)) {
    return error.detail === undefined ? error.message : `${error.message} (${error.detail})`;
  }
  const message = error instanceof Error ? error.message : String(error);
  return (message.split(' - ').at(-1) ?? message).split('\n')[0] ?? '';
}

/** Masks the passwords of URLs: a message may quote what was configured. */
function maskFinding(finding: Finding): Finding {
  return { ...finding, text: maskUrls(finding.text), remedy: maskUrls(finding.remedy) };
}

function maskUrls(text: string): string {
  return text.replace(/[a-z][a-z0-9+.-]*:\/\/[^\s'"]+/gi, maskPassword);
}
