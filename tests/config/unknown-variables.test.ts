import { describe, expect, it } from '@jest/globals';
import { describeUnknownVariable, unknownVariables } from '../../src/config/config.ts';
import { VARIABLES } from '../../src/config/variables.ts';

describe('variables that the server does not read', () => {
  it.each([
    ['WIRE_DIALECTS', 'unknown variable WIRE_DIALECTS: did you mean WIRE_DIALECT?'],
    ['DATABASE_ULR', 'unknown variable DATABASE_ULR: did you mean DATABASE_URL?'],
    ['DATADIR', 'unknown variable DATADIR: did you mean DATA_DIR?'],
    ['ENCRYPTION_KEYFILE', 'unknown variable ENCRYPTION_KEYFILE: did you mean ENCRYPTION_KEY_FILE?'],
    ['PKCS11_COLOUR_OF_MONEY', 'unknown variable PKCS11_COLOUR_OF_MONEY'],
  ])('are told of with the nearest known one: %s', (name, message) => {
    expect(unknownVariables({ [name]: 'x' }).map(describeUnknownVariable)).toEqual([message]);
  });

  it('are not known ones, empty ones, or those of other programs', () => {
    const known = Object.fromEntries(VARIABLES.map(({ name }) => [name, 'x']));
    const foreign = [
      'HOME',
      'HOSTNAME',
      'PATH',
      'LOGNAME',
      'LANG',
      'PWD',
      'NODE_ENV',
      'DATABASE_HOST',
      'PORTS',
    ];
    const others = Object.fromEntries(foreign.map((name) => [name, 'x']));
    expect(unknownVariables({ ...known, ...others, WIRE_DIALECTS: '', DATADIR: undefined })).toEqual([]);
  });
});
