import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { readRepositoryFile, REPOSITORY } from '../../repository/repository-file.ts';

const root = temporaryFolder();
let checkout: string;

/** Writes a file of the checkout, and makes its folder. */
function put(path: string, text: string): void {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), text);
}

/** A checkout with the programs of this one, and with sources that say from where they run. */
beforeEach(() => {
  checkout = mkdtempSync(join(root, 'checkout-'));
  for (const program of ['bin', 'scripts/build.js', 'package.json', 'tsconfig.json']) {
    cpSync(join(REPOSITORY, program), join(checkout, program), { recursive: true });
  }
  symlinkSync(join(REPOSITORY, 'node_modules'), join(checkout, 'node_modules'));
  for (const site of ['app', 'console']) {
    put(`${site}/vite.config.ts`, 'export default { root: import.meta.dirname };\n');
    put(`${site}/index.html`, '<!doctype html>\n');
  }
  put(
    'app/component/vite.config.ts',
    "export default { root: import.meta.dirname, build: { lib: { entry: 'part.ts', fileName: 'part', formats: ['es'] } } };\n",
  );
  put('app/component/part.ts', 'export const part = 1;\n');
  mkdirSync(join(checkout, 'docs/guides'), { recursive: true });
  put('src/keys/pkcs11-process.ts', 'export {};\n');
  put('src/main.ts', "import { place } from './kernel/place.ts';\nconsole.log(place());\n");
  put(
    'src/kernel/place.ts',
    "export function place(): string {\n  return import.meta.url.endsWith('.ts') ? 'sources' : 'build';\n}\n",
  );
});

function run(...parameters: readonly string[]): { status: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, parameters, {
    cwd: checkout,
    encoding: 'utf8',
  });
  return { status, out: stdout, err: stderr };
}

const program = (): ReturnType<typeof run> => run('bin/tankeeper.js');
const build = (...parameters: readonly string[]): ReturnType<typeof run> =>
  run('scripts/build.js', ...parameters);
const remove = (path: string): void => {
  rmSync(join(checkout, path), { recursive: true });
};

describe('bin/tankeeper.js', () => {
  it('runs the sources where there is no build', () => {
    expect(program()).toEqual({ status: 0, out: 'sources\n', err: '' });
  });

  it('loads sources also after a Ctrl-C, which a terminal sends to all processes of a program', () => {
    put(
      'src/main.ts',
      [
        "import { setTimeout } from 'node:timers/promises';",
        "process.on('SIGINT', () => undefined);",
        "process.kill(0, 'SIGINT');",
        'await setTimeout(200);',
        "console.log((await import('./kernel/place.ts')).place());\n",
      ].join('\n'),
    );
    const detached =
      "child_process.spawn(process.execPath, ['bin/tankeeper.js'], { detached: true, stdio: 'inherit' })";
    expect(run('-e', detached)).toEqual({ status: 0, out: 'sources\n', err: '' });
  });

  it('runs the build of the sources beside it, and the sources once one of these or a library is another, until the next build', () => {
    put('src/kernel/unused.ts', 'export const unused = 1;\n');
    put('package-lock.json', '{}\n');
    const changes = {
      edited: () => {
        appendFileSync(join(checkout, 'src/kernel/place.ts'), '// edited\n');
      },
      added: () => {
        put('src/kernel/clock.ts', '');
      },
      'added SQL': () => {
        put('src/kernel/clock.sql', '');
      },
      removed: () => {
        remove('src/kernel/unused.ts');
      },
      'another version': () => {
        put('package-lock.json', '{"lockfileVersion": 3}\n');
      },
      'a build that was not finished': () => {
        remove('dist/sources.sha256');
      },
    };
    for (const [change, make] of Object.entries(changes)) {
      expect([change, build()]).toEqual([change, { status: 0, out: '', err: '' }]);
      expect([change, program()]).toEqual([change, { status: 0, out: 'build\n', err: '' }]);
      make();
      expect([change, program().out]).toEqual([change, 'sources\n']);
    }
  });

  it('runs the build where there are no sources, as in the image', () => {
    build();
    remove('src');
    remove('node_modules');
    expect(program()).toEqual({ status: 0, out: 'build\n', err: '' });
  });

  it('says what to run where there is neither', () => {
    remove('src');
    expect(program()).toEqual({
      status: 1,
      out: '',
      err: 'tankeeper: neither src/ nor dist/ is here. Run `npm run build`.\n',
    });
  });

  it('says what to run where the sources cannot run', () => {
    remove('node_modules');
    expect(program()).toEqual({
      status: 1,
      out: '',
      err: 'tankeeper: the development dependencies are missing. Run `npm ci` first.\n',
    });
  });
});

describe('scripts/build.js', () => {
  it('leaves nothing of an earlier build, and nothing beside it', () => {
    build();
    put('dist/old.js', '');
    build();
    expect(existsSync(join(checkout, 'dist/old.js'))).toBe(false);
    expect(existsSync(join(checkout, 'dist/main.js'))).toBe(true);
    expect(run('-p', "fs.readdirSync('.').sort().join()").out).toBe(
      'app,bin,console,dist,docs,node_modules,package.json,scripts,src,tsconfig.json\n',
    );
  });

  it('keeps the earlier build where a source is no TypeScript', () => {
    build();
    const before = readFileSync(join(checkout, 'dist/main.js'), 'utf8');
    appendFileSync(join(checkout, 'src/main.ts'), 'const = 1;\n');
    expect(build().status).toBe(1);
    expect(readFileSync(join(checkout, 'dist/main.js'), 'utf8')).toBe(before);
  });

  it('copies the build in dist/ with --copy, unless one of its inputs is another', () => {
    build();
    put('app/dist/index.html', '<!doctype html>\n');
    // Whatever is not copied cannot be built.
    remove('node_modules');
    const copy = (): ReturnType<typeof run> => build('copied', '--copy');
    const inputs = [
      'package.json',
      'tsconfig.json',
      'scripts/build.js',
      'src/main.ts',
      'app/index.html',
      'console/index.html',
      'docs/guides/added.md',
    ];
    for (const input of inputs) {
      const path = join(checkout, input);
      const before = existsSync(path) ? readFileSync(path) : undefined;
      appendFileSync(path, '\n');
      const refused = { status: 1, out: '', err: expect.stringContaining("Cannot find package 'vite'") };
      expect([input, copy()]).toEqual([input, refused]);
      expect(existsSync(join(checkout, 'copied'))).toBe(false);
      if (before === undefined) {
        remove(input);
      } else {
        writeFileSync(path, before);
      }
    }
    expect(copy()).toEqual({ status: 0, out: '', err: '' });
    expect(run('copied/main.js').out).toBe('build\n');
  });

  it('is run by `npm ci`, and does nothing there without the compiler', () => {
    const { scripts } = JSON.parse(readRepositoryFile('package.json')) as { scripts: Record<string, string> };
    expect(scripts).toMatchObject({
      build: 'node scripts/build.js',
      prepare: 'node scripts/build.js --prepare',
    });
    remove('node_modules');
    expect(build('--prepare')).toEqual({
      status: 0,
      out: 'tankeeper: not built, as the development dependencies are missing.\n',
      err: '',
    });
    expect(existsSync(join(checkout, 'dist'))).toBe(false);
    expect(build().status).toBe(1);
  });
});
