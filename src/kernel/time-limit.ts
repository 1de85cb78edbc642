/**
 * Waits for work, but not for ever. The work itself goes on; what becomes of it later is ignored here.
 * @param milliseconds how long to wait at most
 * @param late makes the error for when it has taken longer
 * @throws what the work throws, or what `late` makes
 */
export async function within<Value>(
  milliseconds: number,
  work: Promise<Value>,
  late: () => Error,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(late());
    }, milliseconds);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
