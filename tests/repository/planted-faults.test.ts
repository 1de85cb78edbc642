import { expect, it } from '@jest/globals';
import { join } from 'node:path';
import { listRepositoryFiles, readRepositoryFile, REPOSITORY } from './repository-file.ts';

type Fault = readonly [file: string, text: string, ...rest: unknown[]];

it('the texts in whose place faults are planted are in the source', async () => {
  const gone: string[] = [];
  for (const list of listRepositoryFiles('mutation/planted')) {
    const { faults } = (await import(join(REPOSITORY, list))) as { readonly faults: readonly Fault[] };
    expect(faults.length).toBeGreaterThan(20);
    gone.push(
      ...faults
        .filter(([file, text]) => !readRepositoryFile(join('src', file)).includes(text))
        .map(([file, text]) => `${list}: ${file}: ${text}`),
    );
  }
  expect(gone).toEqual([]);
});
