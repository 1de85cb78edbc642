/**
 * Divides a limit of a server among its processes.
 * @param min of each process, which then exceeds the limit together with the others
 * @returns the part of each process, rounded down
 */
export function shareOf(total: number, processes: number, min = 1): number {
  return Math.max(min, Math.floor(total / processes));
}
