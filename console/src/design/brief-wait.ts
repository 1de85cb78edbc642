/** Milliseconds for which an act that was done waits for what is read after it: the server may be away since. */
const MAX_WAIT_MS = 2_000;

/** Waits for work, two seconds at most. The work itself continues. @throws its error, where that comes in time */
export async function waitBriefly(work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, MAX_WAIT_MS);
  });
  try {
    await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}
