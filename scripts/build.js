// Compiles src/ to JavaScript, and the pages in app/ and console/ to static files. Types are checked by `npm run typecheck`.
//
//   node scripts/build.js [FOLDER]     FOLDER beside src/, dist by default
//   node scripts/build.js --prepare    for npm: no build where the compiler is missing (npm ci --omit=dev)
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { HASH_FILE, hashSources, sourceNames } from '../bin/program.js';

const ROOT = join(import.meta.dirname, '..');
const PAGE_FILES = [
  'swagger-ui-bundle.js',
  'swagger-ui.css',
  'LICENSE',
  'NOTICE',
  'swagger-ui-bundle.js.LICENSE.txt',
];
const COMPILATION = {
  swcrc: false,
  sourceMaps: true,
  inlineSourcesContent: false,
  jsc: {
    parser: { syntax: 'typescript' },
    target: 'es2023',
    rewriteRelativeImportExtensions: true,
    // Node keeps the texts of all modules in memory.
    minify: { format: { comments: false } },
  },
  module: { type: 'es6' },
};

const [given = 'dist'] = process.argv.slice(2);
const compiler = await import('@swc/core').catch((error) => {
  if (given !== '--prepare') {
    throw error;
  }
});
if (compiler === undefined) {
  console.log('tankeeper: not built, as the development dependencies are missing.');
} else {
  await build(join(ROOT, given === '--prepare' ? 'dist' : given));
}

/** Builds in a folder of its own, which then takes the place of the old build: no program finds half of one. */
async function build(target) {
  const folder = join(ROOT, `dist-new-${process.pid}`);
  // Before the sources are read: an edit during the build makes it an old one.
  const hash = hashSources();
  try {
    await Promise.all(sourceNames().map((name) => compile(name, folder)));
    await copyPageFiles(join(folder, 'http/controllers/swagger-ui'));
    await buildPages(folder);
    await writeFile(join(folder, HASH_FILE), hash);
    await rm(target, { recursive: true, force: true });
    await rename(folder, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies what the page /docs loads, with its licences: the package itself is not needed where the server runs. */
async function copyPageFiles(target) {
  const source = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  await mkdir(target, { recursive: true });
  await Promise.all(PAGE_FILES.map((name) => copyFile(join(source, name), join(target, name))));
}

/** Builds the app with the component for portals, and the console: what the server serves at /app and /console. */
async function buildPages(target) {
  // Libraries choose by it between their code and that for development, which is slower and twice as large.
  process.env.NODE_ENV = 'production';
  const { build: buildWithVite } = await import('vite');
  const options = (config, folder) => ({
    configFile: join(ROOT, config),
    logLevel: 'warn',
    build: { outDir: join(target, folder), emptyOutDir: false },
  });
  await buildWithVite(options('app/vite.config.ts', 'app'));
  await buildWithVite(options('app/component/vite.config.ts', 'app/component'));
  await buildWithVite(options('console/vite.config.ts', 'console'));
  await copyGuides(join(target, 'console/guides'));
}

/** Copies the guides, to which the pages of the console lead, as plain text. */
async function copyGuides(target) {
  const source = join(ROOT, 'docs/guides');
  await mkdir(target, { recursive: true });
  for (const name of await readdir(source)) {
    await copyFile(join(source, name), join(target, name.replace(/\.md$/, '.txt')));
  }
}

async function compile(name, folder) {
  const file = join(ROOT, 'src', name);
  const target = join(folder, name.replace(/\.ts$/, '.js'));
  const { code, map } = await compiler.transform(await readFile(file, 'utf8'), {
    ...COMPILATION,
    filename: file,
    sourceFileName: `${'../'.repeat(name.split('/').length)}src/${name}`,
  });
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, `${code}//# sourceMappingURL=${basename(target)}.map\n`);
  await writeFile(`${target}.map`, map);
}
