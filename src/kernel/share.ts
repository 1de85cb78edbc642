/**
 * Divides a limit of a server among its processes.
 * @param least of each process, which then exceeds the limit together with the others
 * @returns the part of each process, rounded down
 */
export function shareOf(total: number, processes: number, least = 1): number {
  return Math.max(least, Math.floor(total / processes));
}
