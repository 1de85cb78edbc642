import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { CliFailure } from '../../cli-failure.ts';
import type { CliIo } from '../../dependencies.ts';

/** The target of an export. */
export interface ExportTarget {
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param file a path without a file, or `-` for standard output
 * @throws CliFailure if the file exists or cannot be created
 */
export async function openExport(io: CliIo, file: string): Promise<ExportTarget> {
  if (file === '-') {
    return {
      write: (text) => {
        io.stdout.write(text);
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    };
  }
  // The trail holds personal data: only its owner may read the file.
  const handle = await open(file, 'wx', 0o600).catch((error: unknown) => {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new CliFailure(
      code === 'EEXIST' ? `${file} is there already` : `${file} cannot be written: ${code}`,
    );
  });
  return {
    write: async (text) => {
      await handle.writeFile(text);
    },
    close: () => handle.close(),
  };
}

/**
 * @returns the lines of a file, or of standard input for `-`
 * @throws CliFailure when it cannot be read
 */
export async function* exportedLines(io: CliIo, file: string): AsyncGenerator<string> {
  if (file === '-') {
    yield* createInterface({ input: Readable.from(io.stdin), crlfDelay: Infinity });
    return;
  }
  const handle = await open(file, 'r').catch((error: unknown) => {
    throw new CliFailure(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? ''}`);
  });
  try {
    yield* handle.readLines();
  } finally {
    await handle.close();
  }
}
