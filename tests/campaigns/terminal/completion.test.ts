import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCli } from '../../cli/cli-process.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { startServerProcess } from '../../support/servers/server-process.ts';
import { testProgram } from '../../support/servers/test-build.ts';

const EVIL = 'T$(touch${IFS}hacked)`touch${IFS}hacked`;&"\'';
const SPACED = 'U 1 of 2';

describe('completion in a shell', () => {
  let folder: string;
  let test: TestDatabase;
  let environment: Record<string, string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tankeeper-completion-'));
    test = await createTestDatabase();
    await mkdir(join(folder, 'bin'));
    const program = `#!/bin/sh\nexec '${process.execPath}' '${testProgram()}' "$@"\n`;
    await writeFile(join(folder, 'bin/tankeeper'), program, { mode: 0o755 });
    const path = `${join(folder, 'bin')}:${process.env.PATH ?? ''}`;
    environment = { DATABASE_URL: test.url, DATA_DIR: join(folder, 'data'), HOME: folder, PATH: path };
    await (await startServerProcess(environment)).stop();
    await runCli(['resolver', 'add', 'staff'], environment);
    await runCli(['realm', 'add', 'office', '--resolvers', 'staff'], environment);
    for (const serial of ['T1', 'U1']) {
      const added = await runCli(['token', 'init', '--serial', serial, '--generate'], environment);
      expect(added.code).toBe(0);
    }
    // Imports may bring serials of any characters.
    await queryOnce(test.url, `UPDATE tokens SET serial = $$${EVIL}$$ WHERE serial = 'T1'`);
    await queryOnce(test.url, `UPDATE tokens SET serial = '${SPACED}' WHERE serial = 'U1'`);
  });

  afterAll(async () => {
    await test.drop();
    await rm(folder, { recursive: true });
  });

  /** Runs a script that completes `$1`. A completion gives up after two seconds, which are short on a busy machine. */
  function inShell(shell: string, words: readonly string[], script: string, line: string): readonly string[] {
    for (let attempt = 1; ; attempt += 1) {
      const { stdout, stderr, status } = spawnSync(
        shell,
        [...words, '-c', script, ...(shell === 'fish' ? [] : [shell]), line],
        {
          cwd: folder,
          env: { ...environment, LC_ALL: 'C.UTF-8' },
          encoding: 'utf8',
        },
      );
      expect([status, stderr]).toEqual([0, '']);
      if (stdout.trim() !== '' || attempt === 5) {
        return stdout.split('\n').filter((one) => one !== '');
      }
    }
  }

  // Evaluates the completed word as the shell does when Enter is pressed.
  const BASH = `source <(tankeeper completion bash)
    COMP_LINE=$1 COMP_POINT=\${#1}
    read -ra COMP_WORDS <<< "$1"
    [[ $1 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _tankeeper
    for word in "\${COMPREPLY[@]}"; do eval "printf '%s\\n' $word"; done`;
  const ZSH = `compdef() { :; }
    compadd() { shift; print -rl -- "$@"; }
    _files() { :; }
    source <(tankeeper completion zsh)
    words=(\${(z)1}) CURRENT=\${#words}
    _tankeeper`;
  const FISH = `tankeeper completion fish | source
    complete -C $argv[1]`;

  const SHELLS = [
    ['bash', ['--norc'], BASH],
    ['zsh', ['-f'], ZSH],
    ['fish', ['--no-config'], FISH],
  ] as const;

  it.each(SHELLS)(
    '%s completes a realm, and serials, none of which it runs',
    async (shell, words, script) => {
      if (spawnSync(shell, ['--version']).status !== 0 && process.env.CI !== 'true') {
        return;
      }
      expect(inShell(shell, words, script, 'tankeeper realm show o')).toEqual(['office']);
      expect(inShell(shell, words, script, 'tankeeper token show T')).toEqual([EVIL]);
      expect(inShell(shell, words, script, 'tankeeper token show U')).toEqual([SPACED]);
      expect(await readdir(folder)).not.toContain('hacked');
    },
  );
});
