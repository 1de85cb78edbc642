/** @returns the reason of a failed `fetch`, whose error names it in its cause */
export function fetchFaultReason(error: unknown): string {
  if (!(error instanceof Error)) {
    return 'unknown reason';
  }
  return error.cause instanceof Error ? error.cause.message : error.message;
}
