/** The exit status of a command. 130 is what shells expect of one that Ctrl-C ended. */
export const EXIT_CODES = { success: 0, failure: 1, usage: 2, interrupted: 130 } as const;

/** Something that the person at the command line can put right. The message is all that they are told. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT_CODES.failure) {
    super(message);
    this.exitCode = exitCode;
  }
}
