import { computeResponse, type DataInputs, encodeDataInput, timeStepAt } from '../../../src/ocra/compute.ts';
import { encodeHex } from '../../../src/ocra/hex.ts';
import { type OcraSuite, parseOcraSuite } from '../../../src/ocra/suite.ts';
import { type CheckedRow, fromHex, ledgerText, rowsOf, unlessRefused } from './checked-row.ts';

/** Numbers beyond 2^53 come as text; `T` is in seconds, `T_precomputed` in steps. */
interface Row {
  readonly suite: string;
  readonly key: string;
  readonly params: {
    readonly Q?: string | null;
    readonly C?: number | string | null;
    readonly P?: string | null;
    readonly S?: string | null;
    readonly T?: number | string | null;
    readonly T_precomputed?: number | string;
  };
  readonly ok?: { readonly data_input_hex: string; readonly message_hex: string; readonly otp: string };
  readonly error?: { readonly message: string };
}

/** Computes data inputs and responses again. */
export function checkResponses(text: string): Promise<CheckedRow[]> {
  return Promise.all(rowsOf<Row>(text).map(check));
}

async function check(row: Row): Promise<CheckedRow> {
  const suite = parseOcraSuite(row.suite);
  const inputs = inputsOf(suite, row);
  const computed = await unlessRefused(() => ({
    message_hex: encodeHex(encodeDataInput(suite, inputs)),
    otp: computeResponse(suite, fromHex(row.key), inputs),
  }));
  const holds = computed?.otp === row.ok?.otp && computed?.message_hex === row.ok?.message_hex;
  return { name: nameOf(row), holds };
}

/** A whole number, in whatever form the row has it; else undefined, as if it were not given. */
function whole(value: number | string | null | undefined): bigint | undefined {
  return /^\d+$/.test(String(value)) ? BigInt(String(value)) : undefined;
}

function inputsOf(suite: OcraSuite, { params }: Row): DataInputs {
  const seconds = whole(params.T);
  return {
    question: params.Q ?? '',
    counter: whole(params.C),
    pin: params.P ?? undefined,
    session: params.S ?? undefined,
    timeStep:
      seconds === undefined
        ? whole(params.T_precomputed)
        : timeStepAt(suite, new Date(Number(seconds) * 1_000)),
  };
}

function nameOf(row: Row): string {
  const params = Object.entries(row.params).map(([name, value]) =>
    name === 'S' ? `S=${fullness(parseOcraSuite(row.suite), row)}` : `${name}=${ledgerText(value)}`,
  );
  return [row.suite, ...params, '=>', row.ok?.otp ?? row.error?.message].join(' ');
}

function fullness(suite: OcraSuite, { params }: Row): string {
  if (params.S === undefined || params.S === null || params.S === '') {
    return 'empty';
  }
  return params.S.length === suite.session?.length ? 'full' : 'partial';
}
