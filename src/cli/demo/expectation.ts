import { CliFailure } from '../cli-failure.ts';

/** The expected answer: values to be equal, predicates to hold, objects to have at least these keys. */
export type Expectation =
  | string
  | number
  | boolean
  | null
  | ((actual: unknown) => boolean)
  | readonly Expectation[]
  | { readonly [key: string]: Expectation };

/** @returns the expected answer to a response */
export function checkedResponse(result: boolean, failCount: number): Expectation {
  return { result: { status: true, value: { result, failcount: failCount } } };
}

/**
 * Compares an answer with the expected one.
 * @param where the path of `actual`, for the message
 * @throws CliFailure that names the first difference
 */
export function assertAnswer(actual: unknown, expected: Expectation, where = 'answer'): void {
  if (typeof expected === 'function') {
    assertThat(expected(actual), where, actual, 'something else');
  } else if (isList(expected)) {
    assertList(actual, expected, where);
  } else if (expected !== null && typeof expected === 'object') {
    assertThat(actual !== null && typeof actual === 'object', where, actual, 'an object');
    const fields = actual as Readonly<Record<string, unknown>>;
    for (const [key, value] of Object.entries(expected)) {
      assertAnswer(fields[key], value, `${where}.${key}`);
    }
  } else {
    assertThat(Object.is(actual, expected), where, actual, JSON.stringify(expected));
  }
}

function assertList(actual: unknown, expected: readonly Expectation[], where: string): void {
  const items: readonly unknown[] = Array.isArray(actual) ? actual : [];
  assertThat(
    Array.isArray(actual) && items.length === expected.length,
    where,
    actual,
    `${expected.length} items`,
  );
  expected.forEach((item, index) => {
    assertAnswer(items[index], item, `${where}[${index}]`);
  });
}

function isList(expected: Expectation): expected is readonly Expectation[] {
  return Array.isArray(expected);
}

function assertThat(holds: boolean, where: string, actual: unknown, expected: string): void {
  if (!holds) {
    const text = JSON.stringify(actual) as string | undefined;
    throw new CliFailure(`${where} is ${(text ?? 'missing').slice(0, 300)}, expected ${expected}`);
  }
}
