// Bundles src/ with its libraries, and the pages in app/ and console/ to static files. Types are checked by `npm run typecheck`.
//
//   node scripts/build.js [FOLDER]         FOLDER beside src/, dist by default
//   node scripts/build.js FOLDER --copy    copies dist/ there instead, if that was made of the same
//   node scripts/build.js --prepare        for npm: no build where the compiler is missing (npm ci --omit=dev)
import { createHash } from 'node:crypto';
import { copyFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { HASH_FILE, hashSources } from '../bin/program.js';

const ROOT = join(import.meta.dirname, '..');
const PAGE_FILES = [
  'swagger-ui-bundle.js',
  'swagger-ui.css',
  'LICENSE',
  'NOTICE',
  'swagger-ui-bundle.js.LICENSE.txt',
];
/** Files of their own beside the bundle: native code, WebAssembly, and drivers that Knex names but the server never loads. */
const NOT_BUNDLED = [
  '@node-rs/argon2',
  'node-sqlite3-wasm',
  'pkcs11js',
  'pg-native',
  'pg-query-stream',
  /^(better-sqlite3|mariadb\/callback|mysql2?|oracledb|sqlite3|tedious)$/,
];

/** Of the libraries in a bundle, in its folder. */
const LICENCES = 'LICENCES.md';

/** In a build, the hash of all that it was made of. */
const INPUTS_FILE = 'inputs.sha256';

/** Beside src/, the inputs of a build. The app shows the version of package.json. */
const INPUT_FILES = ['package.json', 'tsconfig.json'];
const INPUT_FOLDERS = ['app', 'console', 'docs/guides'];

/** Files that a coding makes smaller. */
const TEXTS = ['.html', '.js', '.css', '.json', '.webmanifest', '.svg', '.txt'];

const [given = 'dist', option] = process.argv.slice(2);
if (option === '--copy' && (await isCurrent(join(ROOT, 'dist')))) {
  await cp(join(ROOT, 'dist'), join(ROOT, given), { recursive: true });
  process.exit();
}
const vite = await import('vite').catch((error) => {
  if (given !== '--prepare') {
    throw error;
  }
});
if (vite === undefined) {
  console.log('tankeeper: not built, as the development dependencies are missing.');
} else {
  await build(join(ROOT, given === '--prepare' ? 'dist' : given));
}

/** Builds in a folder of its own, which then takes the place of the old build: no program finds half of one. */
async function build(target) {
  const folder = join(ROOT, `dist-new-${process.pid}`);
  // Before the sources are read: an edit during the build makes it an old one.
  const hash = hashSources();
  const inputs = await hashInputs();
  try {
    // Libraries choose by it between their code and that for development, which is slower and twice as large.
    process.env.NODE_ENV = 'production';
    await buildProgram(folder);
    await copyPageFiles(join(folder, 'http/controllers/swagger-ui'));
    await copyStatements(folder);
    await buildPages(folder);
    await writeFile(join(folder, HASH_FILE), hash);
    await writeFile(join(folder, INPUTS_FILE), inputs);
    await rm(target, { recursive: true, force: true });
    await rename(folder, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Also of its pages, which the program's own look at its sources leaves out. */
async function isCurrent(folder) {
  const made = await readFile(join(folder, INPUTS_FILE), 'utf8').catch(() => undefined);
  return made === (await hashInputs());
}

async function hashInputs() {
  const hash = createHash('sha256').update(hashSources());
  const single = INPUT_FILES.map((name) => join(ROOT, name));
  const inFolders = (await Promise.all(INPUT_FOLDERS.map(filesIn))).flat().sort();
  for (const file of [import.meta.filename, ...single, ...inFolders]) {
    const content = await readFile(file);
    hash.update(`${relative(ROOT, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** But for types, which are not built, and of which the checks write some, and for what Vite alone has built there. */
async function filesIn(folder) {
  const place = join(ROOT, folder);
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.endsWith('.d.ts') && !file.startsWith(join(place, 'dist/')));
}

/** Copies the statements that modules read from files beside them. */
async function copyStatements(target) {
  const source = join(ROOT, 'src');
  const names = await readdir(source, { recursive: true });
  for (const name of names.filter((one) => one.endsWith('.sql'))) {
    await mkdir(dirname(join(target, name)), { recursive: true });
    await copyFile(join(source, name), join(target, name));
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
  const options = (config, folder) => ({
    configFile: join(ROOT, config),
    logLevel: 'warn',
    build: { outDir: join(target, folder), emptyOutDir: false, license: { fileName: LICENCES } },
  });
  await vite.build(options('app/vite.config.ts', 'app'));
  await vite.build(options('app/component/vite.config.ts', 'app/component'));
  await vite.build(options('console/vite.config.ts', 'console'));
  await copyGuides(join(target, 'console/guides'));
  await compressFiles(join(target, 'app'));
  await compressFiles(join(target, 'console'));
}

/** Writes each text that gains by it also in the codings that the server sends. */
async function compressFiles(folder) {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const name = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !TEXTS.includes(extname(name))) {
      continue;
    }
    const content = await readFile(name);
    for (const [ending, coded] of [
      ['.br', brotliCompressSync(content)],
      ['.gz', gzipSync(content, { level: 9 })],
    ]) {
      if (coded.length < content.length) {
        await writeFile(name + ending, coded);
      }
    }
  }
}

/** Copies the guides, to which the pages of the console lead, as plain text. */
async function copyGuides(target) {
  const source = join(ROOT, 'docs/guides');
  await mkdir(target, { recursive: true });
  for (const name of await readdir(source)) {
    await copyFile(join(source, name), join(target, name.replace(/\.md$/, '.txt')));
  }
}

/**
 * Bundles src/ with its libraries into some hundred files: a server then starts with 40 % less of the processor's time,
 * and in 20 MiB less, than with 1 200 modules (docs/adr/0036-bundled-program.md).
 */
async function buildProgram(target) {
  const source = join(ROOT, 'src');
  await vite.build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    publicDir: false,
    // The files of the bundle lie flat: what a module finds relative to itself is found relative to its old place.
    plugins: [
      {
        name: 'place-of-module',
        transform: {
          filter: { id: /\/src\/.*\.ts$/, code: /import\.meta\.url/ },
          handler: (code, id) => ({
            code: code.replaceAll(
              'import.meta.url',
              `new URL('./${relative(source, id).replace(/ts$/, 'js')}', import.meta.url).href`,
            ),
            map: null,
          }),
        },
      },
    ],
    ssr: { target: 'node', noExternal: true },
    build: {
      ssr: true,
      target: 'node20',
      outDir: target,
      sourcemap: true,
      minify: false,
      license: { fileName: LICENCES },
      rolldownOptions: {
        external: NOT_BUNDLED,
        input: {
          main: join(source, 'main.ts'),
          'pkcs11-process': join(source, 'keys/pkcs11-process.ts'),
        },
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          sourcemapExcludeSources: true,
        },
      },
    },
  });
  await escapeFiles(target);
}

/** Leaves ASCII alone: V8 keeps the source of a module, and with one other character takes two bytes for each. */
async function escapeFiles(folder) {
  for (const name of await readdir(folder)) {
    if (name.endsWith('.js')) {
      const code = await readFile(join(folder, name), 'utf8');
      await writeFile(join(folder, name), code.replace(/[\u0080-\uFFFF]/g, escapeUnit));
    }
  }
}

function escapeUnit(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
