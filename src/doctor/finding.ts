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
