import { z } from 'zod';
import type { TokenImportService } from '../../challenges/enrolment/token-import-service.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { EnrolmentDialect } from '../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint } from '../endpoint-spec.ts';

/** What /admin/loadtokens needs of the domain. */
export type ImportOperations = Pick<TokenImportService, 'authorize' | 'load'>;

const LARGEST_BODY = 16 * 1024 * 1024;
const text = z.string();
const optional = text.optional();

/** @returns the endpoint that loads a file of keys */
export function loadTokensEndpoint(operations: ImportOperations, dialect: EnrolmentDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/loadtokens',
      methods: ['POST'],
      family: 'linotp2',
      usage: 'admin/loadtokens: load the tokens of a PSKC file.',
      changesState: true,
      large: {
        name: 'file',
        bytes: LARGEST_BODY,
        authorize: (caller) => operations.authorize(caller),
      },
      parameters: z.object({
        file: text,
        type: optional,
        pskc_password: optional,
        pskc_preshared: optional,
        realm: optional,
        targetrealm: optional,
      }),
    },
    async ({ caller, parameters, context }) => {
      const { file, type = 'pskc', pskc_password, pskc_preshared, realm, targetrealm } = parameters;
      if (type.trim().toLowerCase() !== 'pskc') {
        throw new ServiceError('parameter.invalid', 'Only files of the type pskc can be loaded');
      }
      const serials = await operations.load(caller, {
        file,
        password: pskc_password,
        preSharedKey: pskc_preshared,
        realm: realm ?? targetrealm,
      });
      return dialect.tokensLoaded(serials.length, context);
    },
  );
}
