import { z } from 'zod';
import type { TokenImportService } from '../../../challenges/enrolment/token-import-service.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import type { EnrolmentDialect } from '../../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint } from '../../endpoint-spec.ts';
import { optional, required, secret } from '../../request/parameter-schemas.ts';
import { LOADED_TOKENS } from '../answers/enrolment-answers.ts';

const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** @returns the endpoint that loads a file of keys */
export function loadTokensEndpoint(operations: TokenImportService, dialect: EnrolmentDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/admin/loadtokens',
      methods: ['POST'],
      summary: 'loads the keys of a PSKC file, at most 16 MiB',
      requires: 'admin:loadtokens',
      answers: LOADED_TOKENS,
      family: 'linotp2',
      usage: 'admin/loadtokens: load the tokens of a PSKC file.',
      changesState: true,
      large: {
        name: 'file',
        bytes: MAX_BODY_BYTES,
        authorize: (caller) => operations.authorize(caller),
      },
      parameters: z.object({
        file: secret(required('the PSKC file (RFC 6030)')),
        type: optional('`pskc`'),
        pskc_password: secret(optional('the password of the file')),
        pskc_preshared: secret(optional('the pre-shared key of the file, hexadecimal')),
        realm: optional('the realm of the tokens'),
        targetrealm: optional('the same, where `realm` is left out'),
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
