/**
 * Waits for work for a limited time. The work itself continues; its later result is ignored.
 * @param milliseconds the longest wait
 * @param late makes the error for a work that takes longer
 * @throws the error of the work, or that of `late`
 */
export async function withTimeLimit<Value>(
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
