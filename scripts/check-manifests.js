// Checks the manifests of deploy/kubernetes, as kustomize builds them, against the published schemas of Kubernetes:
// their values by the compiled schemas, the names of their fields by their types (the schemas let unknown ones pass).
//
//   kubectl kustomize deploy/kubernetes | node scripts/check-manifests.js FOLDER
//
// FOLDER/node_modules holds kubernetes-models, yaml and typescript. Exit code 1: the faults are on standard error.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const folder = resolve(process.argv[2]);
const require = createRequire(join(folder, 'package.json'));
const { parseAllDocuments } = require('yaml');

const manifests = parseAllDocuments(readFileSync(0, 'utf8')).map((document) => {
  if (document.errors.length > 0) {
    throw document.errors[0];
  }
  return document.toJS();
});
const faults = manifests.flatMap(invalidValues);
faults.push(...unknownFields());
if (manifests.length < 8) {
  faults.push(`only ${manifests.length} manifests were built`);
}
for (const fault of faults) {
  console.error(fault);
}
console.log(`${manifests.length} manifests: ${manifests.map(({ kind }) => kind).join(', ')}`);
process.exitCode = faults.length > 0 ? 1 : 0;

function invalidValues(manifest) {
  const Model = require(`kubernetes-models/${manifest.apiVersion}`)[manifest.kind];
  try {
    new Model(manifest).validate();
    return [];
  } catch (error) {
    return [`${manifest.kind} ${manifest.metadata.name}: ${error.message}`];
  }
}

/** Excess properties of object literals are errors of the compiler. */
function unknownFields() {
  const source = manifests.map(
    (manifest, place) =>
      `import type { I${manifest.kind} as T${place} } from 'kubernetes-models/${manifest.apiVersion}';\n` +
      `export const m${place}: T${place} = ${JSON.stringify(manifest, null, 2)};\n`,
  );
  const file = join(folder, 'manifests.ts');
  writeFileSync(file, source.join(''));
  try {
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig'];
    execFileSync(
      process.execPath,
      [
        require.resolve('typescript/bin/tsc'),
        ...options,
        '--module',
        'node20',
        '--moduleResolution',
        'node16',
        file,
      ],
      { cwd: folder, encoding: 'utf8' },
    );
    return [];
  } catch (error) {
    return [error.stdout.trim() || error.message];
  }
}
