// Runs a program of the project: its build if that was made of the sources beside it, else the sources, compiled as they are loaded.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { register } from 'node:module';

const SOURCES = new URL('../src/', import.meta.url);
const BUILD = new URL('../dist/', import.meta.url);
/** Of the libraries, which are part of a build. */
const VERSIONS = new URL('../package-lock.json', import.meta.url);

/** In a build, the hash of what it was made of. */
export const HASH_FILE = 'sources.sha256';

/** @param {{ source: URL, build: URL }} modules the same program in src/ and in dist/ */
export async function runProgram({ source, build }) {
  assertFiles();
  if (isBuilt()) {
    await import(build.href);
    return;
  }
  if (!existsSync(SOURCES)) {
    console.error('tankeeper: neither src/ nor dist/ is here. Run `npm run build`.');
    process.exit(1);
  }
  try {
    import.meta.resolve('@swc/core');
  } catch {
    const reason = existsSync(BUILD) ? 'dist/ was made of other sources or libraries, and ' : '';
    console.error(`tankeeper: ${reason}the development dependencies are missing. Run \`npm ci\` first.`);
    process.exit(1);
  }
  process.setSourceMapsEnabled(true);
  register('./source-loader.js', import.meta.url);
  await import(source.href);
}

/** Modules are opened many at a time: with fewer files, one of them fails somewhere in the middle of a start. */
const FEWEST_FILES = 128;

function assertFiles() {
  const limits = existsSync('/proc/self/limits') ? readFileSync('/proc/self/limits', 'utf8') : '';
  const granted = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? FEWEST_FILES);
  if (granted < FEWEST_FILES) {
    console.error(
      `tankeeper: the process may open ${granted} files, and needs ${FEWEST_FILES} at least: raise LimitNOFILE (ulimit -n).`,
    );
    process.exit(1);
  }
}

/** @returns {string} a hash of the names and contents of all sources and of the libraries' versions, in hexadecimal */
export function hashSources() {
  const hash = createHash('sha256');
  for (const name of sourceNames()) {
    const source = readFileSync(new URL(name, SOURCES));
    hash.update(`${name}\0${source.length}\0`).update(source);
  }
  if (existsSync(VERSIONS)) {
    hash.update(readFileSync(VERSIONS));
  }
  return hash.digest('hex');
}

/** @returns {string[]} the sources, relative to src/, in a fixed order */
function sourceNames() {
  return namesIn('').sort();
}

/** Node's own recursive listing takes four times as long. */
function namesIn(folder) {
  return readdirSync(new URL(folder, SOURCES), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? namesIn(`${folder}${entry.name}/`)
      : /\.(?:ts|sql)$/.test(entry.name)
        ? [folder + entry.name]
        : [],
  );
}

/** An edited checkout must not run what was built before the edit. Without sources (the image) any build will do. */
function isBuilt() {
  const file = new URL(HASH_FILE, BUILD);
  return existsSync(file) && (!existsSync(SOURCES) || readFileSync(file, 'utf8') === hashSources());
}
