import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { consoleApi } from './console-api.ts';

/** `npm run console:api`: writes the types of the interface that the console calls, which the compiler and the linter need. */
writeFileSync(join(import.meta.dirname, '../console/src/api/interface.d.ts'), await consoleApi());
